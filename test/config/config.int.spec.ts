import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError, readConfig } from '../../src/config/config.js';
import { systemClock } from '../../src/config/system-clock.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const [LONG, LONGER] = ['a'.repeat(32), 'b'.repeat(40)];

describe('configuration', () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(() => directory.remove());

  const faults = (env: Record<string, string>): string => {
    try {
      readConfig(env);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
      throw error;
    }
    throw new Error('was not refused');
  };

  it('needs nothing', () => {
    expect(readConfig({})).to.deep.equal({
      port: 8080,
      host: '127.0.0.1',
      dataDir: './data',
      servers: undefined,
      role: 'all',
      workers: 0,
      drainMs: 0,
      archiveDir: 'data/archive',
      platformFile: undefined,
      jwtSecrets: [],
      publicUrl: undefined,
      trustedProxies: [],
      invalidCredentialsStatus: 500,
      logLevel: 'info',
      nodeEnv: 'development',
      testClockOffsetFile: undefined,
      misspelt: [],
    });
  });

  it('takes what is given, and an empty variable for none', () => {
    const config = readConfig({
      PORT: '0',
      HOST: '0.0.0.0',
      DATA_DIR: '/data',
      ARCHIVE_DIR: '/archive',
      PLATFORM_FILE: 'platform.yaml',
      WORKERS: '32',
      DRAIN_SECONDS: '60',
      JWT_SECRET: `${LONG},${LONGER}`,
      JWT_SECRET_FILE: '',
      PUBLIC_URL: 'https://ledger.example.org/',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      INVALID_CREDENTIALS_STATUS: '401',
      LOG_LEVEL: 'silent',
      NODE_ENV: 'test',
      TEST_CLOCK_OFFSET_FILE: 'offset',
    });
    expect(config).to.deep.equal({
      port: 0,
      host: '0.0.0.0',
      dataDir: '/data',
      servers: undefined,
      role: 'all',
      workers: 32,
      drainMs: 60_000,
      archiveDir: '/archive',
      platformFile: 'platform.yaml',
      jwtSecrets: [LONG, LONGER],
      publicUrl: 'https://ledger.example.org',
      trustedProxies: ['10.0.0.0/8', '::1'],
      invalidCredentialsStatus: 401,
      logLevel: 'silent',
      nodeEnv: 'test',
      testClockOffsetFile: 'offset',
      misspelt: [],
    });
    expect(Object.isFrozen(config)).to.equal(true);
  });

  it('names everything that is wrong at once', () => {
    const message = faults({
      PORT: '65536',
      JWT_SECRET: 'short',
      PUBLIC_URL: 'ledger',
      TRUSTED_PROXIES: 'proxy,::1',
      INVALID_CREDENTIALS_STATUS: '403',
      LOG_LEVEL: 'loud',
      TEST_CLOCK_OFFSET_FILE: 'offset',
    });
    const names = [
      'PORT',
      'JWT_SECRET',
      'PUBLIC_URL',
      'TRUSTED_PROXIES',
      'INVALID_CREDENTIALS_STATUS',
      'LOG_LEVEL',
      'TEST_CLOCK_OFFSET_FILE',
    ];
    for (const name of names) expect(message).to.include(`- ${name}`);
    expect(message.split('\n')).to.have.length(1 + names.length);
    expect(message).not.to.include('short');
  });

  it('refuses ports and addresses that look like some', () => {
    for (const WORKERS of ['-1', '33', '1.5', 'two']) {
      expect(faults({ WORKERS })).to.include('WORKERS must be a number from 0 to 32');
    }
    expect(faults({ DRAIN_SECONDS: '61' })).to.include('DRAIN_SECONDS must be a number from 0 to 60');
    for (const PORT of ['-1', '8080.5', '0x50', 'http']) expect(faults({ PORT })).to.include('PORT');
    for (const PUBLIC_URL of ['ftp://a', 'https://a/path', 'https://a/?q']) {
      expect(faults({ PUBLIC_URL })).to.include('PUBLIC_URL');
    }
  });

  it('refuses directories in quotes', () => {
    for (const quoted of [`"/srv/ledger"`, `'/srv/ledger'`]) {
      expect(faults({ DATA_DIR: quoted })).to.include('DATA_DIR has quotes around it; leave them out');
      expect(faults({ ARCHIVE_DIR: quoted })).to.include('ARCHIVE_DIR has quotes around it; leave them out');
    }
    expect(readConfig({ DATA_DIR: `/srv/"ledger"` }).dataDir).to.equal(`/srv/"ledger"`);
  });

  it('reads secrets from a file, one a line', async () => {
    const file = join(directory.path, 'secrets');
    await writeFile(file, `${LONG}\r\n\n${LONGER}\n`);
    expect(readConfig({ JWT_SECRET_FILE: file }).jwtSecrets).to.deep.equal([LONG, LONGER]);
    expect(faults({ JWT_SECRET_FILE: file, JWT_SECRET: LONG })).to.include('JWT_SECRET_FILE');
    await writeFile(file, '\n');
    expect(faults({ JWT_SECRET_FILE: file })).to.include('holds no secret');
    for (const damaged of [Buffer.alloc(48), Buffer.alloc(48, 0xfe)]) {
      await writeFile(file, damaged);
      expect(faults({ JWT_SECRET_FILE: file })).to.include('JWT_SECRET_FILE holds zeros or bytes that are no text');
    }
    expect(faults({ JWT_SECRET_FILE: join(directory.path, 'none') })).to.include('cannot be read');
  });

  it('lets a test move the clock while the service runs', async () => {
    const file = join(directory.path, 'offset');
    const clock = systemClock({ testClockOffsetFile: file });
    const isAheadBy = (ms: number): boolean => Math.abs(clock().getTime() - Date.now() - ms) < 1000;
    expect(isAheadBy(0)).to.equal(true);
    await writeFile(file, '86400\n');
    expect(isAheadBy(86_400_000)).to.equal(true);
    await writeFile(file, '-5');
    expect(isAheadBy(-5000)).to.equal(true);
    expect(Math.abs(systemClock({ testClockOffsetFile: undefined })().getTime() - Date.now())).to.be.below(1000);
  });
});
