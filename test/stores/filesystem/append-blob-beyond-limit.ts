/** Puts more bytes than the process may write into one file, then a few; prints what came of it. A process of its own. */
import { writeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../../src/core/problem.js';
import { directoryBlobStore } from '../../../src/stores/filesystem/blob-store.js';
import { chunksOf } from '../contracts/blob-store.contract.js';
import { rejection } from '../contracts/event-log-fixture.js';

const directory = process.argv[2] ?? '';
const blobs = await directoryBlobStore(directory, () => new Date());
const large = Array.from({ length: 8 }, () => 'x'.repeat(1024 * 1024));
const error = await rejection(blobs.put(chunksOf(...large)));
const small = await blobs.put(chunksOf('small'));
const answer = {
  kind: error instanceof Problem ? error.kind : String(error),
  left: await readdir(join(directory, 'incoming')),
  small: await blobs.exists(small.digest),
};
writeSync(1, JSON.stringify(answer));
