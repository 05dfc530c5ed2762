import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { leaveOut } from '../left-out.js';
import { STAND_INS, startStandIn, whyNoStandIn, type StandIn, type StandInName } from './stand-ins.js';

export interface SpecServer {
  readonly name: string;
  /** For hooks and specs: only then does the server listen. Names no database: see `freshDatabase`. */
  readonly url: () => string;
}

/** Names a server to run the specs on too: a MongoDB, or what else one wants to know about. */
const SERVER = 'MONGODB_TEST_URL';

const started = new Map<StandInName, Promise<StandIn>>();

/** Registers specs for each stand-in that is found, and for the server that MONGODB_TEST_URL names. */
export function forEachMongoDb(title: string, register: (server: SpecServer) => void): void {
  for (const name of STAND_INS) onStandIn(name, title, register);
  const url = process.env[SERVER];
  if (url !== undefined) registerOn('the server of MONGODB_TEST_URL', title, () => Promise.resolve(url), register);
}

/** The same for one stand-in. */
export function onStandIn(name: StandInName, title: string, register: (server: SpecServer) => void): void {
  const missing = whyNoStandIn(name);
  if (missing === null) registerOn(name, title, async () => (await sharedStandIn(name)).url, register);
  else leaveOut(`${title} on ${name}`, missing);
}

function registerOn(
  name: string,
  title: string,
  urlOf: () => Promise<string>,
  register: (server: SpecServer) => void,
): void {
  describe(`${title} on ${name}`, () => {
    let url = '';
    before(async () => {
      url = await urlOf();
    });
    register({ name, url: () => url });
  });
}

/** One for all specs of this process: each keeps to its own database. */
export function sharedStandIn(name: StandInName): Promise<StandIn> {
  const running = started.get(name) ?? startStandIn(name);
  started.set(name, running);
  return running;
}

export interface FreshDatabase {
  /** Of the server, and of this database. */
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/** A database that nobody else knows; nothing is on the server before the first write. */
export function freshDatabase(serverUrl: string): FreshDatabase {
  const name = `test_${randomUUID()}`;
  const url = withDatabase(serverUrl, name);
  return {
    url,
    drop: async () => {
      const client = new MongoClient(url);
      await client.db(name).dropDatabase();
      await client.close();
    },
  };
}

const URL_PARTS = /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)\??(.*)$/;

function withDatabase(serverUrl: string, name: string): string {
  const [, server, database, options] = URL_PARTS.exec(serverUrl) ?? [];
  if (server === undefined) throw new Error(`${SERVER} is not the URL of a MongoDB`);
  // Who signs in does so in the database of the URL, where no other is named.
  const authSource = server.includes('@') ? `authSource=${database || 'admin'}&` : '';
  return `${server}/${name}?${options?.includes('authSource=') ? '' : authSource}${options ?? ''}`;
}
