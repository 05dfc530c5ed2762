/** A request to the demo platform for each operation, and for some errors, in the order in which they are sent. */
import { type RunningService } from '../service.js';

export interface ExampleRequest {
  /** Of the operation; `shared` for an error that all operations share. */
  readonly of: string;
  readonly status: number;
  readonly path: string;
  /** Username; anonymous without. */
  readonly as?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many times it is sent; the example is the last answer. */
  readonly times?: number;
  /** Sent to a process of the platform that is starting. */
  readonly atStart?: boolean;
}

const BASE64 = (text: string): string => Buffer.from(text).toString('base64');

export function exampleRequests(api: RunningService): readonly ExampleRequest[] {
  const [bug, story] = [api.tracker('bug'), api.tracker('story')];
  const artifact = 161;
  const title = (value: string) => [{ field_id: api.field('bug', 'title'), value }];
  return [
    { of: 'getIndex', status: 200, path: '' },
    ...signingIn(),
    ...projects(),
    { of: 'getTrackersId', status: 200, path: `/trackers/${story}` },
    { of: 'getTrackersIdArtifacts', status: 200, path: `/trackers/${bug}/artifacts?limit=1&values=all` },
    { of: 'getTrackersIdParentArtifacts', status: 200, path: `/trackers/${story}/parent_artifacts?limit=1` },
    { of: 'getTrackersIdUsedArtifactLinks', status: 200, path: `/trackers/${bug}/used_artifact_links` },
    { of: 'getTrackersIdTrackerReports', status: 200, path: `/trackers/${bug}/tracker_reports` },
    { of: 'getTrackerReportsId', status: 200, path: '/tracker_reports/102' },
    { of: 'getTrackerReportsIdArtifacts', status: 200, path: '/tracker_reports/102/artifacts?limit=1' },
    { of: 'getTrackerFieldsIdValues', status: 200, path: `/tracker_fields/${api.field('bug', 'keywords')}/values` },
    { of: 'getArtifacts', status: 200, path: `/artifacts?limit=1&query={"id":[${artifact}]}` },
    { of: 'getArtifactsId', status: 200, path: `/artifacts/${artifact}?values_format=all` },
    { of: 'getArtifactsIdLinks', status: 200, path: `/artifacts/${artifact}/links` },
    {
      of: 'getArtifactsIdLinkedArtifacts',
      status: 200,
      path: `/artifacts/${artifact}/linked_artifacts?direction=forward&nature=fixed_in&output_format=flat`,
    },
    { of: 'getArtifactsIdChangesets', status: 200, path: `/artifacts/${artifact}/changesets?limit=1` },
    { of: 'getArtifactsIdHistory', status: 200, path: `/artifacts/${artifact}/history?limit=2` },
    {
      of: 'postArtifacts',
      status: 201,
      as: 'bob',
      path: '/artifacts',
      body: { tracker: { id: bug }, values: title('The pump leaks') },
    },
    {
      of: 'putArtifactsId',
      status: 412,
      as: 'bob',
      path: `/artifacts/${artifact}`,
      headers: { 'If-Match': '"999"' },
      body: { values: title('The pump leaks') },
    },
    ...files(api.field('bug', 'attachments')),
    ...repositories(),
    ...errors(),
  ];
}

const signingIn = (): readonly ExampleRequest[] => [
  { of: 'postTokens', status: 200, path: '/tokens', body: { username: 'bob', password: 'tracker-ledger' } },
  { of: 'getUsers', status: 200, as: 'bob', path: '/users?query=carol' },
  { of: 'getUsersId', status: 200, as: 'bob', path: '/users/self' },
  { of: 'postAccessKeys', status: 201, as: 'bob', path: '/access_keys', body: { description: 'Nightly report' } },
  { of: 'getAccessKeysId', status: 200, as: 'bob', path: '/access_keys/101' },
  { of: 'getUsersIdAccessKeys', status: 200, as: 'bob', path: '/users/self/access_keys' },
];

const projects = (): readonly ExampleRequest[] => [
  { of: 'getProjects', status: 200, path: '/projects' },
  { of: 'getProjectsId', status: 200, path: '/projects/101' },
  { of: 'getProjectsIdTrackers', status: 200, path: '/projects/101/trackers?representation=minimal' },
  { of: 'getProjectsIdUserGroups', status: 200, path: '/projects/101/user_groups' },
  { of: 'getUserGroupsId', status: 200, path: '/user_groups/101_3' },
  { of: 'getUserGroupsIdUsers', status: 200, as: 'bob', path: '/user_groups/101_3/users?limit=1' },
];

const files = (attachments: number): readonly ExampleRequest[] => [
  {
    of: 'postArtifactTemporaryFiles',
    status: 201,
    as: 'bob',
    path: '/artifact_temporary_files',
    body: { name: 'log.txt', mimetype: 'text/plain', content: BASE64('hello '), description: 'What the pump logs' },
  },
  {
    of: 'putArtifactTemporaryFilesId',
    status: 200,
    as: 'bob',
    path: '/artifact_temporary_files/101',
    body: { offset: 2, content: BASE64('world') },
  },
  { of: 'getArtifactTemporaryFiles', status: 200, as: 'bob', path: '/artifact_temporary_files' },
  { of: 'getArtifactTemporaryFilesId', status: 200, as: 'bob', path: '/artifact_temporary_files/101' },
  { of: 'getArtifactFilesId', status: 200, as: 'bob', path: '/artifact_files/101' },
  {
    of: 'postTrackerFieldsIdFiles',
    status: 200,
    as: 'bob',
    path: `/tracker_fields/${attachments}/files`,
    body: { name: 'disk.img', file_size: 1_073_741_824, file_type: 'application/octet-stream' },
  },
];

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
  { of: 'getProjectsIdSvn', status: 200, path: '/projects/101/svn' },
];

const errors = (): readonly ExampleRequest[] => [
  { of: 'shared', status: 400, path: '/projects?limit=1000' },
  { of: 'shared', status: 401, path: '/users?query=carol' },
  { of: 'shared', status: 403, path: '/projects/102' },
  { of: 'shared', status: 404, path: '/artifacts/999999' },
  { of: 'shared', status: 406, path: '/projects', headers: { Accept: 'text/html' } },
  { of: 'shared', status: 413, as: 'bob', path: '/svn', body: { ...pumps, layout: 'x'.repeat(1_100_000) } },
  { of: 'shared', status: 415, as: 'bob', path: '/svn', body: pumps, headers: { 'Content-Type': 'text/plain' } },
  { of: 'shared', status: 429, path: '/tokens', body: { username: 'dave', password: 'wrong' }, times: 11 },
  { of: 'shared', status: 431, path: '/projects', headers: { 'X-Request-Id': 'x'.repeat(20_000) } },
  { of: 'shared', status: 500, path: '/tokens', body: { username: 'bob', password: 'wrong' } },
  { of: 'shared', status: 503, path: '/projects', atStart: true },
  { of: 'getHealthLive', status: 200, path: '/../health/live' },
  { of: 'getHealthReady', status: 200, path: '/../health/ready' },
  { of: 'getHealthReady', status: 503, path: '/../health/ready', atStart: true },
];
