/** Answers that take the most work. */
import { READER } from '../platform.js';
import { query, range, type Kind } from './kind.js';
import { ADMIN, label } from './platform.js';
import { type Scene } from './scene.js';

const get = (name: string, path: (scene: Scene, nth: number) => string, as?: Kind['as']): Kind => ({
  name,
  ...(as !== undefined && { as }),
  request: (scene, nth) => ({ method: 'GET', path: path(scene, nth) }),
});

/** `nth`: no two rounds ask the same, which would be remembered. */
const expert = (tracker: number, text: string, nth: number): string =>
  `/trackers/${tracker}/artifacts?${query({ expert_query: text, limit: String(100 + nth) })}`;
const TERMS = range(100)
  .map((index) => `submitted_on > "20${String(index).padStart(2, '0')}-01-01"`)
  .join(' OR ');
const LABELS = range(900)
  .map((index) => `"${label(index)}"`)
  .join();

export const readKinds: readonly Kind[] = [
  get('tracker: 10,000 values', ({ trackers }) => `/trackers/${trackers.selections}`),
  get('tracker: 10,000 labels', ({ trackers }) => `/trackers/${trackers.opens}`),
  get(
    'values of an open list',
    ({ fields }) => `/tracker_fields/${fields['added'] ?? 0}/values?limit=1000&offset=9000`,
  ),
  get('trackers of a project', ({ project }) => `/projects/${project}/trackers?representation=full`),
  get('artifact: 1,000 links', ({ sources }) => `/artifacts/${sources[0] ?? 0}`),
  get('artifact: 1,000 sources of 1,000 links', ({ targets }) => `/artifacts/${targets[0] ?? 0}`),
  get('artifact: links', ({ sources }) => `/artifacts/${sources[0] ?? 0}/links`),
  get(
    'artifact: linked artifacts',
    ({ targets }) => `/artifacts/${targets[1] ?? 0}/linked_artifacts?direction=reverse&nature=&limit=50`,
  ),
  get(
    'page: 1,000 sources of 1,000 links',
    ({ trackers }) => `/trackers/${trackers.opens}/artifacts?limit=1000&values=all`,
  ),
  get(
    'page: 1,000 targets of 1,000 links',
    ({ trackers }) => `/trackers/${trackers.selections}/artifacts?limit=1000&values=all`,
  ),
  get(
    'page: by ids',
    ({ targets }) => `/artifacts?${query({ query: `{"id":[${targets.slice(0, 100).join()}]}`, limit: '100' })}`,
  ),
  get(
    'page: large artifacts',
    ({ trackers }) => `/trackers/${trackers.texts}/artifacts?limit=1000&values=all&order=desc`,
  ),
  get('artifact: tables', ({ tables }) => `/artifacts/${tables}`),
  get('artifact: costly texts', ({ costly }) => `/artifacts/${costly}`),
  get('artifact: large', ({ changed }) => `/artifacts/${changed}`),
  get('artifact: as it was', ({ changed }) => `/artifacts/${changed}?revision=20`),
  get('changesets: large', ({ changed }) => `/artifacts/${changed}/changesets?limit=50`),
  get('changesets: tables', ({ tables }) => `/artifacts/${tables}/changesets?limit=50`),
  get('changesets: costly texts', ({ costly }) => `/artifacts/${costly}/changesets?limit=50`),
  get('history: large', ({ changed }) => `/artifacts/${changed}/history?limit=50`, ADMIN),
  get('history: one event', ({ changed }) => `/artifacts/${changed}/history?limit=1`, ADMIN),
  get('artifacts since', (_, nth) => `/artifacts?modified_since=2000-01-01T00:00:0${nth % 10}Z`),
  get(
    'page: sorted',
    ({ trackers }, nth) => `/trackers/${trackers.opens}/artifacts?limit=${1000 - nth}&sort=-submitted_on,title`,
  ),
  get('page: linked to', ({ trackers }, nth) => expert(trackers.opens, 'IS LINKED TO', nth)),
  get('page: linked from', ({ trackers }, nth) => expert(trackers.selections, 'IS LINKED FROM', nth)),
  get('page: terms', ({ trackers }, nth) => expert(trackers.texts, TERMS, nth)),
  get('page: values', ({ trackers }, nth) => expert(trackers.selections, `wide IN (${LABELS})`, nth)),
  get('used links', ({ trackers }, nth) => `/trackers/${trackers.opens}/used_artifact_links?limit=${100 + nth}`),
  get('parents', ({ trackers }, nth) => `/trackers/${trackers.selections}/parent_artifacts?limit=${100 + nth}`),
  get('users: all match', () => '/users?query=crowd&limit=50', READER),
  get('users: none matches', () => `/users?${query({ query: 'x'.repeat(10_000) })}`, READER),
  get('users: by address', () => `/users?${query({ query: '{"email":"nobody"}' })}`, READER),
  get('users of a group', ({ project }) => `/user_groups/${project}_3/users?limit=50`, ADMIN),
  get('users of the platform', () => '/user_groups/2/users?limit=50', ADMIN),
  get('projects', () => `/projects?${query({ query: JSON.stringify({ shortname: range(1000).join('') }) })}`, READER),
  get('description of the API', () => '/openapi.json'),
];
