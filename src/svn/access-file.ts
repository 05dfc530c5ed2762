/**
 * The syntax of svn's authz files: sections of groups, of aliases and of paths, each with options that may go on in
 * indented lines. Read apart from the settings because its faults have lines.
 */
import { inPieces, type Steps } from '../core/concurrency/others-turn.js';
import { optionFaults, type AccessFileFault, type AccessOption, type AccessSection } from './access-options.js';

const LINE_ENDS = /\r\n?/g;
const CONTROL = /[^\P{Cc}\t]/u;
/** In the whole file, where lines end. */
const CONTROL_INSIDE = /[^\P{Cc}\t\r\n]/u;
const PATH_SECTION = /^(:glob:)?([^:/]+:)?\/[^]*$/;

interface Progress {
  section: AccessSection | null;
  /** What the next indented line continues. */
  option: AccessOption | null;
  readonly options: AccessOption[];
}

/** The lines that svn could not make sense of, `most` at most, in the order of the lines, which count from 1. */
export const accessFileFaults = (
  text: string,
  isKnownGroup: (name: string) => boolean,
  most: number,
): Promise<readonly AccessFileFault[]> => inPieces(faultsIn(text, isKnownGroup, most));

function* faultsIn(
  text: string,
  isKnownGroup: (name: string) => boolean,
  most: number,
): Steps<readonly AccessFileFault[]> {
  const progress: Progress = { section: null, option: null, options: [] };
  const mayHoldControl = CONTROL_INSIDE.test(text);
  const faults: AccessFileFault[] = [];
  let line = 0;
  for (const content of linesOf(text)) {
    line += 1;
    const isControl = mayHoldControl && CONTROL.test(content);
    const message = isControl ? 'holds a control character' : readLine(progress, content, line);
    if (message !== undefined && faults.length < most) faults.push({ line, message });
    yield;
  }
  const ofOptions = yield* optionFaults(progress.options, isKnownGroup, most);
  return [...faults, ...ofOptions].sort((a, b) => a.line - b.line).slice(0, most);
}

/** One after the other: splitting a text into very many takes long. */
function* linesOf(text: string): Generator<string> {
  const lines = text.replaceAll(LINE_ENDS, '\n');
  // As svn does, which passes over the mark of the byte order that some editors write.
  let from = lines.startsWith('\uFEFF') ? 1 : 0;
  for (let end = lines.indexOf('\n', from); end >= 0; end = lines.indexOf('\n', from)) {
    yield lines.slice(from, end);
    from = end + 1;
  }
  yield lines.slice(from);
}

/** Undefined when there is nothing wrong with the line by itself. */
function readLine(progress: Progress, content: string, line: number): string | undefined {
  const kind = kindOf(content);
  if (kind === 'continuation') {
    if (progress.option === null) return 'is indented, but there is nothing before it to continue';
    progress.option.parts.push({ line, text: content });
    return undefined;
  }
  progress.option = null;
  if (kind === 'nothing') return undefined;
  if (kind === 'header') {
    progress.section = sectionOf(content);
    return progress.section === 'unknown' ? NO_SECTION : undefined;
  }
  const option = optionOf(content, line, progress.section ?? 'unknown');
  progress.option = option;
  if (option.section !== 'unknown') progress.options.push(option);
  return optionFault(option, content, progress.section);
}

const NO_SECTION = 'is no section: expected [groups], [aliases], [/path] or [repository:/path]';

type LineKind = 'nothing' | 'continuation' | 'header' | 'option';

function kindOf(content: string): LineKind {
  if (/^[\t ]*$/.test(content) || content.startsWith('#')) return 'nothing';
  if (/^[\t ]/.test(content)) return 'continuation';
  return content.startsWith('[') ? 'header' : 'option';
}

/** Like svn, does not read what follows the bracket. */
function sectionOf(content: string): AccessSection {
  const end = content.indexOf(']');
  const name = end < 0 ? '' : content.slice(1, end);
  if (name === 'groups' || name === 'aliases') return name;
  return PATH_SECTION.test(name) ? 'rules' : 'unknown';
}

function optionOf(content: string, line: number, section: AccessSection): AccessOption {
  const end = content.search(/[=:]/);
  const name = (end < 0 ? content : content.slice(0, end)).trim();
  return { section: end < 0 ? 'unknown' : section, name, line, parts: [{ line, text: content.slice(end + 1) }] };
}

/** What is wrong with an option of which svn could not even tell name and value. */
function optionFault(option: AccessOption, content: string, section: AccessSection | null): string | undefined {
  if (section === null) return 'stands before the first section';
  if (!/[=:]/.test(content)) return 'is no section, no comment and no "name = value"';
  return option.name === '' ? 'has no name before the equals sign' : undefined;
}
