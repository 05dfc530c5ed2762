/** What the values of a list are: its own, users or groups, as it is bound. Selection and open lists share it. */
import { EMAIL_ADDRESS } from '../../core/text/email-address.js';
import { composed } from '../../core/text/spelling.js';
import { lookup } from './lookup.js';
import { type Definitions } from '../../definitions/definitions.js';
import { groupsOf } from '../../authorization/groups-of.js';
import { type GroupId } from '../../projects/project-events.js';
import { type ProjectView } from '../../projects/project-view.js';
import { groupRestId, userGroup } from '../../projects/representation.js';
import { type Field, type ListValue } from '../../trackers/field-types/definition.js';
import { displayName, userFor, type UserReader } from '../../users/representation.js';
import { idFrom } from './field-input.js';
import { lineFault } from './text.js';

export interface ListContext {
  readonly definitions: Definitions;
  readonly projectId: number;
}

export interface ReadListContext extends ListContext {
  readonly viewer: UserReader;
}

interface Chosen {
  /** As lists of ids hold it. */
  readonly restId: number | string;
  /** By which open lists take it back. */
  readonly label: string;
  /** As people are shown it. */
  readonly displayed: string;
  readonly representation: (reader: UserReader) => object;
}

export interface Binding {
  /** As representations show it. */
  readonly type: 'static' | 'users' | 'ugroups';
  /** The id that a client wrote, in the form in which it is read or as a number. */
  readonly idFrom: (json: unknown, projectId: number) => number | undefined;
  /** Whether the list offers the value to those who choose anew. */
  readonly offers: (field: Field, id: number, context: ListContext) => boolean;
  /** What a label stands for, offered or not; labels come in NFC and trimmed. */
  readonly named: (field: Field, label: string, context: ListContext) => number | undefined;
  /** What a client is to write in place of a label that no user may add; labels come in NFC and trimmed. */
  readonly insteadOf: (newLabel: string) => string | undefined;
  /** Undefined once it is no more. */
  readonly chosen: (field: Field, id: number, context: ListContext) => Chosen | undefined;
}

export const bindingOf = ({ bind = 'static' }: Field): Binding => BINDINGS[bind];

/** `110_3` is a group of project 110, in that project only. */
export function groupIdFrom(json: unknown, projectId: number): GroupId | undefined {
  const prefix = `${projectId}_`;
  return idFrom(typeof json === 'string' && json.startsWith(prefix) ? json.slice(prefix.length) : json);
}

export const plainLabel = (label: string): string => composed(label).trim();

const MAX_LABEL = 255;

/** What is wrong with a plain label that would be a new one. */
export const labelFault = (label: string): string | undefined =>
  label === '' ? 'takes no empty label' : lineFault(label, MAX_LABEL);

/** A definition never changes once made, and hardly anything is read as often. */
const valueOfId = lookup(({ id }: ListValue) => id);
const offeredOfLabel = lookup(({ label, hidden }: ListValue) => (hidden ? undefined : plainLabel(label)));
const valueOfLabel = lookup(({ label }: ListValue) => plainLabel(label));

const staticList: Binding = {
  type: 'static',
  idFrom,
  offers: ({ values = [] }, id) => valueOfId(values, id)?.hidden === false,
  /** Hidden ones come last, but count: a label of the list is never added to it a second time. */
  named: ({ values = [] }, label) => (offeredOfLabel(values, label) ?? valueOfLabel(values, label))?.id,
  insteadOf: () => undefined,
  chosen: ({ values = [] }, id) => {
    const value = valueOfId(values, id);
    return value && staticValue(value);
  },
};

const ADDRESS = new RegExp(EMAIL_ADDRESS, 'u');

const userList: Binding = {
  type: 'users',
  idFrom,
  offers: ({ type, from = [] }, id, { definitions, projectId }) => {
    const user = definitions.user(id);
    const project = definitions.project(projectId);
    if (user?.status !== 'active' || project === undefined) return false;
    // Every writer has signed in, and so finds every active user.
    if (type === 'tbl') return true;
    const groups = groupsOf(user, project);
    return from.some((group) => groups.has(group));
  },
  named: (_, label, { definitions }) => (definitions.userNamed(label) ?? userShownAs(label, definitions))?.id,
  insteadOf: (label) => (ADDRESS.test(label) ? undefined : 'the name of a user, or an email address'),
  chosen: (_, id, { definitions }) => {
    const user = definitions.user(id);
    return (
      user && {
        restId: id,
        label: user.username,
        displayed: displayName(user),
        representation: (reader) => userFor(reader, user),
      }
    );
  },
};

/** Clients also write what they are shown of a user: `Alice Martin (alice)`. */
function userShownAs(label: string, definitions: Definitions) {
  const [, username = ''] = /\(([^()]*)\)$/.exec(label) ?? [];
  const user = definitions.userNamed(username);
  return user !== undefined && plainLabel(displayName(user)) === label ? user : undefined;
}

const groupsLabelled = groupsSpelt(plainLabel);

const groupList: Binding = {
  type: 'ugroups',
  idFrom: groupIdFrom,
  offers: ({ from = [] }, id, context) => from.includes(id) && groupIn(context, id) !== undefined,
  named: (field, label, context) => groupsLabelled(field, label, context)[0],
  insteadOf: () => 'the name of a group that it offers',
  chosen: (_, id, context) => {
    const group = groupIn(context, id);
    const restId = groupRestId(context.projectId, id);
    return group && { restId, label: group.short_name, displayed: group.label, representation: () => group };
  },
};

const BINDINGS = { static: staticList, users: userList, user_groups: groupList } as const;

type GroupsByLabel = ReadonlyMap<string, readonly GroupId[]>;

/** Which groups of a list have a short name that is spelt so, by which open lists give them, and then, which a label. */
export function groupsSpelt(spell: (label: string) => string) {
  // A project is another object once anything of it has changed.
  const known = new WeakMap<ProjectView, WeakMap<readonly GroupId[], GroupsByLabel>>();
  return ({ from = [] }: Field, spelt: string, { definitions, projectId }: ListContext): readonly GroupId[] => {
    const project = definitions.project(projectId);
    if (project === undefined) return [];
    const lists = known.get(project) ?? new WeakMap<readonly GroupId[], GroupsByLabel>();
    const groups = lists.get(from) ?? byLabel(from, project, spell);
    known.set(project, lists.set(from, groups));
    return groups.get(spelt) ?? [];
  };
}

function byLabel(from: readonly GroupId[], project: ProjectView, spell: (label: string) => string): GroupsByLabel {
  const groups = new Map<string, GroupId[]>();
  for (const spelling of ['short_name', 'label'] as const) {
    for (const id of from) {
      const spelt = userGroup(project, id)?.[spelling];
      if (spelt === undefined) continue;
      const known = groups.get(spell(spelt)) ?? [];
      if (!known.includes(id)) groups.set(spell(spelt), [...known, id]);
    }
  }
  return groups;
}

function groupIn({ definitions, projectId }: ListContext, id: GroupId) {
  const project = definitions.project(projectId);
  return project && userGroup(project, id);
}

function staticValue({ id, label, color, hidden }: ListValue): Chosen {
  const tlpColor = color === '' ? null : color;
  const representation = { id, label, color: null, tlp_color: tlpColor, is_hidden: hidden };
  return { restId: id, label, displayed: label, representation: () => representation };
}
