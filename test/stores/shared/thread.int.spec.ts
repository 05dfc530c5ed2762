import { expect } from 'chai';
import { once } from 'node:events';
import { type Worker } from 'node:worker_threads';
import { LOG_THREAD, PROJECTIONS_THREAD, startAhead, startThread } from '../../../src/stores/shared/thread.js';

/** Fails where it is told no directory. */
const FAILING = 'src/stores/sqlite/read-models/long-queries/thread';

describe('a thread that was started ahead', () => {
  const started: Worker[] = [];

  afterEach(() => Promise.all(started.splice(0).map((thread) => thread.terminate())));

  const start = (path: string): Worker => {
    const thread = startThread(path);
    started.push(thread);
    return thread;
  };

  it('goes to who asks first for a thread of that path', () => {
    startAhead(LOG_THREAD);
    const between = start(PROJECTIONS_THREAD).threadId;
    expect(start(LOG_THREAD).threadId).to.be.below(between);
    expect(start(LOG_THREAD).threadId).to.be.above(between);
  });

  it('gives way to another one once it has failed', async () => {
    const created = once(process, 'worker') as Promise<[Worker]>;
    startAhead(FAILING);
    const [ahead] = await created;
    await once(ahead, 'error');
    const [error] = (await once(start(FAILING), 'error')) as [Error];
    expect(error).to.be.instanceOf(TypeError);
  });
});
