// A protocol double of EventStoreDB that asks for TLS and a user, and the strings that lead to it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../temporary-directory.js';
import { authority, type Authority } from './certificates.js';
import { type User } from './double-access.js';
import { type Double, eventStoreDouble } from './double.js';

/** All that means something in a connection string is in the password. */
export const USER: User = { name: 'ledger', password: 'p@ss:w/o%r?d&=#é +' };

export interface Secrets {
  readonly authority: Authority;
  /** A file with the authority's certificate, and one with that of another authority. */
  readonly trusted: string;
  readonly foreign: string;
  readonly remove: () => Promise<void>;
}

export async function secrets(): Promise<Secrets> {
  const directory = await temporaryDirectory();
  const [own, other] = await Promise.all([authority(), authority('Another authority of specs')]);
  const [trusted, foreign] = [join(directory.path, 'own & trusted.crt'), join(directory.path, 'foreign.crt')];
  await Promise.all([writeFile(trusted, own.certificate), writeFile(foreign, other.certificate)]);
  return { authority: own, trusted, foreign, remove: directory.remove };
}

export interface Way {
  readonly hosts: string;
  readonly user?: User | null;
  readonly tls?: boolean;
  /** Null: only those authorities that every client trusts. */
  readonly caFile?: string | null;
}

/** As an operator has to write it. */
export function way({ hosts, user = USER, tls = true, caFile = null }: Way): string {
  const who = user === null ? '' : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`;
  const whom = caFile === null ? '' : `&tlsCAFile=${encodeURIComponent(caFile)}`;
  return `esdb://${who}${hosts}?tls=${tls}${whom}`;
}

export interface SecuredDouble {
  readonly double: Double;
  readonly connectionString: string;
}

export async function securedDouble(
  { authority: own, trusted }: Secrets,
  ...hosts: readonly string[]
): Promise<SecuredDouble> {
  const names = hosts.length === 0 ? ['127.0.0.1'] : hosts;
  const double = await eventStoreDouble({ certificate: await own.issued(...names), user: USER });
  return { double, connectionString: way({ hosts: `127.0.0.1:${double.port}`, caFile: trusted }) };
}
