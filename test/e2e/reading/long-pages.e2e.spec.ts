/** Who may read the rest of a page is decided while it is sent, also where no other request reaches the reading process. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { command, killAll, type ServiceProcess } from '../../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';
import { trackerOf, type KnownTracker } from '../../support/tracker-of.js';
import { answered, startReading } from './connections.js';

/** Together some 20 MB of a page with all values: more than connections hold. */
const MANY = 90;
const LONG = '"'.repeat(30_000);

describe('a long page of a reading process', () => {
  let directory: TemporaryDirectory;
  let service: ServiceProcess;
  let bug: KnownTracker;
  const ids: number[] = [];
  before(async () => {
    directory = await temporaryDirectory();
    service = await startReading(directory.path, 1);
    bug = await trackerOf(service, 'bug');
    for (let nth = 0; nth < MANY; nth += 1) {
      const values = [element('title', `${nth}`), element('description', { content: LONG, format: 'text' })];
      const { status, body } = await service.post('/artifacts', {
        as: 'alice',
        body: { tracker: { id: bug.id }, values },
      });
      expect(status).to.equal(201);
      ids.push(Number(body.id));
    }
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  const element = (name: string, value: unknown) => ({ field_id: bug.fields.get(name)!, value });

  it('ends before what is written after its reader was suspended', async () => {
    const path = `/api/trackers/${bug.id}/artifacts?values=all&limit=${MANY}`;
    const headers = await service.signIn('bob');
    const [answer] = (await once(get(`${service.url}${path}`, { headers }), 'response')) as [IncomingMessage];
    expect(answer.statusCode).to.equal(200);

    const file = join(directory.path, 'suspended.json');
    const bob = { username: 'bob', real_name: 'Bob', email: 'bob@example.org', status: 'suspended' };
    writeFileSync(file, JSON.stringify({ users: [bob] }));
    expect(await command(['platform', 'apply', file], { DATA_DIR: directory.path })).to.include({ code: 0 });
    const values = [element('title', 'Written afterwards')];
    const changed = await service.put(`/artifacts/${ids.at(-1)!}`, { as: 'alice', body: { values } });
    expect(changed.status).to.equal(200);

    expect(await text(answer).catch((error: unknown) => error)).to.be.instanceOf(Error);
    expect([...answered(service, /^\/api\/trackers\/\d+\/artifacts/).keys()]).to.deep.equal(['reading-1']);
  });
});
