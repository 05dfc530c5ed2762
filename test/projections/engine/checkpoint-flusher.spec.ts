import { expect } from 'chai';
import { NO_MARKS } from '../../../src/core/marks.js';
import { saving } from '../../../projections/engine/checkpoint-flusher.js';
import { users } from '../../../projections/users.js';
import { at } from '../../stores/contracts/read-models-fixture.js';

describe('saving the position of events that change nothing', () => {
  it('tries again when the store is away, though no other event comes', async () => {
    const troubles: unknown[] = [];
    let tries = 0;
    const saved = new Promise<unknown>((resolve) => {
      const store = {
        commit: (_projection: string, _run: number, _changes: unknown, { position }: { position: unknown }) => {
          tries += 1;
          if (tries < 3) return Promise.reject(new Error('away'));
          resolve(position);
          return Promise.resolve();
        },
      };
      const target = { projection: users, run: 1, position: at(7), event: 'event-7', marks: NO_MARKS };
      saving({
        store,
        target: () => target,
        isBusy: () => false,
        everyMs: 1,
        onTrouble: (error) => troubles.push(error),
      }).later();
    });
    expect(await saved).to.equal(at(7));
    expect(troubles).to.have.length(2);
  });
});
