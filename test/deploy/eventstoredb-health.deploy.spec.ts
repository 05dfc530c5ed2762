import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { authority } from '../support/eventstoredb/certificates.js';
import { needsProgram } from '../support/needs-program.js';
import { ROOT } from './compose-files.js';

needsProgram('curl', 'deploy/eventstoredb-health.sh', () => {
  describe('deploy/eventstoredb-health.sh', () => {
    let directory: string;
    let server: Server;
    let answer: { status: number; body: string };
    before(async () => {
      directory = mkdtempSync(join(tmpdir(), 'health-'));
      const own = await authority();
      const other = await authority('Another authority of specs');
      writeFileSync(join(directory, 'ca.crt'), own.certificate);
      writeFileSync(join(directory, 'other.crt'), other.certificate);
      const { certificate, key } = await own.issued('localhost');
      server = createServer({ cert: certificate, key }, ({ url }, response) => {
        response.writeHead(url === '/info' ? answer.status : 404).end(answer.body);
      });
      server.listen(0, 'localhost');
      await once(server, 'listening');
    });
    after(() => {
      server.close();
      rmSync(directory, { recursive: true });
    });

    /** As the server writes it; whether the script ends with 0. */
    const isHealthy = (state: string, { status = 200, ca = 'ca.crt' } = {}): Promise<boolean> => {
      answer = { status, body: JSON.stringify({ esVersion: '24.10.14', state, features: {} }, undefined, 2) };
      const env = {
        ...process.env,
        CA: join(directory, ca),
        NODE: `https://localhost:${(server.address() as AddressInfo).port}`,
      };
      return new Promise((resolve) => {
        execFile('/bin/sh', [`${ROOT}deploy/eventstoredb-health.sh`], { env }, (error) => {
          resolve(error === null);
        });
      });
    };

    it('takes a node for healthy that leads, or follows and has caught up', async () => {
      expect(await isHealthy('leader')).to.equal(true);
      expect(await isHealthy('follower')).to.equal(true);
    });

    for (const state of [
      'unknown',
      'initializing',
      'preleader',
      'prereplica',
      'catchingup',
      'clone',
      'readonlyleaderless',
    ])
      it(`does not take a node for healthy that only listens, or has not caught up: ${state}`, async () => {
        expect(await isHealthy(state)).to.equal(false);
      });

    it('reports a server that refuses, or has a foreign certificate, as unhealthy', async () => {
      expect(await isHealthy('leader', { status: 503 })).to.equal(false);
      expect(await isHealthy('leader', { ca: 'other.crt' })).to.equal(false);
    });
  });
});
