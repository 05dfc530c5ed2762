import { type AccessDeniedError, BACKWARDS, END } from '@eventstore/db-client';
import { Problem } from '../../core/problem.js';
import { storeClient } from './client.js';
import { type ConnectionString } from './connection-string.js';
import { isDenial, isUnauthenticated } from './failures.js';
import { streamReader } from './stream-reader.js';

const PROBE_MS = 2000;

/** For whoever has written the connection string: what to mend, and nothing of its secrets. */
export async function diagnoseConnection(
  error: unknown,
  lastError: unknown,
  connection: ConnectionString,
): Promise<unknown> {
  if (isDenial(error)) return new Error(`${denial(error, connection)}: ${said(error)}`);
  if (!(error instanceof Problem) || lastError === undefined) return error;
  const how = connection.isEncrypted ? 'over TLS' : 'without TLS, because of tls=false';
  const reason = isSearch(connection, lastError) ? await ofEach(connection) : said(lastError);
  return new Problem('unavailable', `EventStoreDB does not answer when it is asked ${how}: ${reason}`);
}

function denial(error: AccessDeniedError, { hasUser }: ConnectionString): string {
  if (isUnauthenticated(error)) return 'EventStoreDB does not accept the user name or the password';
  return hasUser
    ? 'EventStoreDB does not let this user read the log as a whole'
    : 'EventStoreDB wants a user name and a password';
}

/** Of a search for the leader the client tells no more than that it has failed, if it comes to an end at all. */
function isSearch({ hosts }: ConnectionString, error: unknown): boolean {
  return hosts.length > 1 || (error instanceof Error && error.message.startsWith('Failed to discover'));
}

async function ofEach({ hosts }: ConnectionString): Promise<string> {
  const findings = await Promise.all(hosts.map(async ({ host, alone }) => `${host}: ${await found(alone)}`));
  return [...new Set(findings)].join('; ');
}

async function found(connectionString: string): Promise<string> {
  const { client, close } = storeClient(connectionString, { onLost: nothing, onNotFound: nothing });
  const read = client.readAll({ fromPosition: END, direction: BACKWARDS, maxCount: 1 });
  const source = streamReader(read, new AbortController().signal);
  try {
    await source.next(PROBE_MS);
    return 'answers, but knows no member of the cluster that can be asked';
  } catch (error) {
    return said(error);
  } finally {
    source.stop();
    await close();
  }
}

const nothing = (): void => undefined;

function said(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s+/g, ' ').replace(/\.? Resolution note: ?$/, '');
}
