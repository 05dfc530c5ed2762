import { existsSync } from 'node:fs';
import { EventStoreDBClient } from '@eventstore/db-client';
import { messageOf } from '../../core/concurrency/retry.js';

/** Checked: none of its parts is one that the client would drop, cut short or tell to every reader. */
export interface ConnectionString {
  readonly whole: string;
  /** One for each host that is named: what leads to that host alone. */
  readonly hosts: readonly { readonly host: string; readonly alone: string }[];
  /** The same hosts, each with its port. */
  readonly addresses: readonly string[];
  /** What leads to these hosts and no others; null for none, and for what is no host. */
  readonly leadingTo: (hosts: readonly string[]) => string | null;
  readonly hasUser: boolean;
  readonly isEncrypted: boolean;
}

/** Those of client 6.2.1, which takes them in any case, and with hyphens or underscores. */
const OPTIONS = [
  'connectionName',
  'defaultDeadline',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
  'maxDiscoverAttempts',
  'nodePreference',
  'throwOnAppendFailure',
  'tls',
  'tlsCAFile',
  'tlsVerifyCert',
  'userCertFile',
  'userKeyFile',
];
/** What the client tells of a refusal where it does not throw may be a wrong revision: it always throws. */
const OVERRULED = 'throwOnAppendFailure';
const FILES = ['tlsCAFile', 'userCertFile', 'userKeyFile'];

const DEFAULT_PORT = 2113;
/** In seconds. The client's own 5 are longer than a call may take; a member that hangs would use them up. */
const GOSSIP_TIMEOUT = 'gossipTimeout=2';

const PARTS = /^(esdb(?:\+discover)?):\/\/(?:([^@]*)@)?([^@?]+)(?:\?([^@]*))?$/s;
const HOST = /^[^\s:/,]+(?::\d{1,5})?$/;

/**
 * Throws an error that tells what is wrong, and nothing that could be a secret. The client prints the whole string
 * when it meets an option that it does not know, quotes from it, and takes a part of a password for all of it.
 */
export function connectionStringFrom(text: string): ConnectionString {
  const [, scheme, credentials, hostList, query] = PARTS.exec(text.trim()) ?? [];
  if (scheme === undefined || hostList === undefined) {
    throw wrong('it has to be esdb://user:password@host:port?options, with every other "@" written as %40');
  }
  if (credentials !== undefined) checkCredentials(credentials);
  const names = hostList.replace(/\/+$/, '').split(',');
  if (!names.every((name) => HOST.test(name))) {
    throw wrong('it has to name host:port, several of them with commas');
  }
  const options = optionsIn(query ?? '');
  const passed = options.filter(({ key }) => key !== OVERRULED);
  const given = passed.map(({ key, value }) => `${key}=${value}`).join('&');
  const to = (by: string, hosts: string) =>
    `${by}://${credentials === undefined ? '' : `${credentials}@`}${hosts}${given === '' ? '' : `?${given}`}`;
  return {
    whole: to(scheme, names.join(',')),
    hosts: names.map((host) => ({ host, alone: to('esdb', host) })),
    addresses: names.map((host) => (host.includes(':') ? host : `${host}:${DEFAULT_PORT}`)),
    leadingTo: (hosts) =>
      hosts.length > 0 && hosts.every((host) => HOST.test(host)) ? to('esdb', hosts.join(',')) : null,
    hasUser: credentials !== undefined,
    isEncrypted: !options.some(({ key, value }) => key === 'tls' && value === 'false'),
  };
}

/** Of a string that was checked, so that what the client quotes from it is an option. */
export function clientFor(text: string): EventStoreDBClient {
  const isTimed = text.includes('gossipTimeout=');
  let reason: string;
  try {
    return EventStoreDBClient.connectionString(
      isTimed ? text : `${text}${text.includes('?') ? '&' : '?'}${GOSSIP_TIMEOUT}`,
    );
  } catch (error) {
    reason = messageOf(error);
  }
  throw wrong(reason);
}

function checkCredentials(credentials: string): void {
  const parts = credentials.split(':');
  if (parts.length !== 2 || parts.includes('') || decoded(credentials) === undefined) {
    throw wrong('before "@" stand user:password, with ":" in either of them written as %3A and "%" as %25');
  }
}

interface Option {
  readonly key: string;
  readonly value: string;
}

function optionsIn(query: string): readonly Option[] {
  return query
    .split(/[&?]/)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [given = '', ...rest] = pair.split('=');
      const value = rest.join('=').trim();
      const key = OPTIONS.find((option) => flat(option) === flat(given));
      if (key === undefined) throw wrong(`the client knows no option ${named(given)}, but ${OPTIONS.join(', ')}`);
      if (value === '') throw wrong(`the option ${key} has to be ${key}=value`);
      checkValue({ key, value });
      return { key, value };
    });
}

function checkValue({ key, value }: Option): void {
  const text = decoded(value);
  if (text === undefined) throw wrong(`in the value of ${key}, "%" has to be written as %25`);
  if (FILES.includes(key) && !existsSync(text)) throw wrong(`${key} names a file that cannot be found: ${text}`);
  if (key === 'tlsVerifyCert' && value === 'false') {
    throw wrong('tlsVerifyCert=false is not supported: name the authority of the certificate by tlsCAFile');
  }
}

/** What is no name may be anything, a secret too. */
function named(key: string): string {
  return /^[a-z_-]{1,40}$/i.test(key) ? key : 'of that name';
}

function flat(name: string): string {
  return name.trim().toLowerCase().replaceAll(/[_-]/g, '');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function wrong(what: string): Error {
  return new Error(`Connection string of EventStoreDB: ${what}`);
}
