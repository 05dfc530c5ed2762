import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { command, killAll, NO_FILE, startService, type ServiceProcess } from '../support/process.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

/** About 2 MB. */
const TRACKERS = 40;
const values = Array.from({ length: 50 }, (_, nth) => ({ label: `value ${nth} of a list` }));
const fields = Array.from({ length: 20 }, (_, nth) => ({ name: `f${nth}`, label: `F${nth}`, type: 'sb', values }));
const users = [{ username: 'ann', real_name: 'Ann', email: 'ann@example.org', password: 'secret' }];

const fileOf = (label: string): string =>
  JSON.stringify({
    users,
    projects: [
      {
        shortname: 'large',
        label: 'Large',
        trackers: Array.from({ length: TRACKERS }, (_, nth) => ({ item_name: `t${nth}`, label, fields })),
      },
    ],
  });

describe('a large platform file beside a running service', () => {
  let directory: TemporaryDirectory;
  let service: ServiceProcess;
  before(async () => {
    directory = await temporaryDirectory();
    service = await startService(directory.path);
    await service.get('/projects');
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  type Output = Awaited<ReturnType<typeof command>>;
  const platform = (...args: string[]) => command(['platform', ...args], { DATA_DIR: directory.path, ...NO_FILE });

  /** The output of the command. While it works, each request waits for a small part of that time at most. */
  const watched = async (...args: string[]): Promise<Output> => {
    const requested: number[] = [];
    const over = new AbortController();
    const began = performance.now();
    const result = platform(...args).finally(() => {
      over.abort();
    });
    while (!over.signal.aborted) {
      const asked = performance.now();
      await service.get('/projects');
      requested.push(performance.now() - asked);
    }
    expect(Math.max(...requested)).to.be.lessThan((performance.now() - began) / 4);
    return result;
  };

  it('holds up no request while it is planned, applied, refused and exported', async () => {
    const file = join(directory.path, 'large.json');
    const wrong = join(directory.path, 'wrong.json');
    writeFileSync(file, fileOf('Tracker'));
    writeFileSync(wrong, fileOf('Tracker').replace('"label":"Large"', '"label":"Large","admins":["nobody"]'));

    const planned = await watched('plan', file);
    expect(planned.stdout.split('\n')).to.include('define tracker large/t39');
    const applied = await watched('apply', file);
    expect(applied).to.include({ code: 0, stdout: planned.stdout });
    const refused = await watched('plan', wrong);
    expect(refused.stderr).to.include('line 1, /projects/0/admins/0: is not known: nobody');
    const exported = await watched('export');
    expect(exported.stdout).to.include('item_name: t39');
  });
});
