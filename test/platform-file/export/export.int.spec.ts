import { expect } from 'chai';
import { DEMO_PLATFORM } from '../../../src/demo/demo-platform.js';
import { exportedPlatform } from '../../../src/platform-file/export/export.js';
import { exportedText } from '../../../src/platform-file/export/exported-text.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { whole } from '../../support/whole.js';
import { EVERY_FIELD } from '../examples.js';
import { platformFixture, type PlatformFixture } from '../platform-fixture.js';

describe('an exported platform', () => {
  let platform: PlatformFixture;

  beforeEach(async () => {
    platform = await platformFixture();
  });
  afterEach(() => platform.close());

  const exported = (): string => exportedText(whole(exportedPlatform(platform.service.definitions)));

  it('changes nothing when it is applied', async () => {
    await platform.apply(DEMO_PLATFORM);
    await platform.apply(EVERY_FIELD);
    expect(await platform.apply(exported())).to.deep.equal([]);
  });

  it('still changes nothing once something was pruned', async () => {
    await platform.apply(DEMO_PLATFORM);
    await platform.apply(EVERY_FIELD, { prune: true });
    expect(await platform.apply(exported())).to.deep.equal([]);
  });

  it('holds no password', async () => {
    await platform.apply(DEMO_PLATFORM);
    expect(exported()).to.not.include('password');
  });

  it('says what the file said', async () => {
    await platform.apply(EVERY_FIELD);
    const { settings, artifact_link_types, projects } = parsePlatformFile(EVERY_FIELD).file;
    expect(parsePlatformFile(exported()).file).to.containSubset({ settings, artifact_link_types, projects });
  });

  it('brings back, applied later, what was changed since', async () => {
    await platform.apply(EVERY_FIELD);
    const before = exported();
    await platform.apply(OTHERWISE);
    expect(exported()).to.not.equal(before);
    await platform.apply(before);
    expect(exported()).to.equal(before);
  });
});

/** Changes of members that EVERY_FIELD leaves out. */
const OTHERWISE = `
users: [{ username: frank, real_name: Frank, email: frank@example.org, site_admin: true }]
projects:
  - shortname: lab
    label: Laboratory
    trackers:
      - item_name: thing
        label: Things
        fields:
          - name: body
            label: Body
            type: text
            description: Everything else
            required: true
            permissions: { read: [crew], update: [crew] }
          - { name: grade, label: Grade, type: rb, default: A }
          - { name: readers, label: Readers, type: tbl, bind: users, default: [erin] }
          - { name: weight, label: Weight, type: float, default: null }
          - { name: day, label: Day, type: date, default: null }
`;
