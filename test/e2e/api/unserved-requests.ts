/** A request or more for each route, with the projections without which it cannot be answered. */
import { ALL_SETTINGS } from '../../svn/svn-api.js';
import { api, expected, type Expected } from './unserved-expected.js';
import { PARTS_OF_TRACKERS } from './unserved-parts-of-trackers.js';
import { type Stock } from './unserved-stock.js';

const TUS = { 'Tus-Resumable': '1.0.0' };
const PIECE = { ...TUS, 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };

const set = (stock: Stock, name: string, parts: object): object => ({
  field_id: stock.api.field('note', name),
  ...parts,
});

const submission = (stock: Stock, ...values: readonly object[]): object => ({
  tracker: { id: stock.tracker },
  values: [set(stock, 'title', { value: 'New' }), ...values],
});

const bobsPassword = { username: 'bob', password: "bob's password" };

const basic = { Authorization: `Basic ${Buffer.from("alice:alice's password").toString('base64')}` };

const DOWNLOAD = 'GET /plugins/tracker/attachments/:file';
const download = ({ attached }: Stock) => ({ path: `/plugins/tracker/attachments/${attached}-f.txt` });

/** In the order in which they are sent. A reader who signs in needs users, another one the settings. */
export const EXPECTED: readonly Expected[] = [
  expected('GET /', null, 200, '', () => ({ path: '/' })),
  expected('GET ', null, 200, '', () => api('')),
  expected('GET /documentation/*file', null, 200, '', () => ({ path: '/documentation/README.md' })),
  expected('GET /api{/v1}/explorer', null, 200, '', () => api('/explorer')),
  expected('GET /api{/v1}/explorer/:asset', null, 200, '', () => api('/explorer/explorer.js')),
  expected('GET /openapi.json', null, 200, '', () => api('/openapi.json')),
  expected('POST /tokens', null, 200, 'users', () => api('/tokens', bobsPassword)),
  expected('DELETE /tokens/:token', 'bob', 200, 'users', ({ tokens }) => api(`/tokens/${tokens[1]}`)),
  expected('DELETE /tokens', 'bob', 200, 'users', () => api('/tokens')),
  expected('POST /access_keys', 'alice', 201, 'users', () => api('/access_keys', {})),
  expected('GET /users/:id/access_keys', 'alice', 200, 'users', () => api('/users/self/access_keys')),
  expected('GET /access_keys/:id', 'alice', 200, 'users', ({ key }) => api(`/access_keys/${key.id}`)),
  expected('GET /users', 'alice', 200, 'users', () => api('/users?query=alice')),
  expected('GET /users/:id', 'alice', 200, 'users', ({ user }) => api(`/users/${user}`)),
  expected('GET /users/:id', null, 200, 'platform users', ({ user }) => api(`/users/${user}`)),
  expected('GET /user_groups/:id', 'alice', 200, 'projects users', ({ group }) => api(`/user_groups/${group}`)),
  expected('GET /user_groups/:id', null, 200, 'platform projects', ({ project }) => api(`/user_groups/${project}_3`)),
  expected('GET /user_groups/:id/users', 'alice', 200, 'projects users', ({ project }) =>
    api(`/user_groups/${project}_3/users`),
  ),
  expected('PUT /user_groups/:id/users', 'alice', 200, 'projects users', ({ group, user }) =>
    api(`/user_groups/${group}/users`, [{ id: user }]),
  ),
  expected('GET /projects/:id/user_groups', 'alice', 200, 'projects users', ({ project }) =>
    api(`/projects/${project}/user_groups`),
  ),
  expected('GET /projects', 'alice', 200, 'projects users', () => api('/projects')),
  expected('GET /projects', null, 200, 'projects users', () => api('/projects', undefined, basic), 'with a password'),
  expected('GET /projects', null, 200, 'platform projects', () => api('/projects')),
  expected(
    'GET /projects',
    'alice',
    200,
    'projects trackers users',
    () => api('/projects?query=%7B%22is_tracker_admin%22%3Atrue%7D'),
    'that are administered',
  ),
  expected('GET /projects/:id', 'alice', 200, 'projects users', ({ project }) => api(`/projects/${project}`)),
  expected('GET /projects/:id', null, 200, 'platform projects', ({ project }) => api(`/projects/${project}`)),
  expected('GET /projects/:id/trackers', 'alice', 200, 'platform projects trackers users', ({ project }) =>
    api(`/projects/${project}/trackers`),
  ),
  expected(
    'GET /projects/:id/trackers',
    null,
    200,
    'platform projects trackers',
    ({ project }) => api(`/projects/${project}/trackers?representation=minimal`),
    'in their minimal form',
  ),
  expected('GET /trackers/:id', 'alice', 200, 'platform projects trackers users', ({ tracker }) =>
    api(`/trackers/${tracker}`),
  ),
  expected('GET /trackers/:id', null, 200, 'platform projects trackers users', ({ tracker }) =>
    api(`/trackers/${tracker}`),
  ),
  ...PARTS_OF_TRACKERS,
  expected('POST /svn', 'alice', 201, 'projects users', ({ project, n }) =>
    api('/svn', { project_id: project, name: `new${n}` }),
  ),
  expected('GET /svn/:id', 'alice', 200, 'projects svn users', ({ repositories }) => api(`/svn/${repositories[0]}`)),
  expected('GET /svn/:id', null, 200, 'platform projects svn', ({ repositories }) => api(`/svn/${repositories[0]}`)),
  expected('PUT /svn/:id', 'alice', 200, 'projects users', ({ repositories }) =>
    api(`/svn/${repositories[0]}`, { settings: { ...ALL_SETTINGS, access_file: '[/]\n* = r' } }),
  ),
  expected('DELETE /svn/:id', 'alice', 202, 'projects users', ({ repositories }) => api(`/svn/${repositories[1]}`)),
  expected('GET /projects/:id/svn', 'alice', 200, 'projects svn users', ({ project }) =>
    api(`/projects/${project}/svn`),
  ),
  expected('GET /projects/:id/svn', null, 200, 'platform projects svn', ({ project }) =>
    api(`/projects/${project}/svn`),
  ),
  expected('GET /trackers/:id/artifacts', 'alice', 200, 'artifacts files projects trackers users', ({ tracker }) =>
    api(`/trackers/${tracker}/artifacts?values=all&limit=2&order=desc`),
  ),
  expected('GET /trackers/:id/artifacts', null, 200, 'artifacts platform projects trackers users', ({ tracker }) =>
    api(`/trackers/${tracker}/artifacts?limit=1`),
  ),
  expected(
    'GET /trackers/:id/used_artifact_links',
    'alice',
    200,
    'artifacts platform projects trackers users',
    (stock) => api(`/trackers/${stock.tracker}/used_artifact_links`),
  ),
  expected('GET /trackers/:id/parent_artifacts', 'alice', 200, 'artifacts projects trackers users', ({ tracker }) =>
    api(`/trackers/${tracker}/parent_artifacts`),
  ),
  expected(
    'GET /trackers/:id/artifacts',
    'alice',
    200,
    'artifacts projects trackers users',
    ({ tracker, n }) => api(`/trackers/${tracker}/artifacts?query=${encodeURIComponent(`{"title":"Target ${n}"}`)}`),
    'that a filter leaves',
  ),
  expected('GET /artifacts', 'alice', 200, 'artifacts files projects trackers users', ({ artifact, source }) =>
    api(`/artifacts?query=${encodeURIComponent(JSON.stringify({ id: [artifact, source] }))}`),
  ),
  expected(
    'GET /artifacts',
    'alice',
    200,
    'artifacts files projects trackers users',
    () => api('/artifacts?modified_since=2026-01-01T00:00:00Z&limit=2'),
    'since an instant',
  ),
  expected('GET /artifacts/:id', 'alice', 200, 'artifacts files projects trackers users', ({ artifact }) =>
    api(`/artifacts/${artifact}`),
  ),
  expected('GET /artifacts/:id', null, 200, 'artifacts files platform projects trackers users', ({ artifact }) =>
    api(`/artifacts/${artifact}`),
  ),
  expected(
    'GET /artifacts/:id',
    'alice',
    200,
    'artifacts projects trackers users',
    ({ source }) => api(`/artifacts/${source}?values_format=all`),
    'that links',
  ),
  expected(
    'GET /artifacts/:id',
    'alice',
    200,
    'artifacts files projects trackers users',
    ({ artifact }) => api(`/artifacts/${artifact}?revision=0`),
    'as it was',
  ),
  expected('GET /artifacts/:id/changesets', 'alice', 200, 'artifacts files projects trackers users', ({ artifact }) =>
    api(`/artifacts/${artifact}/changesets`),
  ),
  expected('GET /artifacts/:id/history', 'alice', 200, 'artifacts projects trackers users', ({ artifact }) =>
    api(`/artifacts/${artifact}/history`),
  ),
  expected('GET /artifacts/:id/links', 'alice', 200, 'artifacts platform projects trackers users', ({ artifact }) =>
    api(`/artifacts/${artifact}/links`),
  ),
  expected(
    'GET /artifacts/:id/linked_artifacts',
    'alice',
    200,
    'artifacts files projects trackers users',
    ({ source }) => api(`/artifacts/${source}/linked_artifacts?direction=forward`),
  ),
  expected(
    'GET /artifacts/:id/linked_artifacts',
    'alice',
    200,
    'artifacts projects trackers users',
    ({ artifact }) => api(`/artifacts/${artifact}/linked_artifacts?direction=reverse&output_format=flat`),
    'in rows',
  ),
  expected('POST /artifacts', 'alice', 201, 'projects trackers users', (stock) => api('/artifacts', submission(stock))),
  expected(
    'POST /artifacts',
    'alice',
    201,
    'projects trackers users',
    (stock) => api('/artifacts', submission(stock), { 'Idempotency-Key': `key-${stock.n}` }),
    'with a key',
  ),
  expected(
    'POST /artifacts',
    'alice',
    201,
    'projects trackers users',
    (stock) =>
      api(
        '/artifacts',
        submission(stock, set(stock, 'tags', { value: { bind_value_objects: [{ label: `label ${stock.n}` }] } })),
      ),
    'with a new label',
  ),
  expected(
    'POST /artifacts',
    'alice',
    201,
    'artifacts platform projects trackers users',
    (stock) => api('/artifacts', submission(stock, set(stock, 'links', { links: [{ id: stock.artifact }] }))),
    'with a link',
  ),
  expected(
    'POST /artifacts',
    'alice',
    201,
    'artifacts projects trackers users',
    (stock) => api('/artifacts', submission(stock, set(stock, 'links', { links: [], parent: { id: stock.source } }))),
    'with a parent',
  ),
  expected(
    'POST /artifacts',
    'alice',
    201,
    'projects trackers users',
    (stock) => api('/artifacts', submission(stock, set(stock, 'files', { value: [stock.files[0]] }))),
    'with a file',
  ),
  expected('PUT /artifacts/:id', 'alice', 200, 'projects trackers users', (stock) =>
    api(`/artifacts/${stock.artifact}`, { values: [set(stock, 'title', { value: `Changed ${stock.n}` })] }),
  ),
  expected(
    'PUT /artifacts/:id',
    'alice',
    200,
    'artifacts platform projects trackers users',
    (stock) =>
      api(`/artifacts/${stock.source}`, { values: [set(stock, 'links', { links: [{ id: stock.source - 1 }] })] }),
    'with links',
  ),
  expected(
    'PUT /artifacts/:id',
    'alice',
    200,
    'projects trackers users',
    (stock) => api(`/artifacts/${stock.source}`, { values: [set(stock, 'owner', { bind_value_ids: [stock.user] })] }),
    'with a user',
  ),
  expected('GET /artifact_files/:id', 'alice', 200, 'artifacts files projects trackers users', ({ attached }) =>
    api(`/artifact_files/${attached}`),
  ),
  expected('GET /artifact_files/:id', null, 200, 'artifacts files platform projects trackers', ({ attached }) =>
    api(`/artifact_files/${attached}`),
  ),
  expected('POST /tracker_fields/:id/files', 'alice', 200, 'files projects trackers users', (stock) =>
    api(`/tracker_fields/${stock.api.field('note', 'files')}/files`, {
      name: `n${stock.n}.txt`,
      file_size: 3,
      file_type: 'text/plain',
    }),
  ),
  expected('POST /artifact_temporary_files', 'alice', 201, 'files users', () =>
    api('/artifact_temporary_files', { name: 'f.txt', mimetype: 'text/plain', content: 'YWJj' }),
  ),
  expected('GET /artifact_temporary_files', 'alice', 200, 'files users', () => api('/artifact_temporary_files')),
  expected('GET /artifact_temporary_files/:id', 'alice', 200, 'files users', ({ files }) =>
    api(`/artifact_temporary_files/${files[1]}`),
  ),
  expected('PUT /artifact_temporary_files/:id', 'alice', 200, 'files users', ({ files }) =>
    api(`/artifact_temporary_files/${files[1]}`, { content: 'YWJj', offset: 2 }),
  ),
  expected('DELETE /artifact_temporary_files/:id', 'alice', 200, 'files users', ({ files }) =>
    api(`/artifact_temporary_files/${files[1]}`),
  ),
  expected(DOWNLOAD, 'alice', 200, 'artifacts files projects trackers users', download),
  expected(DOWNLOAD, null, 200, 'artifacts files platform projects trackers', download),
  expected('HEAD /uploads/tracker/file/:id', 'alice', 200, 'users', ({ uploads }) => ({
    path: `/uploads/tracker/file/${uploads[0]}`,
    headers: TUS,
  })),
  expected('PATCH /uploads/tracker/file/:id', 'alice', 204, 'users', ({ uploads }) => ({
    path: `/uploads/tracker/file/${uploads[0]}`,
    headers: PIECE,
    body: 'abc',
  })),
  expected('DELETE /uploads/tracker/file/:id', 'alice', 204, 'users', ({ uploads }) => ({
    path: `/uploads/tracker/file/${uploads[1]}`,
    headers: TUS,
  })),
  expected('DELETE /artifacts/:id', 'alice', 200, 'artifacts platform projects trackers users', ({ artifact }) =>
    api(`/artifacts/${artifact}`),
  ),
  // Whose use is recorded a moment later.
  expected(
    'GET /users/:id',
    null,
    200,
    'users',
    ({ key }) => api('/users/self', undefined, { 'X-Auth-AccessKey': key.identifier }),
    'with an access key',
  ),
  expected('DELETE /access_keys/:id', 'alice', 200, 'users', ({ key }) => api(`/access_keys/${key.id}`)),
];
