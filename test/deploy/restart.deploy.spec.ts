/** deploy/restart.sh with a stand-in for docker, which tells what it was asked to do. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from './compose-files.js';

/** Each service has two containers. One that was restarted is healthy at the third look, `sick` never. */
const DOCKER = `#!/bin/sh
cd "$(dirname "$0")"
last=$(for one in "$@"; do :; done; echo "$one")
case $1 in
  compose) [ "$last" = gone ] || echo "$last-1 $last-2" | tr ' ' '\\n' ;;
  restart) echo "restart $last" >> asked; echo 0 > looks ;;
  inspect)
    looks=$(($(cat looks) + 1)); echo "$looks" > looks
    if [ "$looks" -ge 3 ] && [ "$last" != sick-1 ]; then echo "healthy $last" >> asked; echo healthy; else echo starting; fi ;;
esac
`;

describe('deploy/restart.sh', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'restart-'));
    writeFileSync(join(directory, 'docker'), DOCKER);
    writeFileSync(join(directory, 'sleep'), '#!/bin/sh\n');
    writeFileSync(join(directory, 'asked'), '');
    for (const program of ['docker', 'sleep']) chmodSync(join(directory, program), 0o755);
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const restart = (...services: readonly string[]) => {
    const env = { ...process.env, PATH: `${directory}:${process.env['PATH'] ?? ''}`, PATIENCE_S: '5' };
    const { status, stderr } = spawnSync('/bin/sh', [`${ROOT}deploy/restart.sh`, ...services], {
      env,
      encoding: 'utf8',
    });
    const asked = readFileSync(join(directory, 'asked'), 'utf8').split('\n').filter(Boolean);
    return { status, stderr, asked };
  };
  const inTurn = (...containers: readonly string[]) =>
    containers.flatMap((container) => [`restart ${container}`, `healthy ${container}`]);

  it('restarts one container after the other, each healthy before the next', () => {
    const { status, asked } = restart('api', 'projections');
    expect(asked).to.deep.equal(inTurn('api-1', 'api-2', 'projections-1', 'projections-2'));
    expect(status).to.equal(0);
  });

  it('leaves the others alone where one does not get healthy, and says so', () => {
    const { status, stderr, asked } = restart('sick', 'api');
    expect(asked).to.deep.equal(['restart sick-1']);
    expect(status).to.equal(1);
    expect(stderr).to.include('sick-1 of sick is not healthy after 5 s');
  });

  it('refuses a service without containers, and no service at all', () => {
    expect(restart('gone')).to.deep.equal({ status: 1, stderr: 'no container of gone runs\n', asked: [] });
    expect(restart()).to.include({ status: 2 });
  });
});
