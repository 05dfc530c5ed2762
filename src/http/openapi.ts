/** The OpenAPI 3.1 description, made from the routes themselves so that it cannot say anything else. */
import { type SchemaObject } from 'ajv';
import { byPath } from './mount.js';
import { PREFIXES } from './location.js';
import { route, type Access, type Route } from './route.js';

const TITLE = 'Tracker Ledger';

/** Built once; describes itself too. */
export function openApiRoutes(routes: readonly Route[], version: string): readonly Route[] {
  const own = route({
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    summary: 'This description.',
    responses: { 200: { description: 'An OpenAPI 3.1 document', schema: { type: 'object' } } },
    handle({ ctx }) {
      ctx.body = document;
    },
  });
  const document = openApi([...routes, own], version);
  return [own];
}

export function openApi(routes: readonly Route[], version: string): object {
  const paths = byPath(routes).map(([path, group]): [string, object] => [
    path.replaceAll(/:([^/]+)/g, '{$1}'),
    Object.fromEntries(group.map((each) => [each.method.toLowerCase(), operation(each)])),
  ]);
  return {
    openapi: '3.1.0',
    info: { title: TITLE, version },
    servers: PREFIXES.map((url) => ({ url })),
    paths: Object.fromEntries(paths),
    components: { securitySchemes, schemas: { Error: errorSchema }, responses: { Error: errorResponse } },
  };
}

function operation(described: Route): object {
  const { method, path, access, summary, params, query, responses } = described;
  const parameters = [...parametersIn('path', params), ...parametersIn('query', query)];
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+(\w?)/g, (_, first: string) => first.toUpperCase())}`,
    summary,
    security: SECURITY[access],
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(described),
    responses: { ...answers(responses), default: { $ref: '#/components/responses/Error' } },
  };
}

function parametersIn(place: 'path' | 'query', schema: SchemaObject | undefined): object[] {
  const properties: unknown = schema?.['properties'] ?? {};
  const required: unknown = schema?.['required'] ?? [];
  return Object.entries(Object(properties) as object).map(([name, property]: [string, unknown]) => ({
    name,
    in: place,
    required: place === 'path' || (Array.isArray(required) && required.includes(name)),
    schema: property,
  }));
}

function requestBody({ method, body, form = false }: Route): object {
  if (body === undefined) return {};
  const types = ['application/json', ...(form ? ['application/x-www-form-urlencoded'] : [])];
  const content = Object.fromEntries(types.map((type) => [type, { schema: body }]));
  return { requestBody: { required: method !== 'GET', content } };
}

function answers(responses: Route['responses'] = { 200: { description: 'OK' } }): object {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema }]) => [
      status,
      { description, ...(schema && { content: { 'application/json': { schema } } }) },
    ]),
  );
}

const SIGNED_IN = [{ authToken: [], authUserId: [] }, { basic: [] }, { accessKey: [] }];

const SECURITY: Readonly<Record<Access, readonly object[]>> = {
  public: [],
  hybrid: [{}, ...SIGNED_IN],
  protected: SIGNED_IN,
};

const securitySchemes = {
  authToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Auth-Token',
    description: 'From POST /tokens, valid for 24 hours',
  },
  authUserId: { type: 'apiKey', in: 'header', name: 'X-Auth-UserId', description: 'Goes with X-Auth-Token' },
  basic: { type: 'http', scheme: 'basic' },
  accessKey: { type: 'apiKey', in: 'header', name: 'X-Auth-AccessKey', description: 'From POST /access_keys' },
};

const errorSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer', description: 'The status' },
        message: { type: 'string' },
        details: {
          type: 'array',
          description: 'What is wrong where: a JSON pointer into the body, or the name of a parameter',
          items: {
            type: 'object',
            required: ['pointer', 'message'],
            properties: { pointer: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};

const errorResponse = {
  description:
    'What went wrong. 400 malformed, 401 no credentials or an expired token, 403 not allowed, 404 unknown, 412 changed ' +
    'meanwhile, 429 too many, 503 try again; 500 also for invalid credentials, unless the service is set to answer 401.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};
