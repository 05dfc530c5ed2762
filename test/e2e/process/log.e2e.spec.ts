import { connect } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { killAll, startService, type ServiceProcess } from '../../support/process.js';
import { checkRaw } from '../../support/raw-answers.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.js';

const PASSWORD = "alice's password";

describe('a service that people press hard', () => {
  let directory: TemporaryDirectory;
  let service: ServiceProcess;
  before(async () => {
    directory = await temporaryDirectory();
    service = await startService(directory.path, { LOG_LEVEL: 'trace' });
  });
  after(async () => {
    await killAll();
    await directory.remove();
  });

  const raw = async (text: string | Buffer, half = false): Promise<string> => {
    const socket = connect(service.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.write(text);
    if (half) {
      await once(socket, 'connect');
      socket.destroy();
    }
    await once(socket, 'close');
    if (!half) await checkRaw(service.url, answer);
    return answer;
  };

  it('logs every request with its id, and no password or token', async () => {
    const { 'X-Auth-Token': token = '', 'X-Auth-UserId': userId = '' } = await service.signIn('alice');
    const basic = Buffer.from(`alice:${PASSWORD}`).toString('base64');
    const secrets = [PASSWORD, 'not my password', token, token.split('.')[2]!, basic];
    const own = { 'X-Auth-Token': token, 'X-Auth-UserId': userId };

    await service.post('/tokens', { body: { username: 'alice', password: 'not my password' } });
    await service.post('/tokens', { body: `{"username":"alice","password":"${PASSWORD}"` });
    await service.post('/tokens', { body: { username: 'alice', password: [PASSWORD] } });
    await service.post('/tokens', { body: { username: PASSWORD, password: PASSWORD } });
    await service.get('/users/self', { headers: { Authorization: `Basic ${basic}` } });
    await service.get('/users/self', { headers: { Authorization: `Bearer ${token}` } });
    await service.get('/users/self', { headers: { 'X-Auth-Token': token, 'X-Auth-UserId': '7' } });
    await service.get(`/users/self?token=${token}&password=${encodeURIComponent(PASSWORD)}`, { headers: own });
    await service.get(`/tokens/${token}`, { headers: own });
    await service.get('/users/self', { headers: { ...own, 'X-Request-Id': 'traced-7' } });
    await raw(`GET /api/users/self HTTP/1.1\r\nX-Auth-Token: ${token}\r\nbad header ${PASSWORD}\r\n\r\n`);
    expect((await service.request('DELETE', `/tokens/${token}x`, { headers: own })).status).to.equal(400);
    expect((await service.request('DELETE', `/v1/tokens/${token}`, { headers: own })).status).to.equal(200);
    expect((await service.get('/users/self', { headers: own })).status).not.to.equal(200);

    await service.get('/projects', { headers: { 'X-Request-Id': 'the-last' } });
    await service.says(/"the-last"/);
    const requests = service.lines().filter(({ msg }) => msg === 'request');
    expect(requests).to.have.length.above(10);
    for (const { requestId } of requests) expect(requestId).to.be.a('string');
    expect(requests.map(({ requestId }) => requestId)).to.include('traced-7');
    for (const secret of secrets) expect(service.stdout() + service.stderr()).not.to.contain(secret);
  });

  it('warns of sign-ins that have to wait, with the account and the address', async () => {
    const signIn = (username: string) => service.post('/tokens', { body: { username, password: 'wrong' } });
    for (let nth = 0; nth < 10; nth += 1) await signIn('bob');
    for (let nth = 0; nth < 10; nth += 1) await signIn('a password in the wrong place');
    expect((await signIn('BOB')).status).to.equal(429);
    expect((await signIn('a password in the wrong place')).status).to.equal(429);

    await service.says(/"account":null/);
    const warnings = service.lines().filter(({ level }) => level === 40);
    expect(warnings.map(({ account, address }) => [account, address])).to.deep.equal([
      ['bob', '127.0.0.1'],
      [null, '127.0.0.1'],
    ]);
    expect(service.stdout()).not.to.contain('in the wrong place');
  });

  it('answers on after garbage, halves of requests and those who leave', async () => {
    expect(await raw('\u0016\u0003\u0001\u0002hello\r\n\r\n')).to.match(/^HTTP\/1.1 400 /);
    expect(await raw(Buffer.alloc(100_000, 'A'))).to.match(/^HTTP\/1.1 4\d\d /);
    expect(await raw(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).to.match(/^HTTP\/1.1 431 /);
    const post = 'POST /api/tokens HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n';
    expect(await raw(`${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`)).to.match(/^HTTP\/1.1 400 /);
    expect(await raw(`${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)).to.match(/^HTTP\/1.1 400 /);
    expect(await raw(`${post}Content-Length: 2\r\nContent-Encoding: gzip\r\n\r\n{}`)).to.match(/^HTTP\/1.1 4\d\d /);
    await raw(`${post}Content-Length: 200\r\n\r\n{"username"`, true);
    await raw('GET /api/projects HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50), true);
    await Promise.all(Array.from({ length: 100 }, () => raw('GET /api/projects HTTP/1.1\r\nHo', true)));

    expect((await service.get('/projects')).status).to.equal(200);
    expect(service.child.exitCode).to.equal(null);
    expect(service.lines().filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
  });
});
