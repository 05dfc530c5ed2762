import { expect } from 'chai';
import { counted, noChanges, versionOf } from '../../../../src/stores/sqlite/read-models/changes.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';
import { at, MODELS, note, openRun, PROJECTION, servedRun, written } from '../../contracts/read-models-fixture.js';
import { opened } from './opened.js';

describe('the version of the embedded read models', () => {
  it('is asked for once after each change, and each time while there is one under way', () => {
    const changes = noChanges();
    const [versions, asked] = [['1', '2', '3', '4', '5'], [] as string[]];
    const version = versionOf(() => asked[asked.push(versions[asked.length]!) - 1]!, changes);
    expect([version(), version()]).to.deep.equal(['1', '1']);
    counted(changes, () => {
      expect([version(), version()]).to.deep.equal(['2', '3']);
    });
    expect([version(), version(), version()]).to.deep.equal(['4', '4', '4']);
    expect(() =>
      counted(changes, () => {
        throw new Error('no room');
      }),
    ).to.throw('no room');
    expect([version(), version()]).to.deep.equal(['5', '5']);
  });

  it('is not kept if a change began while it was asked for', () => {
    const changes = noChanges();
    let asked = 0;
    const version = versionOf(() => {
      asked += 1;
      if (asked === 1) counted(changes, () => undefined);
      return String(asked);
    }, changes);
    expect([version(), version(), version()]).to.deep.equal(['1', '2', '2']);
  });

  it('is another one after each commit, and after each switch', async () => {
    const directory = await temporaryDirectory();
    const store = opened(directory.path);
    const { models } = store;
    const { commit } = await servedRun(store);
    const states = [models.state(), models.state()];
    await commit(1, written(note(1), 1));
    states.push(models.state(), models.state());
    await commit(2, written(note(1), 2));
    states.push(models.state());
    await store.close();
    await directory.remove();
    expect(states[0]).to.equal(states[1]);
    expect(states[2]).to.equal(states[3]);
    expect(new Set(states).size).to.equal(3);
  });

  it('is the same while another generation is filled, verified and caught up, and another one once that is served', async () => {
    const directory = await temporaryDirectory();
    const store = opened(directory.path);
    const { models } = store;
    await servedRun(store);
    const filling = await openRun(store.store);
    const state = models.state();
    for (const n of [1, 2, 3]) await filling.commit(n, written(note(n), n));
    expect(models.state()).to.equal(state);
    await store.store.verify(PROJECTION, filling.run, MODELS);
    expect(models.state()).to.equal(state);
    for (const n of [4, 5]) await filling.commit(n, written(note(n), n));
    expect(models.state()).to.equal(state);
    await store.store.serve(PROJECTION, filling.run);
    const switched = models.state();
    expect(switched).to.not.equal(state);
    // Only now do readers see what was switched.
    store.tell({ projection: PROJECTION, generation: filling.run, position: at(5), models: MODELS });
    expect(models.state()).to.not.equal(switched);
    await store.close();
    await directory.remove();
  });
});
