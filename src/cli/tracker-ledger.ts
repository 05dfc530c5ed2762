#!/usr/bin/env node
/** The one program: the service, and the commands that operate it. */
import { CommanderError } from 'commander';
import { outliveTerminal } from '../config/terminal.js';
import { fail } from './fail.js';
import { incomplete } from './print.js';
import { program } from './program.js';

outliveTerminal();
// Only the user of a command may read the files that it makes.
process.umask(0o077);
// Node would open a debugger, to which every local user can connect.
process.on('SIGUSR1', () => undefined);

// A reader of standard output, such as head, may leave early. The command ends with the status of its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') fail(incomplete(error));
});

// What goes to standard error is for people. A service goes on without them.
process.stderr.on('error', () => undefined);

try {
  await program().parseAsync();
} catch (error) {
  // What there is to say was said, but may still be on its way.
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else fail(error);
}
