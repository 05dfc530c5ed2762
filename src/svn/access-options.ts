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

/** The first ones: `most` of single options, and as many of circles. */
export function optionFaults(
  options: readonly AccessOption[],
  isKnownGroup: (name: string) => boolean,
  most: number,
): readonly AccessFileFault[] {
  const groups = options.filter(({ section }) => section === 'groups');
  const defined = new Set(groups.map(({ name }) => name));
  const aliases = new Set(options.filter(({ section }) => section === 'aliases').map(({ name }) => name));
  const names: Names = {
    isGroup: (name) => defined.has(name) || isKnownGroup(name),
    isAlias: (name) => aliases.has(name),
  };
  return [...firstFaults(options, names, most), ...circles(groups, most)];
}

function firstFaults(options: readonly AccessOption[], names: Names, most: number): readonly AccessFileFault[] {
  const faults: AccessFileFault[] = [];
  for (const option of options) {
    for (const fault of faultsOf(option, names)) {
      if (faults.length >= most) return faults;
      faults.push(fault);
    }
  }
  return faults;
}

function faultsOf(option: AccessOption, names: Names): Iterable<AccessFileFault> {
  switch (option.section) {
    case 'groups':
      return groupFaults(option, names);
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

/** What the first letter of a member may be that says more than the name of a user. */
const SPECIAL = /[*~$@&]/;

function* groupFaults({ parts }: AccessOption, names: Names): Generator<AccessFileFault> {
  for (const { line, text } of parts) {
    if (!SPECIAL.test(text)) continue;
    for (const member of text.split(',')) yield* faultAt(line, memberFault(member.trim(), names));
  }
}

function groupsIn({ parts }: AccessOption): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of parts) {
    if (!text.includes('@')) continue;
    for (const member of text.split(',')) {
      const name = member.trim();
      if (name.startsWith('@')) names.add(name.slice(1));
    }
  }
  return names;
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
function circles(groups: readonly AccessOption[], most: number): readonly AccessFileFault[] {
  const numbers = new Map([...new Set(groups.map(({ name }) => name))].map((name, number) => [name, number]));
  const held: number[][] = Array.from({ length: numbers.size }, () => []);
  const holders: number[][] = Array.from({ length: numbers.size }, () => []);
  for (const group of groups) {
    const holder = numbers.get(group.name) ?? 0;
    for (const name of groupsIn(group)) {
      const inner = numbers.get(name);
      if (inner === undefined) continue;
      held[holder]?.push(inner);
      holders[inner]?.push(holder);
    }
  }
  const isInner = withoutEnds(held, holders, () => true);
  const isCircular = withoutEnds(holders, held, isInner);
  return groups
    .filter(({ name }) => isCircular(numbers.get(name) ?? 0))
    .slice(0, most)
    .map(({ line, name }) => ({ line, message: `the group ${quoted(name)} is part of a circle of groups` }));
}

type Links = readonly (readonly number[])[];

/** Takes away, again and again, what links to nothing that is left. Every link is looked at once. */
function withoutEnds(links: Links, back: Links, isThere: (number: number) => boolean): (number: number) => boolean {
  const left = links.map((linked, number) => (isThere(number) ? linked.filter(isThere).length : 0));
  const ends = [...left.keys()].filter((number) => left[number] === 0);
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    for (const number of back[end] ?? []) {
      const count = left[number] ?? 0;
      if (count === 0) continue;
      left[number] = count - 1;
      if (count === 1) ends.push(number);
    }
  }
  return (number) => left[number] !== 0;
}

/** Short enough for a message. */
const quoted = (name: string): string => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
