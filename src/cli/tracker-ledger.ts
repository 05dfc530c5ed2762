#!/usr/bin/env node
/** The one program: the service, and the commands that operate it. */
import { fail } from './fail.js';
import { program } from './program.js';

// A reader of standard output, such as head, may leave early. The command ends with the status of its work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await program().parseAsync();
} catch (error) {
  fail(error);
}
