/** The sections of an access file: which there are, and which of them svn takes for one and the same. */
import { type Steps } from '../core/concurrency/others-turn.js';

export interface AccessFileFault {
  readonly line: number;
  readonly message: string;
}

/** `unknown`: where the header could not be read, what follows is not judged. */
export type AccessSection = 'groups' | 'aliases' | 'rules' | 'unknown';

export interface AccessHeader {
  readonly line: number;
  readonly section: AccessSection;
  readonly isPattern: boolean;
  /** Empty for all of them. */
  readonly repository: string;
  /** The name, if it is no section of rules. */
  readonly path: string;
}

const RULES = /^(:glob:)?(?:([^/:][^:]*):)?(\/[^]*)$/;
const NOT_CANONICAL = /\/\.{0,2}(?:\/|$)/;
const NO_PATH = 'has a path with a step that is empty, . or .. (or with a slash at the end)';

/** Like svn, does not read what follows the bracket. */
export function headerOf(content: string, line: number): AccessHeader {
  const end = content.indexOf(']');
  const name = end < 0 ? '' : content.slice(1, end);
  const [, glob, repository = '', path] = RULES.exec(name) ?? [];
  if (path !== undefined) return { line, section: 'rules', isPattern: glob !== undefined, repository, path };
  const section = name === 'groups' || name === 'aliases' ? name : 'unknown';
  return { line, section, isPattern: false, repository: '', path: name };
}

/** The first `most` of what is wrong with the headers, apart from the unknown ones. */
export function* sectionFaults(headers: readonly AccessHeader[], most: number): Steps<readonly AccessFileFault[]> {
  const faults: AccessFileFault[] = [];
  const firstLines = new Map<string, number>();
  for (const header of headers) {
    if (faults.length >= most) return faults;
    const { line } = header;
    const identity = yield* identityOf(header);
    const first = firstLines.get(identity ?? '');
    if (identity === null) faults.push({ line, message: NO_PATH });
    else if (first === undefined) firstLines.set(identity, line);
    else faults.push({ line, message: `repeats the section of line ${first}` });
    yield;
  }
  return faults;
}

/** Of two sections with the same one, svn reads neither. Null if svn does not read the path. */
function* identityOf({ section, isPattern, repository, path }: AccessHeader): Steps<string | null> {
  if (section !== 'rules') return section;
  // Such a path is the root for svn, even if it goes on.
  if (path === '/' || path.startsWith('//')) return `${repository}:`;
  if (NOT_CANONICAL.test(path)) return null;
  return `${repository}:${isPattern ? yield* patternOf(path) : path}`;
}

/** Begins the steps that are more than a name, as no name holds a slash. */
const WILD = '/';

/** In the order in which svn puts stars in a row. */
function* patternOf(path: string): Steps<string> {
  const steps: string[] = [];
  let isAnyDepth = false;
  for (const step of path.slice(1).split('/')) {
    yield;
    if (step === '**') {
      isAnyDepth = true;
      continue;
    }
    if (isAnyDepth && step !== '*') {
      steps.push(`${WILD}**`);
      isAnyDepth = false;
    }
    steps.push(step === '*' ? `${WILD}*` : stepOf(step));
  }
  if (isAnyDepth) steps.push(`${WILD}**`);
  return `/${steps.join('/')}`;
}

function stepOf(step: string): string {
  if (isPlain(step)) return withoutEscapes(step);
  if (step.endsWith('*') && isPlain(step.slice(0, -1))) return `${WILD}<${withoutEscapes(step)}`;
  if (step.startsWith('*') && isPlain(step.slice(1))) return `${WILD}>${withoutEscapes(step)}`;
  return `${WILD}?${step}`;
}

const ESCAPED = /\\([^])/g;
const withoutEscapes = (step: string): string => step.replaceAll(ESCAPED, '$1');
const isPlain = (step: string): boolean => !/[*?]/.test(step.replaceAll(ESCAPED, ''));
