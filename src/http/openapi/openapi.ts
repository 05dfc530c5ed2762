/** The OpenAPI 3.1 description, made from the routes themselves so that it cannot say anything else. */
import { type SchemaObject } from 'ajv';
import { PREFIXES } from '../location.js';
import { byPath } from '../mount.js';
import { errorResponse, errorSchema, INTRODUCTION, PAGE_HEADERS, securitySchemes } from './openapi-parts.js';
import { route, type Access, type Route } from '../route.js';

const TITLE = 'Tracker Ledger';

/** Built once; describes itself too. */
export function openApiRoutes(routes: readonly Route[], version: string): readonly Route<unknown>[] {
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
    info: { title: TITLE, version, description: INTRODUCTION },
    servers: PREFIXES.map((url) => ({ url })),
    paths: Object.fromEntries(paths),
    components: { securitySchemes, schemas: { Error: errorSchema }, responses: { Error: errorResponse } },
  };
}

function operation(described: Route): object {
  const { method, path, access, summary, params, query, headers } = described;
  const parameters = [
    ...parametersIn('path', params),
    ...parametersIn('query', query),
    ...Object.entries(headers ?? {}).map(([name, meaning]) => headerParameter(name, meaning)),
  ];
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+(\w?)/g, (_, first: string) => first.toUpperCase())}`,
    summary,
    security: SECURITY[access],
    ...(parameters.length > 0 && { parameters }),
    ...requestBody(described),
    responses: { ...answers(described), default: { $ref: '#/components/responses/Error' } },
  };
}

const propertiesOf = (schema: SchemaObject | undefined): readonly [string, unknown][] =>
  Object.entries(Object(schema?.['properties']) as object);

function parametersIn(place: 'path' | 'query', schema: SchemaObject | undefined): object[] {
  const required: unknown = schema?.['required'] ?? [];
  return propertiesOf(schema).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (Array.isArray(required) && required.includes(name)),
    schema: published(property),
  }));
}

const headerParameter = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

function requestBody({ method, body, form = false }: Route): object {
  if (body === undefined) return {};
  const types = ['application/json', ...(form ? ['application/x-www-form-urlencoded'] : [])];
  const content = Object.fromEntries(types.map((type) => [type, { schema: published(body) }]));
  return { requestBody: { required: method !== 'GET', content } };
}

function answers({ query, responses = { 200: { description: 'OK' } } }: Route): object {
  const names = new Set(propertiesOf(query).map(([name]) => name));
  const ofPages = names.has('limit') && names.has('offset') ? PAGE_HEADERS : {};
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema, headers = {} }]) => [
      status,
      {
        description,
        headers: { ...ofPages, ...answerHeaders(headers) },
        ...(schema && { content: { 'application/json': { schema: published(schema) } } }),
      },
    ]),
  );
}

function answerHeaders(headers: Readonly<Record<string, string>>): object {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return Object.fromEntries(described) as object;
}

/** `nullable` is a word of ajv, not of JSON Schema. */
function published(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(published);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...members } = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, published(member)]),
  );
  return nullable === true ? { ...members, type: [members['type'], 'null'].flat() } : members;
}

const SIGNED_IN = [{ authToken: [], authUserId: [] }, { basic: [] }, { accessKey: [] }];

const SECURITY: Readonly<Record<Access, readonly object[]>> = {
  public: [],
  hybrid: [{}, ...SIGNED_IN],
  protected: SIGNED_IN,
};
