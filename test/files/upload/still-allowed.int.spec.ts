import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { basic } from '../../http/toy-app.js';
import { halfwayThrough } from '../../support/halfway.js';
import { fileApi, type FileApi } from '../file-api.js';

const TUS = { 'Tus-Resumable': '1.0.0' };
/** The service keeps a body in pieces of at least this many bytes. */
const PIECE = 16_777_216;

describe('The sender of a resumable upload', () => {
  let api: FileApi;
  before(async () => {
    api = await fileApi();
  });
  after(() => api.stop());
  /** Each spec spoils what carol signs in with. */
  afterEach(() => carolIs({ status: 'active', password: "carol's password" }));

  const carolIs = (changes: object) => {
    const platform = {
      users: [{ username: 'carol', email: 'carol@example.org', real_name: 'Carol Clark', ...changes }],
    };
    return api.operate('apply', { text: JSON.stringify(platform), prune: false, env: {} });
  };
  const signIn = async (): Promise<Record<string, string>> => {
    const { body } = await api.post('/tokens', { body: { username: 'carol', password: "carol's password" } });
    return { 'X-Auth-Token': body.token, 'X-Auth-UserId': body.user_id };
  };
  const announced = async (size: number): Promise<string> => {
    const body = { name: randomUUID(), file_size: size, file_type: 'text/plain' };
    const path = `/tracker_fields/${api.field('bug', 'attachments')}/files`;
    const answer = await api.post(path, { headers: await signIn(), body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return `${api.url}${answer.body.upload_href}`;
  };
  const patch = (offset: number) => ({
    ...TUS,
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': String(offset),
  });
  const offsetOf = async (url: string, headers: Record<string, string>): Promise<number> =>
    Number((await fetch(url, { method: 'HEAD', headers: { ...TUS, ...headers } })).headers.get('Upload-Offset'));
  const send = (url: string, headers: Record<string, string>, body: Buffer, meanwhile: () => unknown) =>
    halfwayThrough({ method: 'PATCH', url, headers: { ...patch(0), ...headers }, body }, meanwhile);
  const signOut = async (headers: Record<string, string>): Promise<void> => {
    expect((await api.request('DELETE', '/tokens', { headers })).status).to.equal(200);
  };

  const withKey = async (): Promise<Record<string, string>> => {
    const { body } = await api.post('/access_keys', { headers: await signIn(), body: {} });
    return { 'X-Auth-AccessKey': body.identifier };
  };
  const revoke = async (headers: Record<string, string>): Promise<void> => {
    const { body } = await api.get('/access_keys/self', { headers });
    expect((await api.request('DELETE', `/access_keys/${body.id}`, { headers })).status).to.equal(200);
  };
  const withPassword = () => Promise.resolve(basic('carol', "carol's password"));

  for (const [credentials, present, what, status, meanwhile] of [
    ['token', signIn, 'is signed out', 500, signOut],
    ['token', signIn, 'is that of a suspended user', 403, () => carolIs({ status: 'suspended' })],
    ['access key', withKey, 'is revoked', 500, revoke],
    ['access key', withKey, 'is that of a suspended user', 403, () => carolIs({ status: 'suspended' })],
    ['password', withPassword, 'is changed', 500, () => carolIs({ password: 'another password' })],
    ['password', withPassword, 'is that of a suspended user', 403, () => carolIs({ status: 'suspended' })],
  ] as const) {
    it(`is refused like any other request if the ${credentials} ${what} while the bytes come`, async () => {
      const bytes = randomBytes(100_000);
      const url = await announced(bytes.length);
      const headers = await present();
      const answer = await send(url, headers, bytes, () => meanwhile(headers));
      const other = await api.post('/access_keys', { headers, body: {} });
      expect([answer.status, answer.message]).to.deep.equal([other.status, other.body.error.message]);
      expect(answer.status).to.equal(status);

      await carolIs({ status: 'active', password: "carol's password" });
      const again = await signIn();
      expect(await offsetOf(url, again), 'nothing is kept').to.equal(0);
      const later = await fetch(url, { method: 'PATCH', headers: { ...patch(0), ...again }, body: bytes });
      expect(later.status).to.equal(204);
    });
  }

  it('keeps what came before the token was signed out, and goes on from there', async () => {
    const bytes = randomBytes(2 * PIECE + 100_000);
    const url = await announced(bytes.length);
    const headers = await signIn();
    const answer = await send(url, headers, bytes, async () => {
      while ((await offsetOf(url, headers)) < PIECE) await new Promise((resolve) => setTimeout(resolve, 5));
      await signOut(headers);
    });
    expect(answer.status).to.equal(500);
    const again = await signIn();
    const at = await offsetOf(url, again);
    expect(at).to.be.within(PIECE, bytes.length / 2);
    const rest = new Uint8Array(bytes.subarray(at));
    const later = await fetch(url, { method: 'PATCH', headers: { ...patch(at), ...again }, body: rest });
    expect([later.status, later.headers.get('Upload-Offset')]).to.deep.equal([204, String(bytes.length)]);
  });
});
