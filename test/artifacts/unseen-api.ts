/** A platform of which much is hidden from mem, a member of its open project, and short words for what specs do there. */
import { expect } from 'chai';
import { type Answer } from '../support/client.js';
import { runService, type RunningService } from '../support/service.js';

const user = (name: string, more = ''): string =>
  `  - { username: ${name}, real_name: ${name}, email: ${name}@example.org, password: "${name}'s password"${more} }`;

const ADMINS = 'permissions: { read: [project_admins], submit: [project_admins], update: [project_admins] }';
const WRITE_ONLY = 'permissions: { read: [project_admins] }';

const PLATFORM = `
settings: { anonymous_access: true, artifact_deletion_limit: 9 }
users:
${user('maker', ', site_admin: true')}
${user('mem')}
${user('chief')}
projects:
  - shortname: open
    label: Open
    svn: true
    admins: [maker, chief]
    members: [mem]
    trackers:
      - item_name: item
        label: Items
        fields:
          - { name: title, label: Title, type: string }
          - { name: vault, label: Vault, type: string, ${ADMINS} }
          - { name: drop, label: Drop, type: string, required: false, ${WRITE_ONLY} }
          - { name: mode, label: Mode, type: sb, values: [{ label: Calm }, { label: Wild }], ${WRITE_ONLY} }
          - { name: tags, label: Tags, type: tbl, values: [], ${WRITE_ONLY} }
          - { name: pick, label: Pick, type: sb, values: [{ label: Kept }, { label: Gone }], ${WRITE_ONLY} }
          - { name: links, label: Links, type: art_link }
          - { name: files, label: Files, type: file }
          - { name: cellar, label: Cellar, type: file, ${ADMINS} }
          - { name: readers, label: Readers, type: perm }
        semantics: { title: title, status: { field: mode, open: [Calm] } }
        workflow: { field: mode, transitions: [[null, Calm], [Calm, Wild]] }
      - item_name: covert
        label: Covert
        fields:
          - { name: title, label: Title, type: string }
          - { name: ties, label: Ties, type: art_link, ${WRITE_ONLY} }
          - { name: links, label: Links, type: art_link }
      - item_name: strict
        label: Strict
        fields:
          - { name: title, label: Title, type: string, required: true }
          - { name: must, label: Must, type: string, required: true, ${ADMINS} }
          - { name: hint, label: Hint, type: string, required: true, ${WRITE_ONLY} }
  - shortname: closed
    label: Closed
    access: private
    admins: [maker]
    user_groups: [{ short_name: plotters, label: Plotters }]
    trackers:
      - item_name: case
        label: Cases
        fields:
          - { name: title, label: Title, type: string }
          - { name: links, label: Links, type: art_link }
`;

export interface UnseenApi extends RunningService {
  /** An element of `values` of an item, or of another tracker's artifact. */
  of(name: string, parts: object, tracker?: string): object;
  links(...ids: readonly number[]): object;
  /** As maker, who sees everything. */
  made(values?: readonly object[], tracker?: string): Promise<number>;
  submit(values: readonly object[], as: string, tracker?: string): Promise<Answer>;
  change(id: number, values: readonly object[], as?: string): Promise<Answer>;
  etag(id: number): Promise<string | null>;
}

export async function unseenApi(): Promise<UnseenApi> {
  const api = await runService({ platform: PLATFORM });
  const of: UnseenApi['of'] = (name, parts, tracker = 'item') => ({ field_id: api.field(tracker, name), ...parts });
  const submit: UnseenApi['submit'] = (values, as, tracker = 'item') =>
    api.post('/artifacts', {
      as,
      body: { tracker: { id: api.tracker(tracker) }, values: [of('title', { value: 'Visible' }, tracker), ...values] },
    });
  return {
    ...api,
    of,
    submit,
    links: (...ids) => of('links', { links: ids.map((id) => ({ id })) }),
    made: async (values = [], tracker) => {
      const { status, body } = await submit(values, 'maker', tracker);
      expect(status, JSON.stringify(body)).to.equal(201);
      return body.id;
    },
    change: (id, values, as = 'mem') => api.put(`/artifacts/${id}`, { as, body: { values } }),
    etag: async (id) => (await api.get(`/artifacts/${id}`, { as: 'maker' })).headers.get('etag'),
  };
}

/** Status and body, with what the client named put out of the way. */
export const words = ({ status, body }: Answer, named: number | string): string =>
  `${status} ${JSON.stringify(body ?? null)}`.replaceAll(new RegExp(`\\b${named}\\b`, 'g'), 'NAMED');
