import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const NEW_DIRECTORY = 0o700;
const NEW_FILE = 0o640;

type Content = string | AsyncIterable<Uint8Array>;

/** Whole and on the disk under its name when it resolves; never there in part. One at a time for one name. */
export async function writeArchiveFile(directory: string, name: string, content: Content): Promise<void> {
  const made = await mkdir(directory, { recursive: true, mode: NEW_DIRECTORY });
  if (made !== undefined) await sync(dirname(made));
  const draft = join(directory, `.${name}.draft`);
  try {
    await writeDraft(draft, content);
    await rename(draft, join(directory, name));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await sync(directory);
}

async function writeDraft(path: string, content: Content): Promise<void> {
  const file = await open(path, 'w', NEW_FILE);
  try {
    for await (const piece of typeof content === 'string' ? [content] : content) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** So that the names in it outlive a power cut. */
async function sync(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
