import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { needsDocker } from '../support/needs-docker.js';
import { BASE, CLUSTER, project, ROOT } from './compose-files.js';
import { nodesOf } from './starting-order.js';

const run = promisify(execFile);

const OWN = 'docker-compose.spec.yml';
const NAMES = nodesOf(project(BASE, CLUSTER));
const EVENTS = 200;
const MINUTES = 60_000;

const { setup, eventstoredb } = project(BASE).services;
const images = [setup?.image ?? '', eventstoredb?.image ?? ''];

interface Member {
  readonly httpEndPointIp: string;
  readonly state: string;
  readonly writerCheckpoint: number;
}

needsDocker(images, 'three nodes of EventStoreDB in containers', () => {
  describe('three nodes of EventStoreDB in containers', function () {
    this.timeout(10 * MINUTES);

    let directory: string;
    const compose = async (files: readonly string[], args: readonly string[], input = ''): Promise<string> => {
      const named = [
        '--project-name',
        `ledger-spec-${process.pid}`,
        ...[...files, OWN].flatMap((file) => ['-f', file]),
      ];
      const running = run('docker', ['compose', ...named, ...args], { cwd: directory });
      running.child.stdin?.end(input);
      return (await running).stdout;
    };
    const both = [BASE, CLUSTER];

    /** By the names that Compose knows. */
    const membersSeenBy = async (name: string): Promise<ReadonlyMap<string, Member>> => {
      const asked = ['curl', '--fail', '--silent', '--cacert', '/private/ca/ca.crt', 'https://localhost:2113/gossip'];
      const { members } = JSON.parse(await compose(both, ['exec', '-T', name, ...asked])) as { members: Member[] };
      return new Map(members.map((member) => [member.httpEndPointIp, member]));
    };
    const checkpointOf = async (name: string): Promise<number> =>
      (await membersSeenBy(name)).get(name)?.writerCheckpoint ?? Number.NaN;

    before(async () => {
      directory = mkdtempSync(join(tmpdir(), 'trio-'));
      for (const file of [BASE, CLUSTER, 'deploy'])
        cpSync(`${ROOT}${file}`, join(directory, file), { recursive: true });
      // So that curl can write events.
      const environment = { EVENTSTORE_ENABLE_ATOM_PUB_OVER_HTTP: 'true' };
      writeFileSync(join(directory, OWN), JSON.stringify({ services: { eventstoredb: { environment } } }));
      await run('sh', ['deploy/make-secrets.sh'], { cwd: directory });
    });
    after(async () => {
      await compose(both, ['down', '--volumes', '--timeout', '10']);
      rmSync(directory, { recursive: true });
    });

    it('keep the log of the first when two empty ones join, as docs/production.md has it', async () => {
      await compose([BASE], ['up', '-d', '--wait', 'eventstoredb']);
      const written = Array.from({ length: EVENTS }, () => ({
        eventId: crypto.randomUUID(),
        eventType: 'NoteTaken',
        data: { text: 'x'.repeat(2000) },
      }));
      const post = `curl --fail --silent --cacert /private/ca/ca.crt -u "admin:$(cat /private/admin_password)" \
        -H 'Content-Type: application/vnd.eventstore.events+json' --data-binary @- https://localhost:2113/streams/notes`;
      await compose([BASE], ['exec', '-T', 'eventstoredb', 'sh', '-c', post], JSON.stringify(written));
      const checkpoints = [await checkpointOf('eventstoredb')];
      expect(checkpoints[0]).to.be.above(EVENTS * 2000);

      const look = async () => {
        // While its container is exchanged, nobody answers.
        const found = await checkpointOf('eventstoredb').catch(() => Number.NaN);
        if (!Number.isNaN(found)) checkpoints.push(found);
      };
      await compose(both, ['up', '-d', '--wait', 'eventstoredb2']);
      await look();
      let isUp = false;
      const up = compose(both, ['up', '-d', '--wait', ...NAMES]).finally(() => (isUp = true));
      // Looked at by `isUp` anew: nothing tells the compiler that it changes.
      while (!(isUp as boolean)) {
        await look();
        await sleep(500);
      }
      await up;
      await look();

      expect(checkpoints, 'the writer checkpoint never falls').to.deep.equal(checkpoints.toSorted((a, b) => a - b));
      const members = await membersSeenBy('eventstoredb');
      expect([...members.keys()]).to.have.members(NAMES);
      expect([...members.values()].map(({ state }) => state).toSorted()).to.deep.equal([
        'Follower',
        'Follower',
        'Leader',
      ]);
      for (const name of NAMES) expect(await checkpointOf(name), name).to.be.at.least(checkpoints[0] ?? Number.NaN);
    });
  });
});
