/** The service with short words for uploading, attaching and reading files. */
import { expect } from 'chai';
import { artifactApi, type ArtifactApi, type Json } from '../artifacts/artifact-api.js';
import { type Answer } from '../support/client.js';
import { type RunOptions } from '../support/service.js';

export const CHUNK = 1_048_576;

export interface FileApi extends ArtifactApi {
  /** As carol, unless told otherwise. */
  start(content: Uint8Array | string, options?: { readonly as?: string; readonly name?: string }): Promise<Answer>;
  goOn(id: number, offset: number | string, content: Uint8Array | string, as?: string): Promise<Answer>;
  /** The id of a whole new temporary file. */
  uploaded(content?: Uint8Array | string, as?: string): Promise<number>;
  /** One element of `values` of a bug. */
  attachments(...ids: readonly number[]): Json;
  /** Ids of the files that an artifact is shown to hold. */
  held(artifact: number, as?: string): Promise<readonly number[]>;
  /** The whole content, by the loop of the contract. */
  content(id: number, as?: string | null): Promise<Buffer>;
  /** Outside /api. */
  raw(method: string, path: string, options?: RawOptions): Promise<Response>;
  announce(
    size: number,
    options?: { readonly as?: string; readonly name?: string; readonly field?: number },
  ): Promise<Answer>;
  /** A PATCH to an announced upload. */
  patch(id: number, offset: number, content: Body, as?: string): Promise<Response>;
}

type Body = NonNullable<RequestInit['body']>;

interface RawOptions {
  readonly as?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

export const base64 = (content: Uint8Array | string): string => Buffer.from(content).toString('base64');

export async function fileApi(options?: RunOptions): Promise<FileApi> {
  const api = await artifactApi(options);
  const start: FileApi['start'] = (content, { as = 'carol', name = 'f.txt' } = {}) =>
    api.post('/artifact_temporary_files', {
      as,
      body: { name, mimetype: 'text/plain', content: base64(content), description: 'd' },
    });
  const raw: FileApi['raw'] = async (method, path, { as = 'carol', headers = {}, body } = {}) =>
    fetch(`${api.url}${path}`, {
      method,
      headers: { ...(as === null ? {} : await api.signIn(as)), ...headers },
      ...(body !== undefined && { body, duplex: 'half' }),
    });
  const attachments: FileApi['attachments'] = (...value) => api.set('attachments', { value });

  return {
    ...api,
    start,
    goOn: (id, offset, content, as = 'carol') =>
      api.put(`/artifact_temporary_files/${id}`, { as, body: { offset, content: base64(content) } }),
    uploaded: async (content = 'hello', as = 'carol') => {
      const { status, body } = await start(content, { as });
      expect(status, JSON.stringify(body)).to.equal(201);
      return body.id as number;
    },
    attachments,
    held: async (artifact, as) => {
      const element = await api.shown(artifact, 'attachments', as);
      return ((element?.['file_descriptions'] ?? []) as { id: number }[]).map(({ id }) => id);
    },
    content: async (id, as = 'carol') => {
      const reader = as === null ? {} : { as };
      const chunks: Buffer[] = [];
      let offset = 0;
      for (;;) {
        const { status, headers, body } = await api.get(`/artifact_files/${id}?offset=${offset}`, reader);
        expect(status, JSON.stringify(body)).to.equal(200);
        chunks.push(Buffer.from(body.data as string, 'base64'));
        offset += Number(headers.get('X-Pagination-Limit'));
        if (offset >= Number(headers.get('X-Pagination-Size'))) return Buffer.concat(chunks);
      }
    },
    raw,
    announce: (size, { as = 'carol', name = 'big.bin', field = api.field('bug', 'attachments') } = {}) =>
      api.post(`/tracker_fields/${field}/files`, {
        as,
        body: { name, file_size: size, file_type: 'application/octet-stream', description: '' },
      }),
    patch: (id, offset, body, as = 'carol') =>
      raw('PATCH', `/uploads/tracker/file/${id}`, {
        as,
        body,
        headers: {
          'Tus-Resumable': '1.0.0',
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(offset),
        },
      }),
  };
}
