/** PocketBase, with artifacts like those of the service. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/same-port.js';
import { ended, startProgram } from '../children.js';
import { PASSWORD, READER } from '../platform.js';
import { ready, type RunningService } from '../stage.js';
import { recordLines } from './records.js';

const BINARY = fileURLToPath(new URL('../../.ci/cache/pocketbase', import.meta.url));

export const HOW_TO_BUILD = 'CGO_ENABLED=0 go build -C bench/peers/pocketbase -o ../../../.ci/cache/pocketbase .';

export const isBuilt = (): boolean => existsSync(BINARY);

export async function seedPocketBase(directory: string, artifacts: number): Promise<void> {
  const child = startProgram(BINARY, ['seed', '--dir', directory], {}, 'pipe');
  if (child.stdin === null) throw new Error('PocketBase has no standard input');
  const exit = once(child, 'exit');
  await pipeline(Readable.from(recordLines(artifacts)), child.stdin);
  const [code] = (await exit) as [number | null];
  if (code !== 0) throw new Error(`The seed of PocketBase ended with ${code ?? 'a signal'}`);
}

export async function startPocketBase(directory: string): Promise<Omit<RunningService, 'headers'>> {
  const address = `127.0.0.1:${await freePort()}`;
  const began = performance.now();
  const child = startProgram(BINARY, ['serve', '--dir', directory, '--http', address]);
  await ready(`http://${address}/api/health`, child);
  const startedIn = performance.now() - began;
  return { url: `http://${address}`, pid: child.pid ?? 0, startedIn, stop: () => ended(child) };
}

export async function signedInto(url: string): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${url}/api/collections/users/auth-with-password`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ identity: `${READER}@example.org`, password: PASSWORD }),
  });
  if (!answer.ok) throw new Error(`PocketBase answered ${answer.status}: ${await answer.text()}`);
  const { token } = (await answer.json()) as { token: string };
  return { Authorization: token };
}
