/** A platform, and things of every kind on it for requests to be about. */
import { expect } from 'chai';
import { type RunningService } from '../../support/service.js';

export const UNSERVED_PLATFORM = `
settings: { anonymous_access: true, artifact_deletion_limit: 100000, archive_deleted_artifacts: true }
users:
  - { username: alice, real_name: Alice, email: alice@example.org, password: alice's password }
  - { username: bob, real_name: Bob, email: bob@example.org, password: bob's password }
  - { username: root, real_name: Root, email: root@example.org, password: root's password, site_admin: true }
projects:
  - shortname: hydra
    label: Hydra
    admins: [alice]
    members: [bob]
    svn: true
    user_groups: [{ short_name: developers, label: Developers, members: [bob] }]
    trackers:
      - item_name: note
        label: Notes
        fields:
          - { name: title, label: Title, type: string }
          - { name: tags, label: Tags, type: tbl, values: [{ label: urgent }] }
          - { name: owner, label: Owner, type: sb, bind: users, from: [project_members] }
          - { name: links, label: Links, type: art_link }
          - { name: files, label: Files, type: file }
        semantics: { title: title }
`;

/** What the requests are about, made anew for each projection. */
export interface Stock {
  readonly api: RunningService;
  readonly tracker: number;
  readonly project: number;
  readonly group: number;
  readonly user: number;
  /** Linked from `source`, with a file. */
  readonly artifact: number;
  readonly source: number;
  readonly attached: number;
  /** Come in chunks, not attached. */
  readonly files: readonly number[];
  /** Announced, without bytes. */
  readonly uploads: readonly number[];
  readonly key: { readonly id: number; readonly identifier: string };
  readonly repositories: readonly number[];
  /** Of bob: the one that his requests use, and another. */
  readonly tokens: readonly string[];
  /** Goes into whatever has to be new. */
  readonly n: number;
}

const CHUNK = { name: 'f.txt', mimetype: 'text/plain', content: 'YWJj' };

export async function stocked(api: RunningService, n: number): Promise<Stock> {
  const made = async (path: string, body: unknown): Promise<number> => {
    const answer = await api.post(path, { as: 'alice', body });
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 201);
    return Number(answer.body.id);
  };
  const [project] = api.service.definitions.projects();
  const tracker = api.tracker('note');
  const field = (name: string): number => api.field('note', name);
  const submitted = (...values: readonly object[]) => made('/artifacts', { tracker: { id: tracker }, values });
  const announced = (name: string) =>
    made(`/tracker_fields/${field('files')}/files`, { name, file_size: 3, file_type: 'text/plain' });
  const uploaded = () => made('/artifact_temporary_files', CHUNK);
  const repository = (name: string) => made('/svn', { project_id: project!.id, name });

  const attached = await uploaded();
  const artifact = await submitted(
    { field_id: field('title'), value: `Target ${n}` },
    { field_id: field('files'), value: [attached] },
  );
  return {
    api,
    n,
    tracker,
    project: project!.id,
    group: project!.groups[0]!.id,
    user: api.user('alice'),
    artifact,
    source: await submitted({ field_id: field('links'), links: [{ id: artifact }] }),
    attached,
    files: [await uploaded(), await uploaded()],
    uploads: [await announced(`a${n}`), await announced(`b${n}`)],
    key: await accessKey(api),
    repositories: [await repository(`one${n}`), await repository(`two${n}`)],
    tokens: [await bobsToken(api), await bobsToken(api)],
  };
}

async function accessKey(api: RunningService): Promise<Stock['key']> {
  const { body, headers } = await api.post('/access_keys', { as: 'alice', body: {} });
  return { id: Number(headers.get('location')?.split('/').at(-1)), identifier: body.identifier };
}

async function bobsToken(api: RunningService): Promise<string> {
  const { body } = await api.post('/tokens', { body: { username: 'bob', password: "bob's password" } });
  return body.token;
}
