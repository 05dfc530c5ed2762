import { expect } from 'chai';
import { DEMO_PLATFORM } from '../../src/platform/demo-platform.js';
import { platformFixture, type PlatformFixture } from './platform-fixture.js';

describe('applying a platform file', () => {
  let platform: PlatformFixture;

  beforeEach(async () => {
    platform = await platformFixture();
  });
  afterEach(() => platform.close());

  it('brings about what it plans, and nothing when applied again', async () => {
    const planned = await platform.plan(DEMO_PLATFORM);
    expect(await platform.apply(DEMO_PLATFORM)).to.deep.equal(planned);
    const events = await platform.events();
    expect(await platform.plan(DEMO_PLATFORM)).to.deep.equal([]);
    expect(await platform.apply(DEMO_PLATFORM)).to.deep.equal([]);
    expect(await platform.events()).to.deep.equal(events);
  });
});
