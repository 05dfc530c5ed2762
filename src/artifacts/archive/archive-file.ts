import { randomUUID } from 'node:crypto';
import { access, constants, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, messageOf } from '../../core/concurrency/retry.js';

const NEW_DIRECTORY = 0o700;
const NEW_FILE = 0o640;

/** Null if archives can be written there. A missing directory counts as the one in which it is made when it is needed. */
export async function whyNotWritable(directory: string): Promise<string | null> {
  try {
    if (!(await stat(directory)).isDirectory()) return `${directory} is not a directory`;
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const parent = dirname(directory);
    if (!isMissing(error) || parent === directory) return messageOf(error);
    return (await isThere(directory, lstat)) ? `${directory} is a link to nothing` : whyNotWritable(parent);
  }
}

type Content = AsyncIterable<Uint8Array | string>;

/** Whole and on the disk under its name when it resolves; never there in part, also if several processes write it at once. */
export async function writeArchiveFile(directory: string, name: string, content: Content): Promise<void> {
  await makeDirectory(directory);
  const draft = join(directory, `.${name}.${randomUUID()}.draft`);
  try {
    await writeDraft(draft, content);
    await place(draft, join(directory, name));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await removeDrafts(directory, name);
  await sync(directory);
}

/** Not by `recursive`: Node 20 answers ENOENT for a file system that is full or read-only, or does not answer at all. */
async function makeDirectory(path: string): Promise<void> {
  if (await isThere(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeDirectory(parent);
  await mkdir(path, { mode: NEW_DIRECTORY }).catch(async (error: unknown) => {
    // Another process has made it meanwhile.
    if (!(await isThere(path))) throw error;
  });
  await sync(parent);
}

async function writeDraft(path: string, content: Content): Promise<void> {
  const file = await open(path, 'wx', NEW_FILE);
  try {
    for await (const piece of content) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function place(draft: string, path: string): Promise<void> {
  try {
    await rename(draft, path);
  } catch (error) {
    // Another process was first, and has removed what looked like a leftover.
    if (!isMissing(error) || !(await isThere(path))) throw error;
  }
}

/** What crashes have left of earlier tries. */
async function removeDrafts(directory: string, name: string): Promise<void> {
  const drafts = (await readdir(directory)).filter((each) => each.startsWith(`.${name}.`) && each.endsWith('draft'));
  for (const each of drafts) await rm(join(directory, each), { force: true });
}

function isThere(path: string, look: (path: string) => Promise<unknown> = stat): Promise<boolean> {
  return look(path).then(
    () => true,
    () => false,
  );
}

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

/** So that the names in it outlive a power cut. */
async function sync(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
