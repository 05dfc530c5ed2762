import { expect } from 'chai';
import fc from 'fast-check';
import { EventStoreDBClient } from '@eventstore/db-client';
import { storeClient } from '../../../src/stores/eventstoredb/connection.js';
import { connectionStringFrom } from '../../../src/stores/eventstoredb/connection-string.js';
import { USER, way } from '../../support/eventstoredb/secured.js';

const SECRET = 's3cret';

/** What is said of a string that is wrong. */
function refusal(text: string): string {
  try {
    storeClient(connectionStringFrom(text).whole, { onLost: () => undefined, onNotFound: () => undefined });
  } catch (error) {
    expect(String(error)).to.match(/^Error: Connection string of EventStoreDB: \S/);
    expect(String(error)).not.to.contain(SECRET);
    return (error as Error).message;
  }
  throw new Error(`${text} was taken`);
}

/** What is written to the console meanwhile. */
function warnings(work: () => void): string {
  const original = console.warn;
  let told = '';
  console.warn = (...words: unknown[]) => (told += words.map(String).join(' '));
  try {
    work();
  } finally {
    console.warn = original;
  }
  return told;
}

describe('a connection string of EventStoreDB', () => {
  it('is taken as it is: one host, several, or a name to find them by', () => {
    for (const text of [
      'esdb://127.0.0.1:2113?tls=false',
      'esdb://log.example.org',
      `esdb://${encodeURIComponent(USER.name)}:${encodeURIComponent(USER.password)}@one:2113,two:2113,three?tls=true`,
      'esdb+discover://admin:f00@cluster.example.org:2113?nodePreference=leader&maxDiscoverAttempts=3',
      'esdb://admin:f00@one:2113?TLS=true&gossip_timeout=3&connectionName=a=b',
    ]) {
      expect(connectionStringFrom(`${text}\n`).hosts.length, text).to.be.within(1, 3);
    }
    expect(connectionStringFrom('esdb://admin:f00@one:2113/?tls=true').whole).to.equal(
      'esdb://admin:f00@one:2113?tls=true',
    );
  });

  it('tells its hosts apart, each with what is needed to ask it alone', () => {
    const { hosts } = connectionStringFrom('esdb+discover://admin:f00@one:2113,two?tls=true&gossipTimeout=3');
    expect(hosts).to.deep.equal([
      { host: 'one:2113', alone: 'esdb://admin:f00@one:2113?tls=true&gossipTimeout=3' },
      { host: 'two', alone: 'esdb://admin:f00@two?tls=true&gossipTimeout=3' },
    ]);
  });

  it('is encrypted unless it says that it is not', () => {
    const encrypted = ['esdb://one', 'esdb://one?tls=true', 'esdb://one?tls=false', 'esdb://one?TLS=false'];
    expect(encrypted.map((text) => connectionStringFrom(text).isEncrypted)).to.deep.equal([true, true, false, false]);
  });

  it('may have any user name and password, percent-encoded', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, text, (name, password) => {
        const { whole, hasUser } = connectionStringFrom(way({ hosts: 'one:2113', user: { name, password } }));
        expect(hasUser).to.equal(true);
        // The client takes it, too.
        expect(EventStoreDBClient.connectionString(whole)).to.be.instanceOf(EventStoreDBClient);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused where the client would take a part of the password for all of it, or for a host', () => {
    for (const credentials of [`admin:${SECRET}:x`, `admin:%${SECRET}`, `admin:${SECRET}@x`, `:${SECRET}`, SECRET]) {
      expect(refusal(`esdb://${credentials}@127.0.0.1:2113?tls=true`)).to.match(/%25|%40/);
    }
    for (const text of [
      `esdb://admin:${SECRET}`,
      `esdb://admin:${SECRET}@`,
      `http://admin:${SECRET}@one`,
      SECRET,
      '',
    ]) {
      refusal(text);
    }
  });

  it('is refused with the name of an option that the client does not know or take', () => {
    const to = (options: string) => refusal(`esdb://admin:${SECRET}@one:2113?${options}`);
    expect(to('tls=true&tlsCaFle=/ca.crt')).to.contain('no option tlsCaFle, but').and.to.contain('tlsCAFile');
    expect(to(`tls=true&${SECRET}=1`)).to.contain('no option of that name, but');
    expect(to('tls=perhaps')).to.contain('true or false');
    expect(to('tls')).to.contain('the option tls has to be tls=value');
    expect(to('tlsCAFile=%')).to.contain('tlsCAFile').and.to.contain('%25');
    expect(to('tlsCAFile=/not/there.crt')).to.contain('tlsCAFile names a file that cannot be found: /not/there.crt');
    expect(to('tlsVerifyCert=false')).to.contain('tlsVerifyCert=false is not supported').and.to.contain('tlsCAFile');
  });

  it('is not printed', () => {
    const told = warnings(() => {
      for (const options of ['tlsCaFle=/ca.crt', 'tlsVerifyCert=false', 'tls=perhaps']) {
        refusal(`esdb://admin:${SECRET}@one:2113?${options}`);
      }
    });
    expect(told).to.equal('');
    const byClient = warnings(() => EventStoreDBClient.connectionString(`esdb://admin:${SECRET}@one?tlsCaFle=1`));
    expect(byClient, 'the client prints it no longer: this check is needed no longer').to.contain(SECRET);
  });
});
