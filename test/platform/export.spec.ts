import { expect } from 'chai';
import { DEMO_PLATFORM } from '../../src/platform/demo-platform.js';
import { exportPlatform } from '../../src/platform/export.js';
import { parsePlatformFile } from '../../src/platform/platform-file.js';
import { EVERY_FIELD } from './examples.js';
import { platformFixture, type PlatformFixture } from './platform-fixture.js';

describe('an exported platform', () => {
  let platform: PlatformFixture;

  beforeEach(async () => {
    platform = await platformFixture();
  });
  afterEach(() => platform.close());

  const exported = (): string => exportPlatform(platform.service.directory);

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
    const said = parsePlatformFile(EVERY_FIELD).file;
    const says = parsePlatformFile(exported()).file;
    expect(says.projects).to.deep.equal(said.projects);
    expect(says.settings).to.deep.equal(said.settings);
  });
});
