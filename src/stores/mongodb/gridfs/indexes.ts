import { type Context } from './leftovers.js';

/** Makes the indexes before the first write of a process. A process that only reads starts without any write. */
export function indexing({ files, named }: Pick<Context, 'files' | 'named'>): () => Promise<void> {
  let made: Promise<void> | undefined;
  const make = async (): Promise<void> => {
    await files.prepare();
    await named.createIndex({ file: 1 }, {}, {});
  };
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
