/** Regular expressions that mean the same to all servers. */

/** With a bar, even escaped, MongoDB does not use a prefix. */
export function literally(text: string): string {
  return text
    .replace(/[\\^$.?*+()[\]{}]/g, '\\$&')
    .replaceAll('|', '\\x7c')
    .replaceAll('\0', '\\x{0}');
}

/** Of the whole text. */
export const END = '\\z';

export function alternatives(patterns: readonly string[]): string {
  const [only, ...others] = patterns;
  return others.length === 0 ? (only ?? '') : `(?:${patterns.join('|')})`;
}

const LAST_CHARACTER = 0x10ffff;

/** Any one character behind the first and before the other; none if there is no such character. */
export function characterBetween(behind: string | null, before: string | null): readonly string[] {
  const from = behind === null ? 0 : codePoint(behind) + 1;
  const to = before === null ? LAST_CHARACTER : codePoint(before) - 1;
  return from > to ? [] : [`[\\x{${from.toString(16)}}-\\x{${to.toString(16)}}]`];
}

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;
