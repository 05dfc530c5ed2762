/** Appends until the disk fails, from the first append on, and prints what came of it. Run as a process of its own. */
import { writeFileSync, writeSync } from 'node:fs';
import { Problem } from '../../../../src/core/problem.js';
import { sqliteEventLog } from '../../../../src/stores/sqlite/event-log/event-log.js';
import { metadata, noted, rejection } from '../../contracts/event-log-fixture.js';

/** Far more than is appended between two checkpoints. */
const MOST = 400;

const failures: string[] = [];
const log = await sqliteEventLog(process.argv[2] ?? '', ({ message }) => failures.push(message));
const text = 'x'.repeat(200_000);
let answered = -1;
let refused: unknown;
while (refused === undefined && answered < MOST) {
  refused = await rejection(log.append('note-1', answered, [noted({ text })], metadata));
  if (refused === undefined) answered += 1;
  writeFileSync(process.env['FAILS_WHILE'] ?? '', '');
}
await log.close();
const { kind = null, message = '' } = refused instanceof Problem ? refused : {};
writeSync(1, JSON.stringify({ answered, kind, message, failures }));
