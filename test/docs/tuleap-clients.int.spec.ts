import { expect } from 'chai';
import { DEMO_PASSWORD, DEMO_PLATFORM } from '../../src/demo/demo-platform.js';
import { runService, type RunningService } from '../support/service.js';
import { documentText } from '../support/shell-blocks.js';

const JSON_TYPE = { 'Content-Type': 'application/json; charset=UTF-8' };
const ALICE = { username: 'alice', password: DEMO_PASSWORD };
const BASIC = `Basic ${Buffer.from(`alice:${DEMO_PASSWORD}`).toString('base64')}`;

describe('the requests of the clients that docs/clients.md lists', () => {
  let service: RunningService;
  let accessKey: Readonly<Record<string, string>>;
  const send = (path: string, init?: RequestInit): Promise<Response> => fetch(`${service.url}${path}`, init);

  before(async () => {
    service = await runService({ platform: DEMO_PLATFORM });
    const body = JSON.stringify({ description: 'for the specs' });
    const made = await send('/api/access_keys', {
      method: 'POST',
      headers: { ...JSON_TYPE, Authorization: BASIC },
      body,
    });
    const { identifier } = (await made.json()) as { readonly identifier: string };
    accessKey = { ...JSON_TYPE, 'X-Auth-AccessKey': identifier };
  });
  after(() => service.stop());

  const named = (client: string): void => {
    expect(documentText('docs/clients.md')).to.include(`/${client})`);
  };

  it('sign in with a form, and send the header pair, as tuleap-rest-api-client does', async () => {
    named('tuleap-rest-api-client');
    const answer = await send('/api/tokens', { method: 'POST', body: new URLSearchParams(ALICE) });
    expect(answer.status).to.equal(200);
    const token = (await answer.json()) as { readonly token: string; readonly user_id: string };
    const headers = { 'X-Auth-Token': token.token, 'X-Auth-UserId': token.user_id };
    expect((await send('/api/users/self', { headers })).status).to.equal(200);
    expect((await send(`/api/tokens/${token.token}`, { method: 'DELETE', headers })).status).to.equal(200);
  });

  it('replace the members of a group in an object, as tuleap-rest-api-client does', async () => {
    named('tuleap-rest-api-client');
    const [project] = (await (await send('/api/projects')).json()) as readonly { readonly id: number }[];
    const path = `/api/user_groups/${project!.id}_3/users`;
    const members = (await (await send(path, { headers: accessKey })).json()) as readonly { readonly id: number }[];
    const body = JSON.stringify({ user_references: members.map(({ id }) => ({ id })) });
    expect((await send(path, { method: 'PUT', headers: accessKey, body })).status).to.equal(200);
  });

  it('send an empty text for a number without a value, as the Mylyn connector does', async () => {
    named('tuleap-eclipse');
    const values = [
      { field_id: service.field('bug', 'title'), value: 'Without effort' },
      { field_id: service.field('bug', 'status_id'), bind_value_ids: [service.value('bug', 'status_id', 'New')] },
      { field_id: service.field('bug', 'effort'), value: '' },
    ];
    const body = JSON.stringify({ tracker: { id: service.tracker('bug') }, values });
    const answer = await send('/api/v1/artifacts', { method: 'POST', headers: accessKey, body });
    expect(answer.status).to.equal(201);
  });

  it('sign in at an address with a final slash, and send an empty query, as node-tuleap-api does', async () => {
    named('node-tuleap-api');
    const body = JSON.stringify(ALICE);
    const answer = await send('/api/tokens/', { method: 'POST', headers: JSON_TYPE, body });
    expect(answer.status).to.equal(200);
    const artifacts = `/api/trackers/${service.tracker('bug')}/artifacts?values=all&limit=1000&query=`;
    expect((await send(artifacts, { headers: JSON_TYPE })).status).to.equal(200);
  });

  it('send an access key, and a type of content without a body, as XTuleap does', async () => {
    named('XTuleap');
    const tracker = service.tracker('bug');
    const creation = { tracker: { id: tracker }, values_by_field: { title: { value: 'To be deleted' } } };
    const body = JSON.stringify(creation);
    const made = await send('/api/artifacts', { method: 'POST', headers: accessKey, body });
    const { id } = (await made.json()) as { readonly id: number };
    const whole = `/api/artifacts/${id}?values_format=collection&tracker_structure_format=complete`;
    expect((await send(whole, { headers: accessKey })).status).to.equal(200);
    const deleted = await send(`/api/artifacts/${id}`, { method: 'DELETE', headers: accessKey, body: '' });
    expect(deleted.status).to.equal(200);
  });

  it('send HTTP Basic and a parameter without a name, as tuleap-java-api does', async () => {
    named('tuleap-java-api');
    const answer = await send('/api/projects?=', { headers: { ...JSON_TYPE, Authorization: BASIC } });
    expect(answer.status).to.equal(200);
  });

  it('reach the same routes below /api/v1, as tuleap-mcp and vscode-tuleap-extension do', async () => {
    named('tuleap-mcp');
    named('vscode-tuleap-extension');
    const file = JSON.stringify({ name: 'log.txt', file_size: 6, file_type: 'text/plain' });
    const field = service.field('bug', 'attachments');
    const announced = await send(`/api/v1/tracker_fields/${field}/files`, {
      method: 'POST',
      headers: accessKey,
      body: file,
    });
    expect(announced.status).to.equal(200);
    expect(await announced.json()).to.include.keys('id', 'upload_href');
  });

  it('read their own access key and user, as tuleap-api-plugin does', async () => {
    named('tuleap-api-plugin');
    expect((await send('/api/access_keys/self', { headers: accessKey })).status).to.equal(200);
    const user = await send('/api/users/self', { headers: accessKey });
    expect(await user.json()).to.include({ username: 'alice' });
  });
});
