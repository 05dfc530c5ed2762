import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
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
    return isMissing(error) && parent !== directory ? whyNotWritable(parent) : messageOf(error);
  }
}

type Content = AsyncIterable<Uint8Array | string>;

/** Whole and on the disk under its name when it resolves; never there in part, also if several processes write it at once. */
export async function writeArchiveFile(directory: string, name: string, content: Content): Promise<void> {
  const made = await mkdir(directory, { recursive: true, mode: NEW_DIRECTORY });
  if (made !== undefined) await sync(dirname(made));
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

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
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
