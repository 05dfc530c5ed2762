/** The allowed options of an access file, after its lines are parsed. */
import { type Steps } from '../core/concurrency/others-turn.js';
import { circles, type Link } from './circles.js';

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
export function* optionFaults(
  options: readonly AccessOption[],
  isKnownGroup: (name: string) => boolean,
  most: number,
): Steps<readonly AccessFileFault[]> {
  const groups: AccessOption[] = [];
  const defined = new Set<string>();
  const aliases = new Set<string>();
  for (const option of options) {
    if (option.section === 'groups') groups.push(option);
    if (option.section === 'groups') defined.add(option.name);
    if (option.section === 'aliases') aliases.add(option.name);
    yield;
  }
  const names: Names = {
    isGroup: (name) => defined.has(name) || isKnownGroup(name),
    isAlias: (name) => aliases.has(name),
  };
  const single = yield* firstFaults(options, names, most);
  return [...single, ...(yield* circleFaults(groups, most))];
}

function* firstFaults(options: readonly AccessOption[], names: Names, most: number): Steps<readonly AccessFileFault[]> {
  const faults: AccessFileFault[] = [];
  for (const option of options) {
    yield;
    for (const fault of faultsOf(option, names)) {
      yield;
      if (fault !== undefined) faults.push(fault);
      if (faults.length >= most) return faults;
    }
  }
  return faults;
}

/** Undefined stands for what is judged and right. */
function faultsOf(option: AccessOption, names: Names): Iterable<AccessFileFault | undefined> {
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

function* groupFaults(option: AccessOption, names: Names): Generator<AccessFileFault | undefined> {
  for (const { line, name } of specialMembers(option)) {
    const message = memberFault(name, names);
    yield message === undefined ? undefined : { line, message };
  }
}

/** What the first letter of a member may be that says more than the name of a user. */
const SPECIAL = /[*~$@&]/;
const SPECIAL_MEMBERS = /(?:^|,)\s*([*~$@&][^,]*)/g;

function* specialMembers({ parts }: AccessOption): Generator<{ readonly line: number; readonly name: string }> {
  for (const { line, text } of parts) {
    if (!SPECIAL.test(text)) continue;
    for (const [, member = ''] of text.matchAll(SPECIAL_MEMBERS)) yield { line, name: member.trim() };
  }
}

function memberFault(name: string, names: Names): string | undefined {
  if (/^[*~$]/.test(name)) return `${quoted(name)} cannot be a member of a group`;
  return referenceFault(name, names);
}

function principalFault(name: string, names: Names): string | undefined {
  if (name === '*' || name === '') return undefined;
  const positive = name.startsWith('~') ? name.slice(1) : name;
  if (TOKENS.has(positive)) return undefined;
  if (positive === '' || /^[*~$]/.test(positive))
    return `${quoted(name)} is not a user, group or alias that a rule can name`;
  return referenceFault(positive, names);
}

function referenceFault(name: string, { isGroup, isAlias }: Names): string | undefined {
  const referred = name.slice(1);
  if (name.startsWith('@') && !isGroup(referred)) return `names the group ${quoted(referred)}, which is not defined`;
  if (name.startsWith('&') && !isAlias(referred)) return `names the alias ${quoted(referred)}, which is not defined`;
  return undefined;
}

/** A text that is no mode comes before a second mode. */
function modeFaults({ parts }: AccessOption): readonly AccessFileFault[] {
  const given = parts.filter(({ text }) => text.trim() !== '');
  const wrong = given.find(({ text }) => !MODES.has(text.trim())) ?? given[1];
  return wrong === undefined
    ? []
    : faultAt(wrong.line, `${quoted(wrong.text.trim())} is not an access right; use rw, r or nothing`);
}

/** Groups that contain themselves by way of others. */
function* circleFaults(groups: readonly AccessOption[], most: number): Steps<readonly AccessFileFault[]> {
  const isCircular = yield* circles(references(groups));
  const faults: AccessFileFault[] = [];
  for (const { line, name } of groups) {
    if (faults.length >= most) return faults;
    if (isCircular(name)) faults.push({ line, message: `the group ${quoted(name)} is part of a cycle of groups` });
    yield;
  }
  return faults;
}

function* references(groups: readonly AccessOption[]): Generator<Link> {
  for (const group of groups) {
    for (const { name } of specialMembers(group)) {
      if (name.startsWith('@')) yield [group.name, name.slice(1)];
    }
  }
}

/** Short enough for a message. */
const quoted = (name: string): string => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
