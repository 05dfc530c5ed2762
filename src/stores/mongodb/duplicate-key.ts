import { MongoBulkWriteError, MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11_000;

/**
 * False when a document with the same key is there already. Of several, what became of the others then depends on the
 * server.
 */
export async function inserted(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    return false;
  }
}

/** A bulk may have failed for something else, too. */
function isDuplicate(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
  const errors = [error.writeErrors].flat();
  const hasOther =
    error.result.getWriteConcernError() !== undefined || errors.some(({ code }) => code !== DUPLICATE_KEY);
  return errors.length > 0 && !hasOther;
}
