/** One project, its people and one field at a time: what the specs of the types of fields share. */
import { type ArtifactView } from '../../../src/artifacts/artifact-view.js';
import { type FieldInput } from '../../../src/artifacts/fields/field-input.js';
import { parseValues, type ParsedValues } from '../../../src/artifacts/fields/parse-values.js';
import { representValues } from '../../../src/artifacts/representation/represent-values.js';
import { type FieldValue } from '../../../src/trackers/field-types/field-value.js';
import { type Related } from '../../../src/artifacts/representation/load-related.js';
import { Problem, type Violation } from '../../../src/core/problem.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type Field } from '../../../src/trackers/field-types/definition.js';
import { type UserView } from '../../../src/users/user-view.js';
import {
  artifactOf,
  definitionsOf,
  groupOf,
  projectOf,
  trackerOf,
  userOf,
  type GivenDefinitions,
} from '../../support/definitions.js';
import { htmlAtOnce } from './html-at-once.js';

export const ALICE = userOf(115, { username: 'alice', realName: 'Alice Martin', email: 'alice@example.org' });
export const BOB = userOf(116, { username: 'bob', realName: 'Bob Stone', email: 'bob@example.org' });
export const EVE = userOf(117, { username: 'eve' });
export const GONE = userOf(118, { username: 'gone', status: 'suspended' });
export const DEVELOPERS = 158;
export const ARTIFACT_ID = 220;

const PROJECT = projectOf({
  admins: [ALICE.id],
  members: [BOB.id, GONE.id],
  groups: [groupOf(DEVELOPERS, { shortName: 'developers', label: 'Developers', members: [BOB.id] })],
});

export const PLACE: GivenDefinitions = {
  users: [ALICE, BOB, EVE, GONE],
  projects: [PROJECT],
  platform: { linkTypes: [{ shortname: 'fixed_in', forwardLabel: 'Fixed in', reverseLabel: 'Fixes' }] },
};

/** `held`: what the field holds in the artifact that is written; left out at a creation. */
export function parsed(
  field: Field,
  input: FieldInput,
  held?: FieldValue,
  given: GivenDefinitions = PLACE,
): ParsedValues {
  const artifact = held === undefined ? {} : { artifact: { id: ARTIFACT_ID, values: { [field.id]: held } } };
  const context = { definitions: definitionsOf(given), htmlOf: htmlAtOnce, ...artifact };
  return parseValues(trackerOf([field]), [{ field_id: field.id, ...input }], context);
}

export function written(
  field: Field,
  input: FieldInput,
  held?: FieldValue,
  given?: GivenDefinitions,
): FieldValue | undefined {
  return parsed(field, input, held, given).values[String(field.id)];
}

/** How a client writes an open list without labels. */
export const objects = (...items: readonly unknown[]): FieldInput => ({ value: { bind_value_objects: items } });

/** What is wrong with one element, its pointers below the element. */
export function refusal(
  field: Field,
  input: FieldInput,
  held?: FieldValue,
  given?: GivenDefinitions,
): readonly Violation[] {
  const details = violations(() => parsed(field, input, held, given));
  return details.map(({ pointer, message }) => ({ pointer: pointer.replace('/values/0', ''), message }));
}

/** Empty when nothing is. */
export function violations(parse: () => unknown): readonly Violation[] {
  try {
    parse();
    return [];
  } catch (problem) {
    if (problem instanceof Problem && problem.kind === 'invalid') return problem.details ?? [];
    throw problem;
  }
}

export const pointers = (details: readonly Violation[]): readonly string[] => details.map(({ pointer }) => pointer);

export const UNRELATED: Related = {
  linked: () => undefined,
  reverseLinks: () => [],
  describeFile: () => undefined,
  sumOf: () => null,
};

export interface Reader {
  readonly user?: UserView | null;
  readonly related?: Related;
  readonly artifact?: Partial<ArtifactView>;
  readonly given?: GivenDefinitions;
}

/** The field of an artifact with this value, as it is read; undefined where it is left out. */
export function read(field: Field, value: FieldValue | undefined, reader: Reader = {}): object | undefined {
  const { user = null, related = UNRELATED, given = PLACE } = reader;
  const tracker = trackerOf([field]);
  const trackers = [tracker, ...(given.trackers ?? [])];
  const definitions = definitionsOf({ ...given, trackers });
  const context = { definitions, viewer: viewer(definitions, user), related, htmlOf: htmlAtOnce };
  const values = value === undefined ? {} : { [field.id]: value };
  return representValues(tracker, artifactOf(ARTIFACT_ID, { values, ...reader.artifact }), context)[0];
}
