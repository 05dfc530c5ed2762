/** A request to the demo platform for each operation, and for some errors, in the order in which they are sent. */
import { MAX_ACCESS_KEYS, MAX_RESUMABLE_UPLOADS, MAX_TEMPORARY_FILES } from '../../../src/core/bounds.js';
import { type RunningService } from '../service.js';
import { type Hindrance } from './hindered.js';

export interface ExampleRequest {
  /** Of the operation; `shared` for an error that all operations share. */
  readonly of: string;
  readonly status: number;
  /** `CURSOR` stands for the cursor of the last page that has one, `TOKEN` for the token of the last sign-in. */
  readonly path: string;
  /** Username; anonymous without. */
  readonly as?: string;
  readonly body?: unknown;
  /** The body, where it is not JSON. */
  readonly bytes?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many times it is sent; the example is the last answer. `NUMBER` in the body stands for which time it is. */
  readonly times?: number;
  /** Sent where this stands in the way. */
  readonly at?: Hindrance;
}

const BASE64 = (text: string): string => Buffer.from(text).toString('base64');

export function exampleRequests(api: RunningService): readonly ExampleRequest[] {
  const [bug, story] = [api.tracker('bug'), api.tracker('story')];
  const artifact = 161;
  const title = (value: string) => [{ field_id: api.field('bug', 'title'), value }];
  return [
    { of: 'getIndex', status: 200, path: '' },
    ...pages(),
    ...signingIn(),
    ...projects(),
    { of: 'getTrackersId', status: 200, path: `/trackers/${story}`, headers: { 'If-None-Match': '"another"' } },
    { of: 'getTrackersId', status: 304, path: `/trackers/${story}`, headers: { 'If-None-Match': '*' } },
    ...searches(bug),
    { of: 'getTrackersIdParentArtifacts', status: 200, path: `/trackers/${story}/parent_artifacts?limit=1` },
    { of: 'getTrackersIdUsedArtifactLinks', status: 200, path: `/trackers/${bug}/used_artifact_links` },
    { of: 'getTrackersIdTrackerReports', status: 200, path: `/trackers/${bug}/tracker_reports` },
    { of: 'getTrackerReportsId', status: 200, path: '/tracker_reports/102' },
    {
      of: 'getTrackerReportsIdArtifacts',
      status: 200,
      path: '/tracker_reports/102/artifacts?limit=1&values=all&output_format=nested',
    },
    { of: 'getTrackerFieldsIdValues', status: 200, path: `/tracker_fields/${api.field('bug', 'keywords')}/values` },
    { of: 'getArtifacts', status: 200, path: `/artifacts?limit=1&query={"id":[${artifact}]}` },
    { of: 'getArtifacts', status: 200, path: `/artifacts?limit=1&modified_since=${SINCE}&created_since=${SINCE}` },
    ...oneArtifact(artifact),
    { of: 'getArtifactsIdLinks', status: 200, path: `/artifacts/${artifact}/links` },
    {
      of: 'getArtifactsIdLinkedArtifacts',
      status: 200,
      path: `/artifacts/${artifact}/linked_artifacts?direction=forward&nature=fixed_in&output_format=flat`,
    },
    {
      of: 'getArtifactsIdChangesets',
      status: 200,
      path: `/artifacts/${artifact}/changesets?limit=1&fields=all&order=desc`,
    },
    { of: 'getArtifactsIdHistory', status: 200, path: `/artifacts/${artifact}/history?limit=2&order=desc` },
    ...writes(bug, title),
    ...files(api.field('bug', 'attachments')),
    ...repositories(),
    { of: 'getOpenapiJson', status: 200, path: '/openapi.json' },
    { of: 'getOpenapiJson', status: 304, path: '/openapi.json', headers: { 'If-None-Match': '*' } },
    ...errors(),
    ...quotas(api.field('bug', 'attachments')),
    ...endings(),
  ];
}

const SINCE = '2026-11-24T00:00:00Z';

/** For the parameters and headers that all pages share. */
const pages = (): readonly ExampleRequest[] => [
  { of: 'shared', status: 200, path: '/trackers/101/artifacts?limit=1&offset=0' },
  { of: 'shared', status: 200, path: '/trackers/101/artifacts?limit=1&cursor=CURSOR' },
];

const searches = (bug: number): readonly ExampleRequest[] => {
  const path = `/trackers/${bug}/artifacts?limit=1&values=all`;
  const searched = { of: 'getTrackersIdArtifacts', status: 200 };
  return [
    { ...searched, path },
    { ...searched, path: `${path}&query={"title":"pump"}&sort=-submitted_on` },
    { ...searched, path: `${path}&expert_query=title = 'pump'&order=desc` },
    { ...searched, path, body: { title: { operator: 'contains', value: 'pump' }, submitted_on: '>2020-01-01' } },
    { ...searched, path: `${path}&modified_since=${SINCE}&created_since=${SINCE}` },
  ];
};

const oneArtifact = (artifact: number): readonly ExampleRequest[] => {
  const path = `/artifacts/${artifact}`;
  const one = { of: 'getArtifactsId', status: 200 };
  return [
    { ...one, path: `${path}?values_format=all` },
    { ...one, path: `${path}?tracker_structure_format=minimal&revision=0` },
    { ...one, path: `${path}?at=2026-11-24T08:00:00Z` },
    { ...one, path, headers: { 'If-None-Match': '"999"' } },
  ];
};

const writes = (bug: number, title: (value: string) => readonly object[]): readonly ExampleRequest[] => {
  const created = (value: string) => ({ tracker: { id: bug }, values: title(value) });
  const post = { of: 'postArtifacts', as: 'bob', path: '/artifacts', headers: { 'Idempotency-Key': 'leaking-pump-1' } };
  const put = { of: 'putArtifactsId', as: 'bob', path: '/artifacts/161' };
  const changed = { values: title('The pump leaks'), comment: { body: 'Since Monday', format: 'text' } };
  return [
    { ...post, status: 201, body: created('The pump leaks') },
    { ...post, status: 409, body: created('Another pump leaks') },
    { ...post, status: 404, body: { ...created('The pump leaks'), tracker: { id: 999 } }, headers: {} },
    { ...put, status: 200, body: changed, headers: { 'If-Match': '*' } },
    {
      ...put,
      status: 200,
      body: changed,
      headers: { 'If-Unmodified-Since': 'Tue, 24 Nov 2026 08:00:00 GMT', 'If-None-Match': '"999"' },
    },
    deletion(403, 161, 'dave'),
    { ...deletion(412, 161), headers: { 'If-Match': '"999"' } },
    { ...put, status: 412, body: changed, headers: { 'If-Match': '"999"' } },
  ];
};

const DELETION_LIMIT = 10;

const deletion = (status: number, artifact: number, as = 'alice'): ExampleRequest => ({
  of: 'deleteArtifactsId',
  status,
  as,
  path: `/artifacts/${artifact}`,
});

/** Of users. The last request of each is one too many. */
const quotas = (attachments: number): readonly ExampleRequest[] => {
  const beyond = (most: number) => ({ status: 409, as: 'carol', times: most + 1 });
  return [
    {
      ...beyond(MAX_ACCESS_KEYS),
      of: 'postAccessKeys',
      path: '/access_keys',
      body: { description: 'Number NUMBER' },
    },
    {
      ...beyond(MAX_TEMPORARY_FILES),
      of: 'postArtifactTemporaryFiles',
      path: '/artifact_temporary_files',
      body: LOG,
    },
    {
      ...beyond(MAX_RESUMABLE_UPLOADS),
      of: 'postTrackerFieldsIdFiles',
      path: `/tracker_fields/${attachments}/files`,
      body: { name: 'NUMBER.txt', file_size: 11, file_type: 'text/plain' },
    },
  ];
};

/** What ends, after all that needs it. */
const endings = (): readonly ExampleRequest[] => [
  {
    ...deletion(200, 161),
    headers: { 'If-Match': '*', 'If-Unmodified-Since': 'Tue, 24 Nov 2026 08:00:00 GMT', 'If-None-Match': '"999"' },
  },
  ...Array.from({ length: DELETION_LIMIT - 1 }, (_, number) => deletion(200, 160 - number)),
  deletion(429, 161 - DELETION_LIMIT),
  { of: 'deleteArtifactTemporaryFilesId', status: 200, as: 'bob', path: '/artifact_temporary_files/101' },
  { of: 'deleteSvnId', status: 202, as: 'bob', path: '/svn/101' },
  { of: 'deleteAccessKeysId', status: 200, as: 'bob', path: '/access_keys/101' },
  {
    of: 'putUserGroupsIdUsers',
    status: 200,
    as: 'alice',
    path: '/user_groups/101_3/users',
    body: [{ username: 'bob' }],
  },
  { of: 'deleteTokensToken', status: 200, as: 'bob', path: '/tokens/TOKEN' },
  { of: 'deleteTokens', status: 200, as: 'bob', path: '/tokens' },
];

const signingIn = (): readonly ExampleRequest[] => [
  { of: 'postTokens', status: 200, path: '/tokens', body: { username: 'bob', password: 'tracker-ledger' } },
  { of: 'getUsers', status: 200, as: 'bob', path: '/users?query=carol' },
  { of: 'getUsersId', status: 200, as: 'bob', path: '/users/self' },
  { of: 'postAccessKeys', status: 201, as: 'bob', path: '/access_keys', body: { description: 'Nightly report' } },
  { of: 'getAccessKeysId', status: 200, as: 'bob', path: '/access_keys/101' },
  { of: 'getUsersIdAccessKeys', status: 200, as: 'bob', path: '/users/self/access_keys' },
];

const projects = (): readonly ExampleRequest[] => [
  { of: 'getProjects', status: 200, path: '/projects?query={"shortname":"hydra"}' },
  { of: 'getProjectsId', status: 200, path: '/projects/101', headers: { 'If-None-Match': '"another"' } },
  { of: 'getProjectsId', status: 304, path: '/projects/101', headers: { 'If-None-Match': '*' } },
  {
    of: 'getProjectsIdTrackers',
    status: 200,
    path: '/projects/101/trackers?representation=minimal&with_creation_semantic_check=title&query={}',
  },
  { of: 'getProjectsIdUserGroups', status: 200, path: '/projects/101/user_groups?query={}' },
  { of: 'getUserGroupsId', status: 200, path: '/user_groups/101_3' },
  { of: 'getUserGroupsIdUsers', status: 200, as: 'bob', path: '/user_groups/101_3/users?query={"identifier":"carol"}' },
];

const LOG = { name: 'log.txt', mimetype: 'text/plain', content: BASE64('hello '), description: 'What the pump logs' };

const files = (attachments: number): readonly ExampleRequest[] => [
  {
    of: 'postArtifactTemporaryFiles',
    status: 201,
    as: 'bob',
    path: '/artifact_temporary_files',
    body: LOG,
  },
  ...([200, 507] as const).map((status, index): ExampleRequest => ({
    of: 'putArtifactTemporaryFilesId',
    status,
    as: 'bob',
    path: '/artifact_temporary_files/101',
    body: { offset: 2 + index, content: BASE64('world') },
    ...(status === 507 && { at: 'full' }),
  })),
  { of: 'getArtifactTemporaryFiles', status: 200, as: 'bob', path: '/artifact_temporary_files' },
  { of: 'getArtifactTemporaryFilesId', status: 200, as: 'bob', path: '/artifact_temporary_files/101' },
  { of: 'getArtifactFilesId', status: 200, as: 'bob', path: '/artifact_files/101' },
  {
    of: 'postTrackerFieldsIdFiles',
    status: 200,
    as: 'bob',
    path: `/tracker_fields/${attachments}/files`,
    body: { name: 'hello.txt', file_size: 11, file_type: 'text/plain' },
  },
  ...upload(),
  ...download(),
  {
    of: 'postArtifactTemporaryFiles',
    status: 507,
    as: 'bob',
    path: '/artifact_temporary_files',
    body: LOG,
    at: 'full',
  },
];

const upload = (): readonly ExampleRequest[] => {
  const path = '/uploads/tracker/file/102';
  const headers = { 'Tus-Resumable': '1.0.0' };
  const patch = { of: 'patchUploadsTrackerFileId', as: 'bob', path, bytes: 'hello ' };
  const type = { 'Content-Type': 'application/offset+octet-stream' };
  const other = { 'Tus-Resumable': '0.2.2' };
  return [
    { ...patch, status: 204, headers: { ...headers, ...type, 'Upload-Offset': '0' } },
    { ...patch, status: 400, headers: { ...headers, ...type } },
    { ...patch, status: 409, headers: { ...headers, ...type, 'Upload-Offset': '2' } },
    { ...patch, status: 412, headers: { ...other, ...type, 'Upload-Offset': '6' } },
    { ...patch, status: 413, headers: { ...headers, ...type, 'Upload-Offset': '6' }, bytes: 'world, and more' },
    { ...patch, status: 415, headers: { ...headers, 'Upload-Offset': '6', 'Content-Type': 'text/plain' } },
    { ...patch, status: 408, headers: { ...headers, ...type, 'Upload-Offset': '6' }, at: 'impatient' },
    { ...patch, status: 507, headers: { ...headers, ...type, 'Upload-Offset': '6' }, bytes: 'world', at: 'full' },
    { of: 'headUploadsTrackerFileId', as: 'bob', path, status: 200, headers },
    { of: 'headUploadsTrackerFileId', as: 'bob', path, status: 412, headers: other },
    { of: 'deleteUploadsTrackerFileId', as: 'bob', path, status: 412, headers: other },
    { of: 'deleteUploadsTrackerFileId', as: 'bob', path, status: 204, headers },
  ];
};

const download = (): readonly ExampleRequest[] => {
  const path = '/plugins/tracker/attachments/101-log.txt';
  const downloaded = { of: 'getPluginsTrackerAttachmentsFile', as: 'bob', path };
  return [
    { ...downloaded, status: 200, headers: { 'If-Match': '"101-11"' } },
    { ...downloaded, status: 206, headers: { Range: 'bytes=0-4', 'If-Range': '"101-11"' } },
    { ...downloaded, status: 304, headers: { 'If-None-Match': '"101-11"' } },
    { ...downloaded, status: 412, headers: { 'If-Match': '"101-7"' } },
    { ...downloaded, status: 416, headers: { Range: 'bytes=100-' } },
  ];
};

const pumps = { project_id: 101, name: 'pumps' };

const settings = {
  commit_rules: { is_reference_mandatory: true, is_commit_message_change_allowed: false },
  immutable_tags: { paths: ['/tags'], whitelist: ['/tags/nightly'] },
  access_file: '[/]\n* = r\n@members = rw\n',
  email_notifications: [{ path: '/trunk', emails: ['ci@example.org'], users: [102], user_groups: ['101_3'] }],
};

const repositories = (): readonly ExampleRequest[] => [
  { of: 'postSvn', status: 201, as: 'bob', path: '/svn', body: pumps },
  { of: 'postSvn', status: 409, as: 'bob', path: '/svn', body: pumps },
  { of: 'putSvnId', status: 200, as: 'bob', path: '/svn/101', body: { settings } },
  { of: 'getSvnId', status: 200, path: '/svn/101' },
  { of: 'getProjectsIdSvn', status: 200, path: '/projects/101/svn?query={"name":"pumps"}' },
];

const errors = (): readonly ExampleRequest[] => [
  { of: 'shared', status: 400, path: '/projects?limit=1000' },
  { of: 'shared', status: 401, path: '/users?query=carol' },
  { of: 'shared', status: 403, path: '/projects/102' },
  { of: 'shared', status: 404, path: '/artifacts/999999' },
  { of: 'shared', status: 406, path: '/projects', headers: { Accept: 'text/html' } },
  { of: 'shared', status: 408, as: 'bob', path: '/svn', body: pumps, at: 'impatient' },
  { of: 'shared', status: 413, as: 'bob', path: '/svn', body: { ...pumps, layout: 'x'.repeat(1_100_000) } },
  { of: 'shared', status: 415, as: 'bob', path: '/svn', body: pumps, headers: { 'Content-Type': 'text/plain' } },
  { of: 'shared', status: 429, path: '/tokens', body: { username: 'dave', password: 'wrong' }, times: 11 },
  { of: 'shared', status: 431, path: '/projects', headers: { 'X-Request-Id': 'x'.repeat(20_000) } },
  { of: 'shared', status: 500, path: '/tokens', body: { username: 'bob', password: 'wrong' } },
  { of: 'shared', status: 503, path: '/projects', at: 'starting' },
  { of: 'getHealthLive', status: 200, path: '/health/live' },
  { of: 'getHealthReady', status: 200, path: '/health/ready' },
  { of: 'getHealthReady', status: 503, path: '/health/ready', at: 'starting' },
];
