/** What the options of an access file may say, once its lines are told apart. */

export interface AccessFileFault {
  readonly line: number;
  readonly message: string;
}

/** `unknown`: where the header could not be read, what follows is not judged. */
export type AccessSection = 'groups' | 'aliases' | 'rules' | 'unknown';

export interface AccessOption {
  readonly section: AccessSection;
  readonly name: string;
  readonly line: number;
  /** The value and the lines that continue it. */
  readonly parts: { readonly line: number; readonly text: string }[];
}

interface Names {
  readonly isGroup: (name: string) => boolean;
  readonly isAlias: (name: string) => boolean;
}

const MODES = new Set(['rw', 'r', '']);
const TOKENS = new Set(['$authenticated', '$anonymous']);

export function optionFaults(
  options: readonly AccessOption[],
  isKnownGroup: (name: string) => boolean,
): readonly AccessFileFault[] {
  const groups = options.filter(({ section }) => section === 'groups');
  const defined = new Set(groups.map(({ name }) => name));
  const aliases = new Set(options.filter(({ section }) => section === 'aliases').map(({ name }) => name));
  const names: Names = {
    isGroup: (name) => defined.has(name) || isKnownGroup(name),
    isAlias: (name) => aliases.has(name),
  };
  return [...options.flatMap((option) => faultsOf(option, names)), ...circles(groups)];
}

function faultsOf(option: AccessOption, names: Names): readonly AccessFileFault[] {
  switch (option.section) {
    case 'groups':
      return membersOf(option).flatMap(({ line, name }) => faultAt(line, memberFault(name, names)));
    case 'aliases':
      return option.parts.some(({ text }) => text.trim() !== '')
        ? []
        : faultAt(option.line, `gives the alias ${quoted(option.name)} no meaning`);
    case 'rules':
      return [...faultAt(option.line, principalFault(option.name, names)), ...modeFaults(option)];
    case 'unknown':
      return [];
  }
}

const faultAt = (line: number, message: string | undefined): readonly AccessFileFault[] =>
  message === undefined ? [] : [{ line, message }];

function membersOf({ parts }: AccessOption) {
  return parts.flatMap(({ line, text }) =>
    text.split(',').flatMap((member) => {
      const name = member.trim();
      return name === '' ? [] : [{ line, name }];
    }),
  );
}

function memberFault(name: string, names: Names): string | undefined {
  if (/^[*~$]/.test(name)) return `${quoted(name)} cannot be a member of a group`;
  return referenceFault(name, names);
}

function principalFault(name: string, names: Names): string | undefined {
  if (name === '*' || name === '') return undefined;
  const positive = name.startsWith('~') ? name.slice(1) : name;
  if (TOKENS.has(positive)) return undefined;
  if (positive === '' || /^[*~$]/.test(positive)) return `${quoted(name)} is nobody that a rule can be for`;
  return referenceFault(positive, names);
}

function referenceFault(name: string, { isGroup, isAlias }: Names): string | undefined {
  const referred = name.slice(1);
  if (name.startsWith('@') && !isGroup(referred)) return `names the group ${quoted(referred)}, which is not defined`;
  if (name.startsWith('&') && !isAlias(referred)) return `names the alias ${quoted(referred)}, which is not defined`;
  return undefined;
}

function modeFaults({ parts }: AccessOption): readonly AccessFileFault[] {
  const given = parts.map(({ line, text }) => ({ line, text: text.trim() })).filter(({ text }) => text !== '');
  const wrong = given.find(({ text }) => !MODES.has(text)) ?? given[1];
  return wrong === undefined
    ? []
    : faultAt(wrong.line, `${quoted(wrong.text)} is no access: expected rw, r or nothing`);
}

/** Groups that contain themselves by way of others. */
function circles(groups: readonly AccessOption[]): readonly AccessFileFault[] {
  const held = new Map<string, Set<string>>();
  const holders = new Map<string, Set<string>>();
  for (const group of groups) {
    for (const { name } of membersOf(group)) {
      if (!name.startsWith('@')) continue;
      link(held, group.name, name.slice(1));
      link(holders, name.slice(1), group.name);
    }
  }
  const inner = withoutEnds(new Set(held.keys()), held, holders);
  const circular = withoutEnds(inner, holders, held);
  return groups
    .filter(({ name }) => circular.has(name))
    .map(({ line, name }) => ({ line, message: `the group ${quoted(name)} is part of a circle of groups` }));
}

function link(links: Map<string, Set<string>>, from: string, to: string): void {
  links.set(from, (links.get(from) ?? new Set()).add(to));
}

/** Takes away, again and again, what links to nothing that is left. Every link is looked at once. */
function withoutEnds(
  names: ReadonlySet<string>,
  links: ReadonlyMap<string, ReadonlySet<string>>,
  back: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<string> {
  const left = new Map([...names].map((name) => [name, count(links.get(name), names)]));
  const ends = [...left].filter(([, links]) => links === 0).map(([name]) => name);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    left.delete(end);
    for (const name of back.get(end) ?? []) {
      const links = left.get(name);
      if (links === undefined) continue;
      left.set(name, links - 1);
      if (links === 1) ends.push(name);
    }
  }
  return new Set(left.keys());
}

function count(linked: ReadonlySet<string> | undefined, names: ReadonlySet<string>): number {
  return [...(linked ?? [])].filter((name) => names.has(name)).length;
}

/** Short enough for a message. */
const quoted = (name: string): string => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
