/** Params, query and body against a route's schemas. Schemas are compiled at the first request of the route, to start soon. */
import { Ajv, type ErrorObject, type SchemaObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { pointerTo, Problem, type Violation } from '../core/problem.js';
import { type Route } from './route.js';
import { bodyMessage, parameterMessage } from './violation-message.js';

const MAX_VIOLATIONS = 20;

export interface Parts {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

interface ValidParts {
  readonly params: never;
  readonly query: never;
  readonly body: never;
}

export type Validate = (parts: Parts) => ValidParts;

/** Makes validators that share one compiler. */
export function validation(): (route: Pick<Route, 'params' | 'query' | 'body'>) => Validate {
  const options = {
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strict: true,
    strictRequired: false,
    // Whether the schemas themselves are valid is for the specs of the API's description to see.
    validateSchema: false,
  } as const;
  const bodies = new Ajv(options);
  const parameters = new Ajv({ ...options, useDefaults: true });
  // What the API description has in place of a schema that leaves the check to a parser.
  bodies.addVocabulary(['published']);
  for (const ajv of [bodies, parameters]) addFormats(ajv);

  return ({ params, query, body }) => {
    const compile = () => ({
      params: parameters.compile<never>(params ?? {}),
      query: parameters.compile<never>(query ?? {}),
      body: bodies.compile<never>(body ?? {}),
    });
    let compiled: ReturnType<typeof compile> | undefined;
    const paramTypes = params && typesIn(params);
    const queryTypes = query && typesIn(query);

    return (parts) => {
      const violations: Violation[] = [];
      const given = {
        params: paramTypes === undefined ? {} : typed(paramTypes, Object.entries(parts.params)),
        query: queryTypes === undefined ? {} : typed(queryTypes, once(queryTypes, parts.query, violations)),
        body: body === undefined ? {} : parts.body,
      };
      const check = (compiled ??= compile());
      violations.push(
        ...failures(check.params, given.params, ofParameter),
        ...failures(check.query, given.query, ofParameter),
        ...failures(check.body, given.body, ofBody),
      );
      const valid: unknown = violations.length === 0 ? given : undefined;
      if (isValid(valid)) return valid;
      throw new Problem('invalid', summary(violations), { details: violations.slice(0, MAX_VIOLATIONS) });
    };
  };
}

function addFormats(ajv: Ajv): void {
  formats.default(ajv);
  const written = formats.default.get('date-time') as { readonly validate: (text: string) => boolean };
  ajv.addFormat('date-time', (text) => written.validate(text) && isRead(text));
}

/** Of instants, some are no date of a clock, such as leap seconds, and JavaScript reads some as others. */
function isRead(text: string): boolean {
  // NaN is not the same as NaN.
  return Date.parse(text) === Date.parse(text.replace(/\s/, 'T'));
}

/** Each part has passed the check of its schema, which the route's types repeat. */
function isValid(given: unknown): given is ValidParts {
  return given !== undefined;
}

/** As some clients write it, also in digits. */
export const ID_IN_BODY: SchemaObject = {
  type: ['integer', 'string'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  pattern: '^[1-9][0-9]{0,15}$',
  examples: [101],
};

/** The params of a path with the id of a thing. */
export interface IdParams {
  readonly id: number;
}

/** Their schema. */
export function idParam(of: string): SchemaObject {
  const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: `The id of the ${of}` };
  return { type: 'object', properties: { id }, required: ['id'] };
}

/** Parameters that the schema does not know are left out; one given twice has no one meaning. */
function once(known: Types, query: URLSearchParams, violations: Violation[]): [string, string][] {
  if (query.size === 0) return [];
  const entries = [...query].filter(([name]) => known.has(name));
  for (const name of known.keys()) {
    if (query.getAll(name).length > 1) violations.push({ pointer: name, message: 'is given more than once' });
  }
  return entries;
}

/** Texts of an URL as the types that the schema asks for, where they are written the one way. */
function typed(types: Types, entries: readonly (readonly [string, string])[]): Record<string, unknown> {
  return Object.fromEntries(entries.map(([name, text]) => [name, coerced(types.get(name), text)]));
}

function coerced(type: unknown, text: string): unknown {
  if (type === 'boolean') return BOOLEANS.get(text) ?? text;
  const isNumber = (type === 'integer' && INTEGER.test(text)) || (type === 'number' && NUMBER.test(text));
  const number = isNumber ? Number(text) : Number.NaN;
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

const INTEGER = /^(0|-?[1-9]\d*)$/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** By name of the property. */
type Types = ReadonlyMap<string, unknown>;

function typesIn(schema: SchemaObject): Types {
  const properties: unknown = schema['properties'];
  if (typeof properties !== 'object' || properties === null) return new Map();
  return new Map(Object.entries(properties).map(([name, property]) => [name, typeOf(property)]));
}

function typeOf(property: unknown): unknown {
  return typeof property === 'object' && property !== null && 'type' in property ? property.type : undefined;
}

function failures(check: ValidateFunction, data: unknown, violationOf: (error: ErrorObject) => Violation): Violation[] {
  if (check(data)) return [];
  const errors = check.errors ?? [];
  // They hold the data until the next check.
  check.errors = null;
  const seen = new Map<string, Violation>();
  for (const error of errors.slice(0, 10 * MAX_VIOLATIONS)) {
    const violation = violationOf(error);
    seen.set(`${violation.pointer} ${violation.message}`, violation);
  }
  return [...seen.values()];
}

const ofBody = (error: ErrorObject): Violation => ({ pointer: placeOf(error), message: bodyMessage(error) });

const ofParameter = (error: ErrorObject): Violation => ({
  pointer: placeOf(error).replace(/^\//, ''),
  message: parameterMessage(error),
});

/** Points at the member that is missing or too much, not at what should hold it. */
function placeOf({ keyword, instancePath, params }: ErrorObject): string {
  const member: unknown =
    keyword === 'required'
      ? params['missingProperty']
      : keyword === 'additionalProperties'
        ? params['additionalProperty']
        : undefined;
  return typeof member === 'string' ? `${instancePath}${pointerTo(member)}` : instancePath;
}

function summary([first]: readonly Violation[]): string {
  if (first === undefined) return '';
  return first.pointer === '' ? `the body ${first.message}` : `${first.pointer} ${first.message}`;
}
