/** Writes at the bounds, most of them refused late or changing nothing. */
import { READER } from '../platform.js';
import { filled, ITEMS, MOST, range, type Kind } from './kind.js';
import { ADMIN, label, SIGNED_OUT } from './platform.js';
import { type Scene } from './scene.js';
import { svnWrites } from './svn-writes.js';

type Value = (scene: Scene, nth: number) => { readonly field: string; readonly [member: string]: unknown };

/** A PUT of one value. */
const put = (name: string, artifact: 'selection' | 'opens' | 'tables', value: Value): Kind => ({
  name,
  as: READER,
  request: (scene, nth) => {
    const { field, ...members } = value(scene, nth);
    const values = [{ field_id: scene.fields[field], ...members }];
    return { method: 'PUT', path: `/artifacts/${scene[artifact]}`, body: { values } };
  },
});

const lastLabels = (nth: number): readonly string[] => range(ITEMS).map((index) => label(8999 - index - nth));

const lists: readonly Kind[] = [
  put('open list: added labels', 'opens', (_, nth) => ({ field: 'added', bind_value_ids: lastLabels(nth) })),
  put('open list: defined labels', 'opens', (_, nth) => ({ field: 'defined', bind_value_ids: lastLabels(nth) })),
  put('open list: new labels', 'opens', (_, nth) => ({
    field: 'defined',
    bind_value_ids: range(100).map((index) => `new ${nth} ${index}`),
  })),
  put('open list: too many new labels', 'opens', () => ({
    field: 'defined',
    bind_value_ids: range(ITEMS).map((index) => `new ${index} ${'ä'.repeat(240)}`),
  })),
  put('open list: numbers', 'opens', (_, nth) => ({
    field: 'added',
    value: { bind_value_objects: range(ITEMS).map((index) => ({ id: `o${9999 - index - nth}` })) },
  })),
  put('open list: unknown addresses', 'selection', () => ({
    field: 'crowd',
    value: { bind_value_objects: range(ITEMS).map((index) => ({ email: `nobody${index}@example.org` })) },
  })),
  put('open list: 19,000 labels', 'opens', () => ({
    field: 'added',
    bind_value_ids: range(MOST).map((index) => `new ${index}`),
  })),
  put('selection: values', 'selection', ({ fields }, nth) => ({
    field: 'wide',
    bind_value_ids: range(ITEMS).map((index) => (fields['wide'] ?? 0) + 9000 - index - nth),
  })),
  put('selection: users', 'selection', ({ users }, nth) => ({
    field: 'people',
    bind_value_ids: users.slice(-ITEMS - nth).slice(0, ITEMS),
  })),
  put('selection: users of a group', 'selection', ({ users }, nth) => ({
    field: 'grouped',
    bind_value_ids: users.slice(-ITEMS - nth).slice(0, ITEMS),
  })),
  put('selection: 19,000 users', 'selection', ({ users }) => ({
    field: 'people',
    bind_value_ids: range(MOST).map(() => users.at(-1)),
  })),
  put('permissions: groups', 'selection', ({ project, groups }) => ({
    field: 'visible_to',
    value: { is_used_by_default: false, granted_groups: range(ITEMS).map(() => `${project}_${groups.at(-1) ?? 0}`) },
  })),
  put('files', 'selection', () => ({ field: 'files', value: range(ITEMS).map((index) => index + 1) })),
];

const links: readonly Kind[] = [
  put('links: forward', 'selection', ({ targets }, nth) => ({
    field: 'selections.links',
    links: (nth % 2 === 0 ? targets : targets.slice(1)).map((id) => ({ id })),
  })),
  put('links: forward, by somebody else', 'opens', ({ targets }, nth) => ({
    field: 'opens.links',
    all_links: (nth % 2 === 0 ? targets : targets.slice(1)).map((id) => ({ id, direction: 'forward' })),
  })),
  put('links: reverse from full sources', 'selection', ({ sources, fields, targets }) => ({
    field: 'selections.links',
    all_links: [
      ...sources.map((id) => ({ id, direction: 'reverse' })),
      ...targets.map((id) => ({ id, direction: 'forward', type: 'unknown' })),
    ],
    ...fields,
  })),
  put('links: reverse', 'selection', ({ targets }) => ({
    field: 'selections.links',
    all_links: targets.map((id) => ({ id, direction: 'reverse' })),
  })),
  put('links: 6,000', 'selection', ({ targets }) => ({
    field: 'selections.links',
    links: range(6000).map((index) => ({ id: targets[index % ITEMS], type: '' })),
  })),
];

const bodies: readonly Kind[] = [
  {
    name: 'values_by_field: 19,000 members',
    as: READER,
    request: ({ trackers }) => ({
      method: 'POST',
      path: '/artifacts',
      body: {
        tracker: { id: trackers.texts },
        values_by_field: Object.fromEntries(range(MOST).map((index) => [`f${index}`, 0])),
      },
    }),
  },
  {
    name: 'values: one field 300 times',
    as: READER,
    request: ({ opens, fields }) => ({
      method: 'PUT',
      path: `/artifacts/${opens}`,
      body: { values: range(300).map(() => ({ field_id: fields['added'], bind_value_ids: range(60).map(label) })) },
    }),
  },
  {
    name: 'values: 18 members each',
    as: READER,
    request: ({ opens }) => ({
      method: 'PUT',
      path: `/artifacts/${opens}`,
      body: { values: range(ITEMS).map(() => Object.fromEntries(range(18).map((index) => [`m${index}`, 0]))) },
    }),
  },
  put('text: tables', 'tables', (_, nth) => ({
    field: 'text14',
    value: {
      content: `${filled('|a', 8000 + nth)}|\n${filled('|-', 8000 + nth)}|\n${filled('x\n', 40_000)}`,
      format: 'commonmark',
    },
  })),
  put('text: sources that are sent back', 'tables', (_, nth) => ({
    field: 'text14',
    value: 'a',
    commonmark: `${filled('![', 60_000)}${nth}`,
  })),
  put('text: blanks', 'tables', (_, nth) => ({
    field: 'text14',
    value: { content: `${' '.repeat(60_000 + nth)}a`, format: 'html' },
  })),
  put('text: unclosed elements', 'tables', (_, nth) => ({
    field: 'text14',
    value: { content: filled('<b>', 60_000 - 3 * nth), format: 'html' },
  })),
  {
    name: 'sign-out',
    as: SIGNED_OUT,
    request: (_, __, headers) => ({ method: 'DELETE', path: `/tokens/${headers['X-Auth-Token'] ?? ''}` }),
  },
  {
    name: 'request with a token beside 999 signed out',
    as: SIGNED_OUT,
    request: () => ({ method: 'GET', path: '/users/self' }),
  },
  { name: 'access key', as: READER, request: () => ({ method: 'POST', path: '/access_keys', body: {} }) },
];

const CHUNK_BYTES = 1_048_576;

const uploads: readonly Kind[] = [
  {
    name: 'upload: a chunk in Base64',
    as: READER,
    request: (_, nth) => {
      const content = Buffer.alloc(CHUNK_BYTES, nth).toString('base64');
      return {
        method: 'POST',
        path: '/artifact_temporary_files',
        body: { name: 'a', mimetype: 'text/plain', description: '', content: content.replaceAll(/.{76}/g, `$&\n`) },
      };
    },
  },
  {
    name: 'upload: 2 MiB of a resumable one',
    as: READER,
    request: ({ upload }, nth) => ({
      method: 'PATCH',
      isBare: true,
      path: `/uploads/tracker/file/${upload}`,
      headers: {
        'Content-Type': 'application/offset+octet-stream',
        'Tus-Resumable': '1.0.0',
        'Upload-Offset': String(nth * 2 * CHUNK_BYTES),
      },
      body: 'x'.repeat(2 * CHUNK_BYTES),
    }),
  },
];

const remove = (name: string, artifacts: (scene: Scene) => readonly number[]): Kind => ({
  name: `deletion: ${name}`,
  as: ADMIN,
  request: (scene, nth) => ({ method: 'DELETE', path: `/artifacts/${artifacts(scene)[nth] ?? 0}` }),
});

const deletions: readonly Kind[] = [
  remove('large history', ({ deletable }) => deletable),
  remove('1,000 links', ({ sources }) => sources.slice(-100)),
  remove('1,000 sources', ({ targets }) => targets.slice(-100)),
];

export const writeKinds: readonly Kind[] = [...lists, ...links, ...bodies, ...svnWrites, ...uploads, ...deletions];
