/** The OpenAPI 3.1 description, made from the routes themselves so that it cannot say anything else. */
import { constantText, TEXT_TAGS } from '../etag.js';
import { PREFIXES } from '../location.js';
import { byPath } from '../mount.js';
import { route, type Route } from '../route.js';
import { components } from './components.js';
import { type DescribedRoute } from './described-route.js';
import { completed, NO_EXAMPLES, type ApiExamples } from './examples.js';
import { sharedErrors } from './errors.js';
import { INTRODUCTION, securitySchemes } from './openapi-parts.js';
import { operation } from './operation.js';

const TITLE = 'Tracker Ledger';

const TAG = { name: 'Description', description: 'What the API is.' };

export interface DescriptionParts {
  readonly version: string;
  readonly examples?: ApiExamples;
  /** Routes outside /api. */
  readonly outside?: readonly DescribedRoute[];
}

/** Built once; describes itself too. */
export function openApiRoutes(routes: readonly Route[], parts: DescriptionParts): readonly Route<unknown>[] {
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
  const send = constantText(JSON.stringify(openApi([...routes, own], parts)));
  return [own];
}

export function openApi(routes: readonly Route[], { version, examples = {}, outside = [] }: DescriptionParts): object {
  const { published, schemas } = components();
  const shared = examples['shared'] ?? NO_EXAMPLES;
  const pathOf = ([path, group]: readonly [string, readonly DescribedRoute[]]): [string, object] => [
    path === '' ? '/' : path.replaceAll(/:([^/]+)/g, '{$1}'),
    Object.fromEntries(group.map((each) => [each.method.toLowerCase(), operation(each, published, examples)])),
  ];
  const paths = [
    ...byPath(routes).map(pathOf),
    ...byPath(outside)
      .map(pathOf)
      .map(([path, item]) => [path, { servers: [{ url: '/' }], ...item }] as const),
  ];
  const responses = published(sharedErrors(completed(shared, shared)));
  return {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: INTRODUCTION },
    servers: PREFIXES.map((url) => ({ url })),
    tags: [...new Set([...routes, ...outside].map(({ tag }) => tag))],
    paths: Object.fromEntries(paths),
    components: { securitySchemes, responses, schemas: schemas() },
  };
}
