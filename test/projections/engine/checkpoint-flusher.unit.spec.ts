import { expect } from 'chai';
import { NO_MARKS } from '../../../src/core/marks.js';
import { checkpointFlusher } from '../../../projections/engine/checkpoint-flusher.js';
import { users } from '../../../projections/users.js';
import { at } from '../../stores/contracts/read-models-fixture.js';

describe('the flusher of checkpoints', () => {
  it('tries again when the store is away, though no other event comes', async () => {
    const errors: unknown[] = [];
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
      const served = { generation: 1, position: at(7), event: 'event-7', marks: NO_MARKS };
      checkpointFlusher({
        store,
        projection: users,
        served: () => served,
        isBusy: () => false,
        everyMs: 1,
        onRetry: (error) => errors.push(error),
      }).schedule();
    });
    expect(await saved).to.equal(at(7));
    expect(errors).to.have.length(2);
  });

  it('ends once nothing is under way, with one more try where that fails, and none later', async () => {
    const tries: (() => void)[] = [];
    const flusherOver = (commit: () => Promise<void>) =>
      checkpointFlusher({
        store: { commit },
        projection: users,
        served: () => ({ generation: 1, position: at(7), event: 'event-7', marks: NO_MARKS }),
        isBusy: () => false,
        everyMs: 1,
        onRetry: () => undefined,
      });
    /** Timers of the same length run in their order. */
    const later = (): Promise<void> =>
      new Promise((resolve) => {
        flusherOver(async () => {
          await Promise.resolve();
          resolve();
        }).schedule();
      });
    const flusher = flusherOver(
      () =>
        new Promise((_, refuse) =>
          tries.push(() => {
            refuse(new Error('away'));
          }),
        ),
    );
    flusher.schedule();
    await later();
    expect(tries).to.have.length(1);
    let hasEnded = false;
    const ended = flusher.end().then(() => (hasEnded = true));
    await later();
    expect(hasEnded).to.equal(false);
    tries[0]!();
    await later();
    expect(tries).to.have.length(2);
    tries[1]!();
    await ended;
    await later();
    expect(tries).to.have.length(2);

    const unsaved = flusherOver(() => Promise.reject(new Error(`away ${tries.push(() => undefined)}`)));
    unsaved.schedule();
    await unsaved.end();
    await later();
    expect(tries).to.have.length(3);
  });
});
