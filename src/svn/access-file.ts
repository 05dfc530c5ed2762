/**
 * The syntax of svn's authz files: sections of groups, of aliases and of paths, each with options that may go on in
 * indented lines. Read apart from the settings because its faults have lines.
 */
import { inPieces, type Steps } from '../core/concurrency/others-turn.js';
import { optionFaults, trimmed, type AccessOption } from './access-options.js';
import {
  headerOf,
  sectionFaults,
  type AccessFileFault,
  type AccessHeader,
  type AccessSection,
} from './access-section.js';

/** All but the white space inside a line. A lone carriage return is one, as svn passes over it and reads on. */
const CONTROL = /[^\P{Cc}\t\v\f]/u;
/** In the whole file, where lines end. */
const CONTROL_INSIDE = /[^\P{Cc}\t\v\f\n]/u;

interface Progress {
  section: AccessSection | null;
  /** What the next indented line continues. */
  option: AccessOption | null;
  readonly headers: AccessHeader[];
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
  const progress: Progress = { section: null, option: null, headers: [], options: [] };
  const lines = text.replaceAll('\r\n', '\n');
  const mayHoldControl = CONTROL_INSIDE.test(lines);
  const faults: AccessFileFault[] = [];
  let line = 0;
  for (const content of linesOf(lines)) {
    line += 1;
    const isControl = mayHoldControl && CONTROL.test(content);
    const message = isControl ? 'holds a control character' : readLine(progress, content, line);
    if (message !== undefined && faults.length < most) faults.push({ line, message });
    yield;
  }
  const ofSections = yield* sectionFaults(progress.headers, most);
  const ofOptions = yield* optionFaults(progress.options, isKnownGroup, most);
  return [...faults, ...ofSections, ...ofOptions].sort((a, b) => a.line - b.line).slice(0, most);
}

/** One after the other: splitting a text into very many takes long. */
function* linesOf(lines: string): Generator<string> {
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
    progress.option.parts.push({ line, text: trimmed(content) });
    return undefined;
  }
  progress.option = null;
  if (kind === 'nothing') return undefined;
  if (kind === 'header') return readHeader(progress, content, line);
  const option = optionOf(content, line, progress.section ?? 'unknown');
  progress.option = option;
  if (option.section !== 'unknown') progress.options.push(option);
  return optionFault(content, progress.section);
}

type LineKind = 'nothing' | 'continuation' | 'header' | 'option';

function kindOf(content: string): LineKind {
  if (/^[\t\v\f ]*$/.test(content) || content.startsWith('#')) return 'nothing';
  if (/^[\t\v\f ]/.test(content)) return 'continuation';
  return content.startsWith('[') ? 'header' : 'option';
}

function readHeader(progress: Progress, content: string, line: number): string | undefined {
  const header = headerOf(content, line);
  progress.section = header.section;
  if (header.section === 'unknown') {
    return 'is no section: expected [groups], [aliases], [/path] or [repository:/path]';
  }
  progress.headers.push(header);
  return undefined;
}

function optionOf(content: string, line: number, section: AccessSection): AccessOption {
  const end = content.search(/[=:]/);
  const name = trimmed(end < 0 ? content : content.slice(0, end));
  const parts = [{ line, text: trimmed(content.slice(end + 1)) }];
  return { section: end < 0 ? 'unknown' : section, name, line, parts };
}

/** What is wrong with an option of which svn could not even tell name and value. */
function optionFault(content: string, section: AccessSection | null): string | undefined {
  if (section === null) return 'stands before the first section';
  return /[=:]/.test(content) ? undefined : 'is no section, no comment and no "name = value"';
}
