import { basename } from 'node:path';
import { expect } from 'chai';
import { runs, type Run } from './runs.js';

const NO_STAND_IN = 'there is no stand-in';

describe('the specs that run again on the stores of production', () => {
  const storesOf = (all: readonly Run[]): readonly string[] => all.map(({ stores }) => stores);
  const namesOf = ({ files }: Run): readonly string[] => files.map((file) => basename(file));

  it('are those of the whole service, on the stand-ins alone where no server is named', () => {
    const all = runs([], null);
    expect(storesOf(all)).to.deep.equal(['mongo-java-server']);
    const files = all.flatMap((one) => one.files);
    expect(files.filter((file) => /[\\/]artifacts[\\/]submit\.int\.spec\.ts$/.test(file))).to.have.length(1);
    expect(files.filter((file) => /[\\/]process[\\/]log\.e2e\.spec\.ts$/.test(file))).to.have.length(1);
    expect(files.filter((file) => /[\\/](servers|stores)[\\/]/.test(file))).to.deep.equal([]);
    expect(namesOf(all[0]!).filter((name) => /^(browser|typed-client)\.e2e/.test(name))).to.deep.equal([]);
  });

  for (const urls of [['EVENTSTOREDB_TEST_URL'], ['MONGODB_TEST_URL'], ['EVENTSTOREDB_TEST_URL', 'MONGODB_TEST_URL']]) {
    it(`run a further time, with those of several processes, on the servers of ${urls.join(' and ')}`, () => {
      const [onStandIns, onServers, ...others] = runs(urls, null);
      expect(others).to.deep.equal([]);
      expect(storesOf([onStandIns!, onServers!])).to.deep.equal(['mongo-java-server', 'servers']);
      expect(onServers!.on).to.equal(`the servers of ${urls.join(' and ')}`);
      expect(onServers!.files).to.include.members([...onStandIns!.files]);
      const more = namesOf(onServers!).filter((name) => !namesOf(onStandIns!).includes(name));
      expect(more).to.include.members(['processes-takeover.e2e.spec.ts', 'processes-races.e2e.spec.ts']);
      for (const name of more)
        expect(name)
          .to.match(/^processes-/)
          .and.not.to.contain('secured');
    });
  }

  it('are those of one kind where one is run', () => {
    const names = runs([], null, ['int']).flatMap(namesOf);
    expect(names).to.include('submit.int.spec.ts');
    expect(names.filter((name) => !name.endsWith('.int.spec.ts'))).to.deep.equal([]);
    expect(runs([], null, ['unit']).flatMap(namesOf)).to.deep.equal([]);
  });

  it('need no stand-in where a MongoDB is named, and are none where it is not', () => {
    expect(storesOf(runs(['MONGODB_TEST_URL'], NO_STAND_IN))).to.deep.equal(['servers']);
    expect(storesOf(runs(['EVENTSTOREDB_TEST_URL'], NO_STAND_IN))).to.deep.equal([]);
    expect(storesOf(runs([], NO_STAND_IN))).to.deep.equal([]);
  });
});
