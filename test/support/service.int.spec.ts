import { expect } from 'chai';
import { rejection } from '../stores/contracts/event-log-fixture.js';
import { runService } from './service.js';
import { temporaryDirectory } from './temporary-directory.js';

describe('a service under test', () => {
  it('that does not start leaves nothing open: another one can start in its data directory', async () => {
    const directory = await temporaryDirectory();
    const env = { DATA_DIR: directory.path };
    expect(await rejection(runService({ env, platform: 'of no sense' }))).to.be.instanceOf(Error);
    const service = await runService({ env });
    await service.stop();
    await directory.remove();
  });
});
