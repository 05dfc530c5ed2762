/** The answers of a route that are no success: what every route has, and what its declaration adds. */
import { STATUS_CODES } from 'node:http';
import { type DescribedRoute } from './described-route.js';
import { contentOf, type CompletedExamples } from './examples.js';
import { headersOf } from './headers.js';
import { COMMON_HEADERS } from './openapi-parts.js';
import { described, header, listOf, named, NUMBER, objectOf, TEXT, type AnswerHeaders } from './response-schema.js';

/** What the member `error` of a refusal holds. */
export const errorMember = objectOf(
  {
    code: described('The status', NUMBER),
    message: described('The reason phrase of the status, then what is wrong and what is allowed', TEXT),
    details: described(
      'Each fault of the request, of answers 400 at least one',
      listOf(
        objectOf({
          pointer: described('A JSON pointer into the body, empty for the body as a whole, or a parameter', TEXT),
          message: TEXT,
        }),
      ),
    ),
  },
  ['details'],
);

const errorSchema = named('Error', objectOf({ error: errorMember }));

/** Of the errors that routes share. */
const MEANINGS = {
  400: 'The request is malformed, or a value is not allowed. `details` has each fault.',
  401: 'Credentials are missing, or the token has expired.',
  403: 'The account is suspended, or the user may not do this.',
  404: 'The resource does not exist, or the user may not see it.',
  406: 'The service returns application/json, which Accept excludes.',
  408: 'The body did not arrive in time. The connection is closed.',
  413: 'The body is too large, or the change is.',
  415: 'The body is not JSON, or not in UTF-8.',
  429: 'Too many sign-ins have failed. Retry-After gives the seconds to wait.',
  431: 'The headers are too long. The connection is closed.',
  500: 'The credentials are wrong, unless the service is set to answer 401. Otherwise a defect of the service.',
  503: 'The service cannot answer now. Retry-After gives the seconds to wait.',
};

const RETRY_AFTER = { 'Retry-After': header('Seconds until another try may succeed', NUMBER) };

const HEADERS: Readonly<Record<number, AnswerHeaders>> = {
  401: { 'WWW-Authenticate': header('The scheme of HTTP Basic') },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

const OF_ALL = [400, 403, 406, 429, 431, 500, 503];

/** Answered before there is a request to name. */
const OF_CONNECTIONS = [408, 431];

const nameOf = (status: number): string => (STATUS_CODES[status] ?? String(status)).replaceAll(/[^A-Za-z]/g, '');

/** By status: what a declaration says of its own, or what all routes share. That is a reference if it has no more headers. */
export function errorsOf(route: DescribedRoute, examples: CompletedExamples): object {
  const { answerHeaders, errors = {}, errorHeaders = {} } = route;
  const statuses = route.sharedErrors ?? sharedBy(route);
  const ofAll = answerHeaders?.described ?? {};
  const shared = Object.entries(MEANINGS).filter(([status]) => statuses.includes(Number(status)));
  return {
    ...responsesBy(shared, (status, meaning) => {
      const more = { ...asFarAsKnown(ofAll), ...errorHeaders[status] };
      return OF_CONNECTIONS.includes(status) || Object.keys(more).length === 0
        ? { $ref: `#/components/responses/${nameOf(status)}` }
        : errorResponse(status, meaning, examples, { ...route, more });
    }),
    ...responsesBy(Object.entries(errors), (status, meaning) =>
      errorResponse(status, meaning, examples, { ...route, more: { ...ofAll, ...errorHeaders[status] } }),
    ),
  };
}

const responsesBy = (
  meanings: readonly (readonly [string, string])[],
  response: (status: number, meaning: string) => object,
): object => Object.fromEntries(meanings.map(([status, meaning]) => [status, response(Number(status), meaning)]));

/** A request may be refused before its route is known. */
const asFarAsKnown = (headers: AnswerHeaders): AnswerHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, each]) => [name, { ...each, required: false }]));

function sharedBy({ method, params, body, access }: DescribedRoute): readonly number[] {
  const signsIn = access !== 'public' || body !== undefined;
  const takesBody = method !== 'GET' || body !== undefined;
  return [
    ...OF_ALL,
    ...(signsIn ? [401] : []),
    ...(params === undefined ? [] : [404]),
    ...(takesBody ? [408, 413, 415] : []),
  ];
}

function errorResponse(
  status: number,
  description: string,
  examples: CompletedExamples,
  { method, more }: { readonly method?: string; readonly more?: AnswerHeaders } = {},
): object {
  const headers = { ...COMMON_HEADERS, ...HEADERS[status], ...more };
  return {
    description,
    ...(!OF_CONNECTIONS.includes(status) && { headers: headersOf(headers, status, examples) }),
    ...(method !== 'HEAD' && { content: contentOf(errorSchema, examples.answers[status]?.body) }),
  };
}

export const sharedErrors = (examples: CompletedExamples): object =>
  Object.fromEntries(
    Object.entries(MEANINGS).map(([status, meaning]) => [
      nameOf(Number(status)),
      errorResponse(Number(status), meaning, examples),
    ]),
  );
