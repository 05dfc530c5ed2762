/** A route as an operation of OpenAPI 3.1. */
import { type SchemaObject } from 'ajv';
import { isOptionalBody, requiredIn } from '../body/optional-body.js';
import { hasPages } from '../pages/pagination.js';
import { type Access, type HeaderMeaning } from '../route.js';
import { type Components } from './components.js';
import { type DescribedRoute } from './described-route.js';
import {
  completed,
  contentOf,
  NO_EXAMPLES,
  textExample,
  typedText,
  withExample,
  type ApiExamples,
  type CompletedExamples,
} from './examples.js';
import { errorsOf } from './errors.js';
import { headersOf } from './headers.js';
import { COMMON_HEADERS, PAGE_HEADERS, REQUEST_HEADERS } from './openapi-parts.js';
import { TEXT, type AnswerHeaders } from './response-schema.js';

type Published = Components['published'];

/** Of the method and the path: it is the same as long as they are. */
const operationId = ({ method, path }: Pick<DescribedRoute, 'method' | 'path'>): string =>
  `${method.toLowerCase()}${(path === '' ? '/index' : path).replaceAll(/[^A-Za-z]+(\w?)/g, (_, first: string) => first.toUpperCase())}`;

export function operation(route: DescribedRoute, published: Published, all: ApiExamples): object {
  const { access, tag, summary, description, params, query, headers = {} } = route;
  const id = operationId(route);
  const examples = completed(all[id] ?? NO_EXAMPLES, all['shared'] ?? NO_EXAMPLES);
  const parameters = [
    ...parametersIn('path', params, published),
    ...parametersIn('query', query, published),
    ...Object.entries({ ...headers, ...REQUEST_HEADERS }).map(([name, meaning]) =>
      headerParameter(name, meaning, published),
    ),
  ].map((parameter) => exemplified(parameter, examples.parameters?.[parameter.name]));
  return {
    operationId: id,
    tags: [tag.name],
    summary,
    ...(description !== undefined && { description }),
    security: SECURITY[access],
    parameters,
    ...requestBody(route, published, examples.body),
    responses: published({ ...successes(route, examples), ...errorsOf(route, examples) }),
  };
}

/** Pages that send requests fill in `example`: that of an optional parameter stands in its schema instead. */
function exemplified<P extends { readonly required: boolean; readonly schema: SchemaObject }>(
  parameter: P,
  text: string | undefined,
): P {
  const { required, schema } = parameter;
  if (required || text === undefined) return { ...parameter, ...textExample(schema, text) };
  return { ...parameter, schema: { ...schema, examples: [typedText(schema, text)] } };
}

const propertiesOf = (schema: SchemaObject | undefined): readonly [string, SchemaObject][] =>
  Object.entries(Object(schema?.['properties']) as Readonly<Record<string, SchemaObject>>);

function parametersIn(place: 'path' | 'query', schema: SchemaObject | undefined, published: Published) {
  return propertiesOf(schema).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || requiredIn(schema).includes(name),
    description: description as unknown,
    schema: published(property) as SchemaObject,
  }));
}

const headerParameter = (name: string, meaning: HeaderMeaning, published: Published) => {
  const { description, schema, required } =
    typeof meaning === 'string' ? { description: meaning, schema: TEXT, required: false } : meaning;
  return { name, in: 'header', required, description, schema: published(schema) as SchemaObject };
};

function requestBody(
  { body, form = false, bodyType = 'application/json' }: DescribedRoute,
  published: Published,
  example: unknown,
): object {
  if (body === undefined) return {};
  const types = [bodyType, ...(form ? ['application/x-www-form-urlencoded'] : [])];
  const content = Object.fromEntries(types.map((type) => [type, { schema: published(body), ...withExample(example) }]));
  return { requestBody: { required: !isOptionalBody(body), content } };
}

function successes(
  { method, query, responses, headers = {}, answerHeaders }: DescribedRoute,
  examples: CompletedExamples,
): object {
  const common: AnswerHeaders = { ...COMMON_HEADERS, ...answerHeaders?.described };
  const ofAll: AnswerHeaders = { ...common, ...(hasPages(query) && PAGE_HEADERS) };
  const described = Object.entries(responses).map(([status, response]) => [
    status,
    {
      description: response.description,
      headers: headersOf({ ...ofAll, ...response.headers }, Number(status), examples),
      ...(response.schema !== null && {
        content: contentOf(response.schema, examples.answers[Number(status)]?.body, response.mediaType),
      }),
      ...(response.links !== undefined && { links: response.links }),
    },
  ]);
  const unchanged = {
    description: 'The client has this answer already. There is no body.',
    headers: headersOf({ ...common, ...responses[200]?.headers }, 304, examples),
  };
  const mayBeUnchanged = method === 'GET' && 'If-None-Match' in headers;
  return Object.fromEntries([...described, ...(mayBeUnchanged ? [[304, unchanged]] : [])]) as object;
}

const SIGNED_IN = [{ authToken: [], authUserId: [] }, { basic: [] }, { accessKey: [] }];

const SECURITY: Readonly<Record<Access, readonly object[]>> = {
  public: [],
  hybrid: [{}, ...SIGNED_IN],
  protected: SIGNED_IN,
};
