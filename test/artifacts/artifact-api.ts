/** The service with short words for what specs of artifacts do all the time. */
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { artifactStream, type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../src/artifacts/artifact-view.js';
import { type Answer, type RequestOptions } from '../support/client.js';
import { runService, type RunOptions, type RunningService } from '../support/service.js';

export type Json = Readonly<Record<string, unknown>>;

export interface WriteOptions extends RequestOptions {
  readonly tracker?: string;
  readonly comment?: unknown;
}

export interface ArtifactApi extends RunningService {
  /** One element of `values` of a bug; of another tracker with its item name. */
  set(name: string, parts: Json, tracker?: string): Json;
  titled(title: unknown, tracker?: string): Json;
  /** As carol, to the bugs, unless told otherwise. */
  submit(values: readonly unknown[], options?: WriteOptions): Promise<Answer>;
  /** The id of a new bug with a title. */
  created(values?: readonly unknown[], options?: WriteOptions): Promise<number>;
  change(id: number, values: readonly unknown[], options?: WriteOptions): Promise<Answer>;
  /** A change that is taken; its Etag. */
  changed(id: number, values: readonly unknown[], options?: WriteOptions): Promise<string>;
  read(id: number, as?: string): Promise<Answer>;
  etag(id: number): Promise<string>;
  /** The element of a field in what a reader is shown, undefined without one. */
  shown(id: number, name: string, as?: string): Promise<Json | undefined>;
  /** Takes an artifact away, by its event alone. */
  deleted(id: number): Promise<void>;
  /** The links that lead from an artifact and to it. */
  links(id: number, as?: string): Promise<{ readonly forward: readonly string[]; readonly reverse: readonly string[] }>;
}

export async function artifactApi(options: RunOptions = {}): Promise<ArtifactApi> {
  const api = await runService(options);
  const set: ArtifactApi['set'] = (name, parts, tracker = 'bug') => ({ field_id: api.field(tracker, name), ...parts });
  const titled: ArtifactApi['titled'] = (value, tracker) => set('title', { value }, tracker);

  const submit: ArtifactApi['submit'] = (values, { as = 'carol', tracker = 'bug', ...more } = {}) =>
    api.post('/artifacts', { as, body: { tracker: { id: api.tracker(tracker) }, values }, ...more });
  const created: ArtifactApi['created'] = async (values = [], given = {}) => {
    const { status, body } = await submit([titled('Crash', given.tracker), ...values], given);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  };
  const change: ArtifactApi['change'] = (id, values, { as = 'carol', comment, ...more } = {}) =>
    api.put(`/artifacts/${id}`, { as, body: { values, ...(comment !== undefined && { comment }) }, ...more });
  const changed: ArtifactApi['changed'] = async (id, values, given) => {
    const { status, body, headers } = await change(id, values, given);
    expect(status, JSON.stringify(body)).to.equal(200);
    return headers.get('etag') ?? '';
  };
  const read: ArtifactApi['read'] = (id, as = 'carol') => api.get(`/artifacts/${id}`, { as });
  const shown: ArtifactApi['shown'] = async (id, name, as) =>
    elementsOf(await read(id, as)).find((element) => element['field_id'] === api.field('bug', name));

  return {
    ...api,
    set,
    titled,
    submit,
    created,
    change,
    changed,
    read,
    shown,
    deleted: async (id) => {
      const { log, readModels, clock } = api.service;
      const { events, revision } = await log.read<ArtifactEvent>(artifactStream(id));
      const { artifactId, trackerId } = events.find((event) => event.type === 'ArtifactSubmitted')!.data;
      const event = { type: 'ArtifactDeleted', data: { artifactId, trackerId }, id: randomUUID() };
      const metadata = { actor: null, at: clock().toISOString(), schema: 1, commandId: randomUUID() };
      const { position } = await log.append(artifactStream(id), revision, [event], metadata);
      expect(await readModels.caughtUp(ARTIFACTS, position, 30_000)).to.equal(true);
    },
    etag: async (id) => (await read(id, 'alice')).headers.get('etag') ?? '',
    links: async (id, as) => {
      const { links, reverse_links: reverse } = elementsOf(await read(id, as)).find(
        ({ type }) => type === 'art_link',
      ) as {
        readonly links: readonly Json[];
        readonly reverse_links: readonly Json[];
      };
      const written = (list: readonly Json[]) =>
        list.map(({ id: end, type }) => `${String(end)} ${String(type)}`.trim()).sort();
      return { forward: written(links), reverse: written(reverse) };
    },
  };
}

export function elementsOf({ status, body }: Answer): readonly Json[] {
  expect(status, JSON.stringify(body)).to.equal(200);
  return body.values;
}

/** The four headers of a page. */
export const pageHeaders = ({ headers }: Pick<Answer, 'headers'>): readonly number[] =>
  ['LIMIT', 'OFFSET', 'SIZE', 'LIMIT-MAX'].map((name) => Number(headers.get(`X-PAGINATION-${name}`)));

/** What an answer says is wrong: its status, and the places in the request. */
export function refusal({ status, body }: Answer): { readonly status: number; readonly pointers: readonly string[] } {
  const { error } = body as { error: { code: number; message: string; details?: readonly { pointer: string }[] } };
  expect(error.code).to.equal(status);
  expect(error.message).to.be.a('string').and.not.equal('');
  return { status, pointers: (error.details ?? []).map(({ pointer }) => pointer) };
}
