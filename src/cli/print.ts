/** Standard output of the commands. */
import { fstatSync, writeFileSync } from 'node:fs';
import { messageOf } from '../core/concurrency/retry.js';

export function print(text: string): void {
  write(`${text}\n`);
}

/** Throws if standard output is a file that does not take all: Node writes to it once, and ignores how much was taken. */
export function write(text: string): void {
  if (!fstatSync(process.stdout.fd).isFile()) {
    process.stdout.write(text);
    return;
  }
  try {
    writeFileSync(process.stdout.fd, Buffer.from(text));
  } catch (error) {
    throw incomplete(error);
  }
}

export const incomplete = (error: unknown): Error =>
  new Error(`Standard output is incomplete: ${messageOf(error)}`, { cause: error });
