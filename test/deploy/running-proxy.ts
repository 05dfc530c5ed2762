/** HAProxy with deploy/haproxy.cfg, on free ports of this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { authority } from '../support/eventstoredb/certificates.js';
import { freePort } from '../support/same-port.js';
import { textOf } from './compose-files.js';

/** A text of the configuration, and what is there instead. */
export type Change = readonly [before: string, after: string];

export interface RunningProxy {
  readonly port: number;
  readonly certificate: string;
  readonly stop: () => Promise<void>;
}

const PROGRAM: string = 'haproxy';
const PATIENCE_MS = 10_000;

/** The name of its certificate is localhost. */
export async function runningProxy(...changes: readonly Change[]): Promise<RunningProxy> {
  const directory = mkdtempSync(join(tmpdir(), 'proxy-'));
  const own = await authority();
  const { certificate, key } = await own.issued('localhost');
  writeFileSync(join(directory, 'tls.pem'), `${certificate}\n${key}`);
  const [plain, port, health] = [await freePort(), await freePort(), await freePort()];
  const placed: readonly Change[] = [
    ['bind :8080', `bind 127.0.0.1:${plain}`],
    ['bind :8443 ssl crt /private/tls.pem', `bind 127.0.0.1:${port} ssl crt ${join(directory, 'tls.pem')}`],
    ['bind 127.0.0.1:8404', `bind 127.0.0.1:${health}`],
    ...changes,
  ];
  const text = placed.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`deploy/haproxy.cfg does not hold ${from}`);
    return before.replaceAll(from, to);
  }, textOf('deploy/haproxy.cfg'));
  writeFileSync(join(directory, 'haproxy.cfg'), text);
  const child = spawn(PROGRAM, ['-db', '-f', join(directory, 'haproxy.cfg')], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(directory, { recursive: true });
  };
  const proxy = { port, certificate: own.certificate, stop };
  for (let waited = 0; !(await isOpen(proxy)); waited += 50) {
    if (waited > PATIENCE_MS || child.exitCode !== null) throw new Error('HAProxy does not listen');
    await sleep(50);
  }
  return proxy;
}

/** What is answered to these bytes, until the connection ends or an answer is whole. */
export async function answerTo(proxy: RunningProxy, sent: string): Promise<string> {
  const socket = connected(proxy);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  const ended = once(socket, 'close');
  socket.write(sent);
  await ended;
  return answer;
}

function connected({ port, certificate }: Pick<RunningProxy, 'port' | 'certificate'>): TLSSocket {
  return connect({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate });
}

async function isOpen(proxy: Pick<RunningProxy, 'port' | 'certificate'>): Promise<boolean> {
  const socket = connected(proxy);
  const isSecure = await once(socket, 'secureConnect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isSecure;
}
