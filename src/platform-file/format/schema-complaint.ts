/** What the schema finds, in words: the place, the value, and what is allowed there. */
import { type ErrorObject } from 'ajv/dist/2020.js';
import { pointerTo } from '../../core/problem.js';
import { TYPE_WORDS } from '../../http/violation-message.js';
import { type Complaint } from './file-error.js';

type Known = Readonly<Record<string, unknown>>;

const MAX_SHOWN = 60;

/** The pointer names the member that is wrong, also where the schema complains about what holds it. */
export function complaintOf(error: ErrorObject): Complaint {
  const { keyword, instancePath } = error;
  const params: Known = error.params;
  const at = (member: unknown): string => `${instancePath}${pointerTo(String(member))}`;
  switch (keyword) {
    case 'additionalProperties':
      return { pointer: at(params['additionalProperty']), message: `is unknown${membersOf(error)}` };
    case 'required':
      return { pointer: at(params['missingProperty']), message: 'is missing' };
    case 'discriminator':
      return { pointer: at(params['tag']), message: unknownTag(params['tagValue'], error) };
    default:
      return { pointer: instancePath, message: messageFor(error, params) };
  }
}

function messageFor(error: ErrorObject, params: Known): string {
  const { keyword, data, message = 'is not valid' } = error;
  const limit = String(params['limit']);
  const messages: Readonly<Record<string, () => string>> = {
    enum: () => `${shown(error)} is not known; use ${oneOf(params['allowedValues'])}`,
    type: () => wrongType(error, params['type']),
    pattern: () => `${shown(error)} is not allowed; use ${describe(error) ?? message}`,
    minLength: () => 'is empty',
    maxLength: () => `is longer than ${limit} characters`,
    minimum: () => `${shown(error)} is less than ${limit}`,
    maximum: () => `${shown(error)} is more than ${limit}`,
    minItems: () => `has ${itemsIn(data)} items; ${describe(error) ?? `give at least ${limit}`}`,
    maxItems: () => `has ${itemsIn(data)} items; ${describe(error) ?? `give at most ${limit}`}`,
    uniqueItems: () => `lists ${shownValue(itemAt(data, params['i']))} twice`,
  };
  return messages[keyword]?.() ?? message;
}

function wrongType(error: ErrorObject, types: unknown): string {
  const allowed = wordsOf(types);
  const words = allowed.map((type) => TYPE_WORDS[type] ?? type).join(' or ');
  const { data }: { readonly data?: unknown } = error;
  if (data === null || data === undefined) return `is empty; it has to be ${words}`;
  if (typeof data === 'object') return `is ${shownValue(data)}; it has to be ${words}`;
  return `${shown(error)} has to be ${words}${example(error, allowed)}`;
}

/** What was probably meant. */
function example(error: ErrorObject, allowed: readonly string[]): string {
  const { data }: { readonly data?: unknown } = error;
  if (typeof data === 'object' || isSecret(error)) return '';
  const given = typeof data === 'string' ? data : written(data);
  if (allowed.includes('string')) return `: ${JSON.stringify(given)}`;
  if (allowed.includes('array')) return `: [${given}]`;
  return allowed.includes('object') ? exampleObject(error, given) : '';
}

function exampleObject(error: ErrorObject, given: string): string {
  const [first, ...others] = wordsOf(schemaOf(error)['required'] ?? []);
  if (first === undefined) return `: ${describe(error) ?? membersOf(error)}`;
  return `: { ${[`${first}: ${given}`, ...others.map((name) => `${name}: …`)].join(', ')} }`;
}

function unknownTag(value: unknown, error: ErrorObject): string {
  const tags = wordsOf(branchesOf(error).map((branch) => enumOf(branch)));
  const allowed = `use one of ${tags.join(', ')}`;
  if (value === undefined) return `is missing; ${allowed}`;
  return `${shownValue(value)} is no type of field; ${allowed}`;
}

const branchesOf = (error: ErrorObject): readonly unknown[] => {
  const { oneOf: branches } = schemaOf(error);
  return Array.isArray(branches) ? branches : [];
};

/** The types of field in one branch of the schema. */
function enumOf(branch: unknown): readonly unknown[] {
  const { properties } = branch as { readonly properties?: { readonly type?: { readonly enum?: readonly unknown[] } } };
  return properties?.type?.enum ?? [];
}

function membersOf(error: ErrorObject): string {
  const { properties } = schemaOf(error);
  return typeof properties === 'object' && properties !== null
    ? `; known are ${Object.keys(properties).join(', ')}`
    : '';
}

const schemaOf = ({ parentSchema = {} }: ErrorObject): Known => parentSchema;

function describe(error: ErrorObject): string | undefined {
  const { $comment: words } = schemaOf(error);
  return typeof words === 'string' ? words : undefined;
}

/** A password, or a text in the place of the file, of all users or of one: it may hold a password. */
const isSecret = ({ instancePath }: ErrorObject): boolean =>
  /\/password(_env)?$/.test(instancePath) || /^(\/users(\/\d+)?)?$/.test(instancePath);

/** Never a password. */
const shown = (error: ErrorObject): string =>
  isSecret(error) ? 'the value, which is not shown,' : shownValue(error.data);

/** As YAML has it. */
function written(value: unknown): string {
  if (typeof value !== 'number' || Number.isFinite(value)) return JSON.stringify(value);
  return Number.isNaN(value) ? '.nan' : `${value < 0 ? '-' : ''}.inf`;
}

/** What a list or an object holds may be a password. */
function shownValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = written(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Most members take null, but the author of another value did not mean null. */
function wordsOf(values: unknown): readonly string[] {
  return [values]
    .flat(2)
    .map(String)
    .filter((word) => word !== 'null');
}

function oneOf(values: unknown): string {
  const words = wordsOf(values);
  return words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ');
}

const itemsIn = (data: unknown): number => (Array.isArray(data) ? data.length : 0);
const itemAt = (data: unknown, index: unknown): unknown => (Array.isArray(data) ? data[Number(index)] : data);
