/** The OpenAPI 3.1 description, made from the routes themselves so that it cannot say anything else. */
import { type Context } from 'koa';
import { constantText, TEXT_TAGS } from '../etag.js';
import { PREFIXES } from '../location.js';
import { inTurns, type Steps } from '../../core/concurrency/others-turn.js';
import { byPath } from '../mount.js';
import { route, type Route } from '../route.js';
import { components } from './components.js';
import { type DescribedRoute } from './described-route.js';
import { completed, NO_EXAMPLES, type ApiExamples } from './examples.js';
import { sharedErrors } from './errors.js';
import { INTRODUCTION, securitySchemes } from './openapi-parts.js';
import { operation } from './operation.js';

const TITLE = 'Tracker Ledger';
/** As the package has it. */
const LICENSE = { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' };

const TAG = { name: 'Description', description: 'What the API is.' };

export interface DescriptionParts {
  readonly version: string;
  readonly examples?: ApiExamples;
  /** Routes outside /api. */
  readonly outside?: readonly DescribedRoute[];
}

/** Made at the first request for it; describes itself too. */
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
    async handle({ ctx }) {
      made ??= inTurns(openApi([...routes, own], parts)).then((description) =>
        constantText(JSON.stringify(description)),
      );
      (await made)(ctx);
    },
  });
  let made: Promise<(ctx: Context) => void> | undefined;
  return [own];
}

/** The description, with a step for each path. */
export function* openApi(
  routes: readonly Route[],
  { version, examples = {}, outside = [] }: DescriptionParts,
): Steps<object> {
  const { published, schemas } = components();
  const shared = examples['shared'] ?? NO_EXAMPLES;
  const pathOf = ([path, group]: readonly [string, readonly DescribedRoute[]]): [string, object] => [
    path === '' ? '/' : path.replaceAll(/:([^/]+)/g, '{$1}'),
    Object.fromEntries(group.map((each) => [each.method.toLowerCase(), operation(each, published, examples)])),
  ];
  const paths: [string, object][] = [];
  for (const group of byPath<DescribedRoute>(routes)) {
    paths.push(pathOf(group));
    yield;
  }
  for (const group of byPath(outside)) {
    const [path, item] = pathOf(group);
    paths.push([path, { servers: [{ url: '/' }], ...item }]);
    yield;
  }
  const responses = published(sharedErrors(completed(shared, shared)));
  return {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: INTRODUCTION, license: LICENSE },
    servers: PREFIXES.map((url) => ({ url })),
    tags: [...new Set([...routes, ...outside].map(({ tag }) => tag))],
    paths: Object.fromEntries(paths),
    components: { securitySchemes, responses, schemas: schemas() },
  };
}
