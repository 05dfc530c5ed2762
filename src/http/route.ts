/** A route as data: what it takes and who may call it, beside what it does. The OpenAPI description reads the same. */
import { type SchemaObject } from 'ajv';
import { type Context } from 'koa';
import { type AnswerHeaders } from './openapi/response-schema.js';

/**
 * public: credentials are not looked at. hybrid: they are optional where the platform welcomes anonymous readers.
 * protected: 401 without.
 */
export type Access = 'public' | 'hybrid' | 'protected';

/** Who asks, as far as the machinery has to know. The routes and the code that makes the viewer agree on the rest. */
export interface Asker {
  readonly isSiteAdmin: () => boolean;
}

/** What of a request tells who asks. */
export interface Caller {
  readonly method: string;
  /** A header, '' without one. */
  get(name: string): string;
  readonly state: { readonly address: string; userId?: number | null };
}

/**
 * Tells who asks. Throws when they may not. `earlier`: the answer to the same request before. With it, a password is
 * neither hashed nor counted again.
 */
export type Authenticate<Viewer> = (caller: Caller, access: Access, earlier?: Viewer) => Promise<Viewer>;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export type Headers = Readonly<Record<string, string>>;

export interface RouteRequest<Viewer, Params, Query, Body> {
  readonly ctx: Context;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly viewer: Viewer;
}

interface RouteResponse {
  readonly description: string;
  /** Of the body; null: there is none. */
  readonly schema: SchemaObject | null;
  /** Of the body, where it is not JSON. */
  readonly mediaType?: string;
  /** Beside those of pages. */
  readonly headers?: AnswerHeaders;
  /** By name, the requests that the answer leads to. */
  readonly links?: Readonly<Record<string, ResponseLink>>;
}

/** A request with values of an answer: a link of OpenAPI. */
export interface ResponseLink {
  readonly operationId: string;
  readonly description: string;
  /** By name, an expression of OpenAPI such as `$response.body#/id`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a request header means, with more where not every text is allowed or none is. */
export type HeaderMeaning =
  string | { readonly description: string; readonly required: boolean; readonly schema: SchemaObject };

/** A group of routes in the API description. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

/** What the API description says of a route. */
export interface RouteDescription {
  readonly tag: Tag;
  /** A short sentence. */
  readonly summary: string;
  /** What the summary leaves out. */
  readonly description?: string;
  /** JSON Schemas. A part without one is handed over as {}. Texts of params and query are coerced to the schema's types. */
  readonly params?: SchemaObject;
  readonly query?: SchemaObject;
  readonly body?: SchemaObject;
  /** Request headers that mean something here beside credentials. */
  readonly headers?: Readonly<Record<string, HeaderMeaning>>;
  /** By status, the successes. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** By status: errors that not every route has, or that mean something else here. */
  readonly errors?: Readonly<Record<number, string>>;
  /** By status: headers that an error has beside those of every answer. */
  readonly errorHeaders?: Readonly<Record<number, AnswerHeaders>>;
}

export interface RouteDefinition<Viewer, Params, Query, Body> extends RouteDescription {
  readonly method: Method;
  /** Below the prefix, parameters with a colon: `/artifacts/:id`. */
  readonly path: string;
  readonly access: Access;
  /** Also takes application/x-www-form-urlencoded. */
  readonly form?: boolean;
  /** An invalid shape is refused before the authentication. */
  readonly shapeFirst?: boolean;
  /** Bytes that a body may have, where the usual limit does not do. */
  readonly bodyLimit?: number;
  /** Of every answer on the path, errors and OPTIONS included. Null: it is not known yet who asks. */
  readonly answerHeaders?: {
    readonly described: AnswerHeaders;
    readonly of: (viewer: Viewer | null) => Headers | Promise<Headers>;
  };
  handle(request: RouteRequest<Viewer, Params, Query, Body>): Promise<void> | void;
}

/** With the types of its parts sealed, so that routes fit in one list: the machinery validates before it calls. */
export type Route<Viewer = never> = RouteDefinition<Viewer, never, never, never>;

export type Nothing = Readonly<Record<string, never>>;

/** The one door from validated JSON to a route's types: the schemas beside them have to say the same. */
export function route<Viewer, Params = Nothing, Query = Nothing, Body = Nothing>(
  definition: RouteDefinition<Viewer, Params, Query, Body>,
): Route<Viewer> {
  return definition;
}
