import { expect } from 'chai';
import { freshDatabase } from './for-each-mongodb.js';
import { gateTo } from './gate.js';
import { withOptions } from './options.js';

/** As MONGODB_TEST_URL may be: with and without a database, options and a user. */
const SERVERS = [
  'mongodb://127.0.0.1:27017',
  'mongodb://127.0.0.1:27017/',
  'mongodb://127.0.0.1:27017/admin',
  'mongodb://127.0.0.1:27017/?appName=specs&retryWrites=false',
  'mongodb://127.0.0.1:27017?appName=specs',
  'mongodb://user:p%40ss@127.0.0.1:27017',
  'mongodb://user:p%40ss@127.0.0.1:27017/own?appName=specs',
  'mongodb://user:p%40ss@127.0.0.1:27017/?authSource=own&appName=specs',
];

describe('the URL of a MongoDB', () => {
  const optionsOf = (url: string): Readonly<Record<string, string>> =>
    Object.fromEntries([...new URL(url).searchParams].map(([name, value]) => [name, value]));

  for (const server of SERVERS) {
    it(`takes further options beside those that it has: ${server}`, async () => {
      const { url } = freshDatabase(server);
      const given = optionsOf(url);
      expect(given).to.include(optionsOf(server));
      const more = withOptions(url, 'maxPoolSize=1&directConnection=true');
      expect(optionsOf(more)).to.deep.equal({ ...given, maxPoolSize: '1', directConnection: 'true' });
      expect(new URL(more).pathname).to.equal(new URL(url).pathname);
      expect(new URL(more).password).to.equal(new URL(server).password);

      const gate = await gateTo(url);
      expect(optionsOf(gate.url)).to.deep.equal({ ...given, directConnection: 'true' });
      expect(optionsOf(withOptions(gate.url, 'maxPoolSize=1'))).to.include({ ...given, maxPoolSize: '1' });
      await gate.shut();
    });
  }

  it('has an option once, as it was given last', () => {
    const url = withOptions('mongodb://127.0.0.1/db?maxPoolSize=9', 'maxPoolSize=1');
    expect(new URL(url).searchParams.getAll('maxPoolSize')).to.deep.equal(['1']);
  });
});
