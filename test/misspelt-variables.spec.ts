import { expect } from 'chai';
import { readConfig } from '../src/config.js';

describe('misspelt environment variables', () => {
  const namedFor = (env: Readonly<Record<string, string>>): readonly string[] =>
    readConfig(env).misspelt.map(({ name, resembles }) => `${name} ${resembles}`);

  for (const [name, resembles] of [
    ['DATADIR', 'DATA_DIR'],
    ['data_dir', 'DATA_DIR'],
    ['DAT_DIR', 'DATA_DIR'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PUBLICURL', 'PUBLIC_URL'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['Port', 'PORT'],
    ['MONGO_URL', 'MONGODB_URL'],
    ['EVENTSTORE_DB_URL', 'EVENTSTOREDB_URL'],
    ['JWT_SECRETS', 'JWT_SECRET'],
    ['JWTSECRET_FILE', 'JWT_SECRET_FILE'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['PLATFORMFILE', 'PLATFORM_FILE'],
    ['INVALID_CREDENTIAL_STATUS', 'INVALID_CREDENTIALS_STATUS'],
    ['FILE_DIR', 'FILES_DIR'],
  ] as const) {
    it(`are told by what they resemble: ${name} for ${resembles}`, () => {
      expect(namedFor({ [name]: 'x' })).to.deep.equal([`${name} ${resembles}`]);
    });
  }

  it('are not those of other programs', () => {
    const names =
      'HOME HOSTNAME HOSTTYPE PATH PWD LOGNAME SHELL TERM LANG USER SORT REPORT ROLES NODE_OPTIONS NODE_PATH NODE_VERSION ' +
      'NODE_EXTRA_CA_CERTS DATABASE_URL PUBLIC_KEY LOG_FILE PIDFILE NVM_DIR XDG_DATA_DIRS npm_config_cache INIT_CWD JAVA_HOME';
    const env = Object.fromEntries(names.split(' ').map((name) => [name, 'x']));
    expect(namedFor(env)).to.deep.equal([]);
  });

  it('are not those beside the variable that they resemble', () => {
    expect(namedFor({ MONGO_URL: 'x', LOGLEVEL: 'debug', LOG_LEVEL: 'silent' })).to.deep.equal([
      'MONGO_URL MONGODB_URL',
    ]);
  });
});
