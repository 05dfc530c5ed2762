import { expect } from 'chai';
import { readConfig } from '../../src/config/config.js';
import { misspeltVariables, resemblesProduction } from '../../src/config/misspelt-variables.js';

describe('misspelt environment variables', () => {
  const namedFor = (env: Readonly<Record<string, string>>): readonly string[] =>
    readConfig(env).misspelt.map(({ name, resembles }) => `${name} ${resembles}`);

  for (const [name, resembles] of [
    ['DATADIR', 'DATA_DIR'],
    ['data_dir', 'DATA_DIR'],
    ['DAT_DIR', 'DATA_DIR'],
    ['DATA_DIRECTORY', 'DATA_DIR'],
    ['JWT_SECRET_KEY', 'JWT_SECRET'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['PUBLICURL', 'PUBLIC_URL'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['Port', 'PORT'],
    ['PORT_', 'PORT'],
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
    expect(namedFor({ MONGO_URL: 'x', MONGODB_URL: '', LOGLEVEL: 'debug', LOG_LEVEL: 'silent' })).to.deep.equal([
      'MONGO_URL MONGODB_URL',
    ]);
  });

  it('are none that are known themselves', () => {
    expect(misspeltVariables({ LOG_LEVELS: 'x' }, new Set(['LOG_LEVEL', 'LOG_LEVELS']))).to.deep.equal([]);
  });

  it('resemble no word of six letters', () => {
    expect(misspeltVariables({ LOGDIT: 'x' }, new Set(['LOG_DIR']))).to.deep.equal([]);
    expect(misspeltVariables({ LOGDIRT: 'x' }, new Set(['LOG_DIRS']))).to.deep.equal([
      { name: 'LOGDIRT', resembles: 'LOG_DIRS' },
    ]);
  });

  it('are not those beside a variable that is given by its file', () => {
    expect(namedFor({ EVENTSTOREDB_PORT: 'x' })).to.deep.equal(['EVENTSTOREDB_PORT EVENTSTOREDB_URL']);
    const known = new Set(['JWT_SECRET', 'JWT_SECRET_FILE']);
    expect(misspeltVariables({ JWTSECRET: 'x', JWT_SECRET_FILE: '/secret' }, known)).to.deep.equal([]);
    expect(misspeltVariables({ JWT_SECRETS_FILE: 'x', JWT_SECRET: 'y' }, known)).to.deep.equal([]);
  });

  it('are named beside the faults that they may have caused', () => {
    const given = {
      EVENTSTOREDB_URL: 'esdb://127.0.0.1:2113',
      MONGO_URL: 'mongodb://127.0.0.1',
      JWT_SECRET: 'x'.repeat(32),
    };
    expect(() => readConfig(given)).to.throw(
      /MONGODB_URL must both be set[^]*Unknown environment variable MONGO_URL; did you mean MONGODB_URL/,
    );
  });
});

describe('a NODE_ENV that resembles production', () => {
  for (const given of ['prod', 'PROD', 'Production', 'productoin', 'prodution', 'production-eu']) {
    it(`is ${given}`, () => {
      expect(resemblesProduction(given)).to.equal(true);
    });
  }
  for (const given of ['production', 'development', 'test', 'staging', 'p', '']) {
    it(`is not ${given || 'empty'}`, () => {
      expect(resemblesProduction(given)).to.equal(false);
    });
  }
});
