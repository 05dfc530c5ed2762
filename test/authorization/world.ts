/** Random projects, trackers, fields and artifacts, and a model of who sees what of them, independent of the service. */
import fc from 'fast-check';
import { type FieldType } from '../../src/trackers/field-types/definition.js';

export const READERS = ['anonymous', 'outsider', 'member', 'tester', 'keeper', 'boss', 'root'] as const;
export type Reader = (typeof READERS)[number];

/** In the main project; `maker`, who builds everything, is in all groups. The keeper administers the first tracker. */
const GROUPS = ['all', 'registered', 'members', 'testers', 'admins'] as const;
export type Group = (typeof GROUPS)[number];

const FIELDS: readonly (readonly [string, FieldType])[] = [
  ['box', 'fieldset'],
  ['title', 'string'],
  ['state', 'sb'],
  ['points', 'int'],
  ['effort', 'computed'],
  ['links', 'art_link'],
  ['more', 'art_link'],
  ['files', 'file'],
  ['limits', 'perm'],
  ['crew', 'msb'],
  ['num', 'aid'],
  ['who', 'subby'],
  ['note', 'text'],
  ['column', 'column'],
  ['kind', 'rb'],
  ['marks', 'cb'],
  ['tags', 'tbl'],
  ['rate', 'float'],
  ['due', 'date'],
  ['turn', 'atid'],
  ['made', 'subon'],
  ['changed', 'lud'],
  ['changer', 'luby'],
];

const NEVER_WRITTEN: readonly FieldType[] = ['fieldset', 'column', 'aid', 'atid', 'subon', 'subby', 'lud', 'luby'];

export const NAMES = FIELDS.map(([name]) => name);

export interface FieldPlan {
  readonly name: string;
  readonly type: FieldType;
  readonly read: Group;
  /** Null: as for reading. */
  readonly submit: Group | null;
  readonly update: Group | null;
  readonly required: boolean;
}

interface TrackerPlan {
  readonly access: Group;
  readonly workflow: boolean;
  readonly fields: readonly FieldPlan[];
}

interface LinkPlan {
  /** Turn of an artifact; its own turn and those to come mean no link at a creation. */
  readonly to: number;
  readonly type: '' | '_is_child';
  readonly field: 'links' | 'more';
}

export interface ValuesPlan {
  readonly points: number;
  readonly state: 0 | 1;
  readonly effort: number | null;
  readonly links: readonly LinkPlan[];
}

interface ArtifactPlan extends ValuesPlan {
  readonly tracker: number;
  readonly limits: readonly Group[];
  readonly file: boolean;
}

export interface World {
  readonly side: { readonly access: 'public' | 'private'; readonly members: readonly Reader[] };
  /** The last one is in the side project. */
  readonly trackers: readonly TrackerPlan[];
  readonly artifacts: readonly ArtifactPlan[];
  readonly changes: readonly (ValuesPlan & { readonly artifact: number })[];
  readonly deleted: readonly number[];
}

const ARTIFACTS = 6;
const TRACKERS = 3;

const group = fc.constantFrom<Group>('all', 'all', 'all', ...GROUPS);

const writers = fc.oneof(fc.constant(null), fc.constant(null), group);

const tracker: fc.Arbitrary<TrackerPlan> = fc.record({
  access: fc.constantFrom<Group>('all', 'all', 'registered', 'members', 'testers', 'admins'),
  workflow: fc.boolean(),
  fields: fc.tuple(
    ...FIELDS.map(([name, type]) =>
      fc.record({
        name: fc.constant(name),
        type: fc.constant(type),
        read: group,
        submit: writers,
        update: writers,
        required: fc.boolean().map((required) => required && ['title', 'points'].includes(name)),
      }),
    ),
  ),
});

const values = {
  points: fc.integer({ min: 0, max: 9 }),
  state: fc.constantFrom<0 | 1>(0, 1),
  effort: fc.option(fc.integer({ min: 1, max: 9 })),
  links: fc.uniqueArray(
    fc.record({
      to: fc.nat(ARTIFACTS - 1),
      type: fc.constantFrom<LinkPlan['type']>('', '_is_child'),
      field: fc.constantFrom<LinkPlan['field']>('links', 'links', 'more'),
    }),
    { minLength: 2, maxLength: 4, selector: ({ to }) => to },
  ),
};

export const world: fc.Arbitrary<World> = fc.record({
  side: fc.record({
    access: fc.constantFrom<'public' | 'private'>('public', 'private'),
    members: fc.subarray<Reader>(['member', 'tester']),
  }),
  trackers: fc.array(tracker, { minLength: TRACKERS, maxLength: TRACKERS }),
  artifacts: fc.array(
    fc.record({
      ...values,
      tracker: fc.nat(TRACKERS - 1),
      limits: fc.oneof(fc.constant([]), fc.subarray<Group>(['members', 'testers', 'admins'], { minLength: 1 })),
      file: fc.boolean(),
    }),
    { minLength: ARTIFACTS, maxLength: ARTIFACTS },
  ),
  changes: fc.array(fc.record({ ...values, artifact: fc.nat(ARTIFACTS - 1) }), { minLength: 3, maxLength: 5 }),
  deleted: fc.uniqueArray(fc.nat(ARTIFACTS - 1), { maxLength: 2 }),
});

/** What a reader may see of a world. */
export interface Sight {
  readonly project: (side: boolean) => boolean;
  readonly tracker: (index: number) => boolean;
  readonly field: (tracker: number, name: string) => boolean;
  readonly updates: (tracker: number, name: string) => boolean;
  /** Whether they may write it without reading it. An update of what a workflow governs takes the right to read it. */
  readonly blind: (tracker: number, name: string) => boolean;
  /** As it was when it was there. */
  readonly artifact: (index: number) => boolean;
  readonly administers: (tracker: number) => boolean;
}

export const isOnTheSide = (index: number): boolean => index === TRACKERS - 1;

export function sightOf({ side, trackers, artifacts }: World, reader: Reader): Sight {
  const groups = [groupsIn(reader), sideGroups(side.members, reader)] as const;
  const isIn = (index: number, asked: Group): boolean => groups[isOnTheSide(index) ? 1 : 0].has(asked);
  const project: Sight['project'] = (isSide) =>
    !isSide || reader === 'root' || side.access === 'public' || groups[1].has('members');
  const administers: Sight['administers'] = (index) =>
    reader === 'root' || (reader === 'boss' && !isOnTheSide(index)) || (reader === 'keeper' && index === 0);
  const tracker: Sight['tracker'] = (index) =>
    project(isOnTheSide(index)) && (administers(index) || isIn(index, trackers[index]!.access));
  const planOf = (index: number, name: string): FieldPlan =>
    trackers[index]!.fields.find((field) => field.name === name)!;
  const field: Sight['field'] = (index, name) => isIn(index, planOf(index, name).read);
  const updates: Sight['updates'] = (index, name) => {
    const { update, read } = planOf(index, name);
    const isGoverned = trackers[index]!.workflow && name === 'state';
    return isIn(index, update ?? read) && (field(index, name) || !isGoverned);
  };
  return {
    project,
    tracker,
    administers,
    field,
    updates,
    blind: (index, name) => {
      const { type, submit, read } = planOf(index, name);
      if (reader === 'anonymous' || NEVER_WRITTEN.includes(type) || field(index, name)) return false;
      return isIn(index, submit ?? read) || updates(index, name);
    },
    artifact: (turn) => {
      const { tracker: index, limits } = artifacts[turn]!;
      return tracker(index) && (administers(index) || limits.length === 0 || limits.some((each) => isIn(index, each)));
    },
  };
}

function groupsIn(reader: Reader): ReadonlySet<Group> {
  const own: Partial<Record<Reader, readonly Group[]>> = {
    member: ['members'],
    tester: ['members', 'testers'],
    keeper: ['members'],
    boss: ['members', 'admins'],
  };
  return new Set<Group>(['all', ...(reader === 'anonymous' ? [] : ['registered' as const]), ...(own[reader] ?? [])]);
}

/** The testers of the side project are its builder alone. */
function sideGroups(members: readonly Reader[], reader: Reader): ReadonlySet<Group> {
  if (reader === 'anonymous') return new Set(['all']);
  return new Set<Group>(['all', 'registered', ...(members.includes(reader) ? ['members' as const] : [])]);
}
