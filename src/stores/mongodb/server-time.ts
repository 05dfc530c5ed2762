import { MongoServerError, type Db } from 'mongodb';

/** How far the server's clock is ahead of this process's, in milliseconds: by that one, leases expire. */
export async function serverAhead(db: Db): Promise<number> {
  return (await serverTime(db)).getTime() - Date.now();
}

/** The clocks of the processes may differ: only the server's counts. */
export async function serverTime(db: Db): Promise<Date> {
  const { localTime } = await hello(db);
  if (!(localTime instanceof Date)) throw new Error('MongoDB returned no server time');
  return localTime;
}

const COMMAND_NOT_FOUND = 59;

/** By its older name, if the server rejects the newer one. */
async function hello(db: Db): Promise<{ readonly localTime?: unknown }> {
  try {
    return await db.admin().command({ hello: 1 });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== COMMAND_NOT_FOUND) throw error;
    return db.admin().command({ isMaster: 1 });
  }
}
