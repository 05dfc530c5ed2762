/** Appends more than the process may write into one file, and prints what came of it. Run as a process of its own. */
import { writeSync } from 'node:fs';
import { NO_STREAM } from '../../../../src/core/event-log.js';
import { Problem } from '../../../../src/core/problem.js';
import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { metadata, noted, rejection } from '../../contracts/event-log-fixture.js';

const log = await sqliteEventLog(process.argv[2] ?? '');
const text = 'x'.repeat(1024 * 1024);
const large = Array.from({ length: 8 }, () => noted({ text }));

await log.append('note-1', NO_STREAM, [noted()], metadata);
const beyond = rejection(log.append('note-1', 0, large, metadata));
const beside = rejection(log.append('note-2', NO_STREAM, large, metadata));
const refused = [await beyond, await beside].filter((error) => error instanceof Problem);
const after = await log.append('note-1', 0, [noted()], metadata);
await log.append('note-3', NO_STREAM, [noted()], metadata);
const revisions: number[] = [];
for (const stream of ['note-1', 'note-2', 'note-3'] as const) revisions.push((await log.read(stream)).revision);
await log.close();
writeSync(
  1,
  JSON.stringify({
    refused: refused.map(({ kind, retryAfter }) => [kind, retryAfter]),
    messages: refused.map(({ message }) => message),
    position: after.position,
    revisions,
  }),
);
