/** Appends to a log for as long as it lives and prints each append that was answered. Run as a process of its own. */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { lockDataDirectory } from '../../../../src/stores/sqlite/data-lock.js';
import { metadata, newStream, noted } from '../../contracts/event-log-fixture.js';

const directory = process.argv[2] ?? '';
lockDataDirectory(directory);
const log = await sqliteEventLog(directory);

async function appendForEver(): Promise<never> {
  const stream = newStream();
  for (let revision = 0; ; revision += 1) {
    const events = [noted({ text: randomUUID() })];
    const { position } = await log.append(stream, revision - 1, events, metadata);
    writeSync(1, `${stream} ${revision} ${position}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, appendForEver));
