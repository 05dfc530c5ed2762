/** The OpenAPI 3.1 description, made from the routes themselves so that it cannot say anything else. */
import { constantText, TEXT_TAGS } from '../etag.js';
import { PREFIXES } from '../location.js';
import { byPath } from '../mount.js';
import { route, type Route } from '../route.js';
import { components } from './components.js';
import { type ApiExamples } from './examples.js';
import { sharedErrors } from './errors.js';
import { INTRODUCTION, securitySchemes } from './openapi-parts.js';
import { operation } from './operation.js';

const TITLE = 'Tracker Ledger';

const TAG = { name: 'Description', description: 'What the API is.' };

/** Built once; describes itself too. */
export function openApiRoutes(
  routes: readonly Route[],
  version: string,
  examples?: ApiExamples,
): readonly Route<unknown>[] {
  const own = route({
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    tag: TAG,
    summary: 'Get this description.',
    headers: TEXT_TAGS.headers,
    responses: {
      200: { description: 'An OpenAPI 3.1 document', schema: { type: 'object' }, headers: TEXT_TAGS.answer },
    },
    handle({ ctx }) {
      send(ctx);
    },
  });
  const send = constantText(JSON.stringify(openApi([...routes, own], version, examples)));
  return [own];
}

export function openApi(routes: readonly Route[], version: string, examples: ApiExamples = {}): object {
  const { published, schemas } = components();
  const paths = byPath(routes).map(([path, group]): [string, object] => [
    path.replaceAll(/:([^/]+)/g, '{$1}'),
    Object.fromEntries(group.map((each) => [each.method.toLowerCase(), operation(each, published, examples)])),
  ]);
  const responses = published(sharedErrors(examples['shared'] ?? {}));
  return {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: INTRODUCTION },
    servers: PREFIXES.map((url) => ({ url })),
    tags: [...new Set(routes.map(({ tag }) => tag))],
    paths: Object.fromEntries(paths),
    components: { securitySchemes, responses, schemas: schemas() },
  };
}
