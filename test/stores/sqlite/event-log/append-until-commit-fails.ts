/** Appends until the file system takes no more in the midst of a commit, and prints what came of it. Run as a process of its own. */
import { writeSync } from 'node:fs';
import { Problem } from '../../../../src/core/problem.js';
import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { metadata, noted, rejection } from '../../contracts/event-log-fixture.js';

const failures: string[] = [];
const log = await sqliteEventLog(process.argv[2] ?? '', ({ message }) => failures.push(message));
const text = 'x'.repeat(50_000);
let answered = -1;
let refused: unknown;
while (refused === undefined) {
  refused = await rejection(log.append('note-1', answered, [noted({ text })], metadata));
  if (refused === undefined) answered += 1;
}
await log.close();
const kind = refused instanceof Problem ? refused.kind : null;
writeSync(1, JSON.stringify({ answered, kind, failures, message: refused instanceof Error ? refused.message : '' }));
