/** The allowed options of an access file, after its lines are parsed. */
import { type Steps } from '../core/concurrency/others-turn.js';
import { type AccessFileFault, type AccessSection } from './access-section.js';
import { circles, type Link } from './circles.js';

export interface AccessOption {
  readonly section: AccessSection;
  readonly name: string;
  readonly line: number;
  /** The value and the lines that continue it, each without the white space around it. */
  readonly parts: { readonly line: number; readonly text: string }[];
}

/** By name, where each is defined first. */
type Definitions = ReadonlyMap<string, AccessOption>;

interface Names {
  readonly groups: Definitions;
  readonly aliases: Definitions;
  /** What is wrong with a rule for one of these aliases: they mean a group that is not defined. */
  readonly dangling: ReadonlyMap<string, string>;
  readonly isKnownGroup: (name: string) => boolean;
}

/** What svn takes for white space inside a line. */
const BLANKS = '\t\v\f ';
const NO_MODE = /[^rw\t\v\f ]/;
const TOKENS = new Set(['$authenticated', '$anonymous']);

/** Of the white space that svn knows, which is less than that of Unicode. */
export function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANKS.includes(text.charAt(start))) start += 1;
  while (start < end && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The first ones: `most` of single options, and as many of circles. */
export function* optionFaults(
  options: readonly AccessOption[],
  isKnownGroup: (name: string) => boolean,
  most: number,
): Steps<readonly AccessFileFault[]> {
  const defined = { groups: new Map<string, AccessOption>(), aliases: new Map<string, AccessOption>() };
  const groups: AccessOption[] = [];
  for (const option of options) {
    const { section, name } = option;
    if (section === 'groups') groups.push(option);
    if ((section === 'groups' || section === 'aliases') && !defined[section].has(name)) {
      defined[section].set(name, option);
    }
    yield;
  }
  const dangling = new Map<string, string>();
  const names: Names = { ...defined, dangling, isKnownGroup };
  for (const alias of defined.aliases.values()) {
    const fault = groupFault(trimmed(valueOf(alias)), names);
    if (fault !== undefined) dangling.set(`&${alias.name}`, fault);
    yield;
  }
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
      return faultAt(option.line, definitionFault(option, names.aliases));
    case 'rules':
      return [...faultAt(option.line, principalFault(option.name, names)), ...modeFaults(option)];
    case 'unknown':
      return [];
  }
}

const faultAt = (line: number, message: string | undefined): readonly AccessFileFault[] =>
  message === undefined ? [] : [{ line, message }];

function definitionFault({ name, line }: AccessOption, definitions: Definitions): string | undefined {
  if (name === '') return 'has no name before the equals sign';
  if (/^[@$&*~]/.test(name)) return `${quoted(name)} is no name of a group or alias: none begins with @, $, &, * or ~`;
  const first = definitions.get(name)?.line ?? line;
  return first === line ? undefined : `defines ${quoted(name)} again, after line ${first}`;
}

function* groupFaults(option: AccessOption, names: Names): Generator<AccessFileFault | undefined> {
  yield* faultAt(option.line, definitionFault(option, names.groups));
  for (const { line, name } of references(option)) {
    const message = referenceFault(name, names);
    yield message === undefined ? undefined : { line, message };
  }
}

/** The first letter of a member that is more than the name of a user. */
const SPECIAL = /[@&]/;
const REFERENCES = /(?:^|,)[\t\v\f ]*([@&][^,]*)/g;

const valueOf = ({ parts }: AccessOption): string => parts.map(({ text }) => text).join(' ');

/** The groups and aliases that a group consists of. A member may go on in the next line. */
function* references(option: AccessOption): Generator<{ readonly line: number; readonly name: string }> {
  if (!option.parts.some(({ text }) => SPECIAL.test(text))) return;
  const lineAt = lineFinder(option);
  for (const { 0: found, 1: member = '', index } of valueOf(option).matchAll(REFERENCES)) {
    yield { line: lineAt(index + found.length - member.length), name: trimmed(member) };
  }
}

/** Of places in the value, from the first to the last. */
function lineFinder({ parts }: AccessOption): (place: number) => number {
  let [at, end] = [-1, -1];
  return (place) => {
    for (; end < place && at < parts.length - 1; at += 1) end += 1 + (parts[at + 1]?.text.length ?? 0);
    return parts[at]?.line ?? 0;
  };
}

function principalFault(name: string, names: Names): string | undefined {
  if (name === '*') return undefined;
  const positive = name.startsWith('~') ? name.slice(1) : name;
  if (TOKENS.has(positive)) return undefined;
  if (/^[*~$]/.test(positive)) return `${quoted(name)} is not a user, group or alias that a rule can name`;
  return referenceFault(positive, names) ?? names.dangling.get(positive);
}

function referenceFault(name: string, names: Names): string | undefined {
  const referred = name.slice(1);
  if (name.startsWith('&') && !names.aliases.has(referred))
    return `names the alias ${quoted(referred)}, which is not defined`;
  return groupFault(name, names);
}

function groupFault(name: string, { groups, isKnownGroup }: Names): string | undefined {
  const referred = name.slice(1);
  if (!name.startsWith('@') || groups.has(referred) || isKnownGroup(referred)) return undefined;
  return `names the group ${quoted(referred)}, which is not defined`;
}

/** Any mix of r, w and white space, but the right to write includes that to read. */
function modeFaults({ parts }: AccessOption): readonly AccessFileFault[] {
  const isReadable = parts.some(({ text }) => text.includes('r'));
  const wrong = parts.find(({ text }) => NO_MODE.test(text) || (!isReadable && text.includes('w')));
  return wrong === undefined
    ? []
    : faultAt(wrong.line, `${quoted(wrong.text)} is not an access right; use rw, r or nothing`);
}

/** Groups that contain themselves by way of others. */
function* circleFaults(groups: readonly AccessOption[], most: number): Steps<readonly AccessFileFault[]> {
  const isCircular = yield* circles(links(groups));
  const faults: AccessFileFault[] = [];
  for (const { line, name } of groups) {
    if (faults.length >= most) return faults;
    if (isCircular(name)) faults.push({ line, message: `the group ${quoted(name)} is part of a cycle of groups` });
    yield;
  }
  return faults;
}

function* links(groups: readonly AccessOption[]): Generator<Link> {
  for (const group of groups) {
    for (const { name } of references(group)) {
      if (name.startsWith('@')) yield [group.name, name.slice(1)];
    }
  }
}

/** Short enough for a message. */
const quoted = (name: string): string => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name);
