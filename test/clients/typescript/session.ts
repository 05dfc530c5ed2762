/** The first session of the README, in types that come from the description of the API. */
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

declare const process: { readonly argv: readonly string[] };

const api = createClient<paths>({ baseUrl: process.argv[2] ?? '' });

const { data: token } = await api.POST('/tokens', { body: { username: 'alice', password: 'tracker-ledger' } });
if (token === undefined) throw new Error('no token');
const headers = { 'X-Auth-Token': token.token, 'X-Auth-UserId': token.user_id };

const { data: projects } = await api.GET('/projects', { params: { query: { query: '{"shortname":"hydra"}' } } });
const project = projects?.[0];
const { data: trackers } = await api.GET('/projects/{id}/trackers', { params: { path: { id: project?.id ?? 0 } } });
const bugs = trackers?.find(({ label }) => label === 'Bugs');
if (bugs === undefined || !('fields' in bugs)) throw new Error('no tracker');
const title = bugs.fields.find(({ name }) => name === 'title')?.field_id ?? 0;

const { data: made } = await api.POST('/artifacts', {
  headers,
  body: { tracker: { id: bugs.id }, values: [{ field_id: title, value: 'The pump leaks' }] },
});
const path = { id: made?.id ?? 0 };
const { data: bug, response } = await api.GET('/artifacts/{id}', { headers, params: { path } });
for (const value of bug?.values ?? []) if (value.type === 'string') console.log(value.label, value.value);

const etag = response.headers.get('Etag') ?? '';
for (const text of ['The pump leaks oil', 'The pump leaks water']) {
  const body = { values: [{ field_id: title, value: text }] };
  const changed = await api.PUT('/artifacts/{id}', { headers, params: { path, header: { 'If-Match': etag } }, body });
  console.log(changed.response.status, changed.error?.error.code);
}
