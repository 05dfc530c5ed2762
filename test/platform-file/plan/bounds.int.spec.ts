import { expect } from 'chai';
import { claimLabels, plannedLabels } from '../../../src/artifacts/open-values.js';
import { InvalidPlatformFile } from '../../../src/platform-file/format/file-error.js';
import { TRACKERS } from '../../../src/trackers/tracker-view.js';
import { rejection } from '../../stores/contracts/event-log-fixture.js';
import { platformFixture, type PlatformFixture } from '../platform-fixture.js';

const fileWith = (fields: readonly object[]): string =>
  JSON.stringify({
    users: [{ username: 'bob', real_name: 'Bob', email: 'bob@example.org', password: 'secret' }],
    projects: [{ shortname: 'p', label: 'P', trackers: [{ item_name: 'bug', label: 'Bugs', fields }] }],
  });
const list = (count: number) => ({
  name: 'list',
  label: 'List',
  type: 'sb',
  bind: 'static',
  values: Array.from({ length: count }, (_, index) => ({ label: `v${index}` })),
});
const text = (name: string, length: number) => ({ name, label: name, type: 'text', default: 'é'.repeat(length) });

describe('the bounds of a platform file', () => {
  let platform: PlatformFixture;

  beforeEach(async () => {
    platform = await platformFixture();
  });

  afterEach(() => platform.close());

  /** What is wrong with it, of which nothing was applied. */
  const complaints = async (file: string): Promise<readonly string[]> => {
    const before = await platform.events();
    const refused = await rejection(platform.apply(file));
    expect(refused).to.be.instanceOf(InvalidPlatformFile);
    expect(await platform.events()).to.deep.equal(before);
    return (refused as InvalidPlatformFile).errors.map(({ message }) => message);
  };

  it('let a list have 10000 values and not one more', async () => {
    expect((await complaints(fileWith([list(10_001)])))[0]).to.include('10000 labels');
    expect(await platform.plan(fileWith([list(10_000)]))).to.include('define tracker p/bug');
  });

  it('count the labels that users added to an open list', async () => {
    const open = (count: number) => fileWith([{ ...list(count), type: 'tbl' }]);
    await platform.apply(open(1));
    const { log, definitions, readModels } = platform.service;
    const tracker = definitions.projects().flatMap(({ id }) => definitions.trackersOf(id))[0]!;
    const fieldId = tracker.fieldNamed('list')!.id;
    const labels = Array.from({ length: 300 }, (_, index) => `new ${index}`);
    const metadata = { actor: null, at: '2026-03-01T12:00:00.000Z', requestId: 'r' };
    const wanted = { fieldId, trackerId: tracker.id, labels, defined: 1 };
    const planned = await plannedLabels(log, wanted);
    const claimed = await claimLabels(log, planned, metadata);
    expect(await readModels.caughtUp(TRACKERS, claimed!.position!, 10_000)).to.equal(true);

    expect((await complaints(open(9701)))[0]).to.include('10000 labels');
    expect((await platform.plan(open(9700))).join()).to.include('change the fields of tracker p/bug');
  });

  it('let a default have 65535 bytes and not one more', async () => {
    expect(await complaints(fileWith([text('a', 32_768)]))).to.deep.equal(['takes at most 65535 bytes']);
    await platform.apply(fileWith([text('a', 32_767)]));
  });

  it('keep a complaint short that names many fields', async () => {
    const name = (n: number) => `${'f'.repeat(240)}_${n}`;
    const many = Array.from({ length: 4000 }, (_, n) => ({ name: name(n), label: 'F', type: 'int' }));
    await platform.apply(fileWith([]));
    const [message = ''] = await complaints(fileWith(many));
    expect(message).to.include('change the fields of tracker p/bug (new f').and.include('1000000 bytes');
    expect(message).to.have.length.below(10_000);
  });

  it('refuse a tracker that takes more than 1000000 bytes before anything of the file is applied', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, n) => text(`f${n}`, 32_500));
    const [message] = await complaints(fileWith(fields(16)));
    expect(message).to.include('define tracker p/bug').and.include('1000000 bytes');
    await platform.apply(fileWith(fields(15)));
    expect((await complaints(fileWith(fields(16))))[0]).to.include('change the fields of tracker p/bug');
  });
});
