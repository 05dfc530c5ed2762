/** How texts are spelt where they are compared. */

/** In characters. A shorter one takes no time, whatever it is. */
const SHORT = 1000;
/** To sort the marks on one character takes the square of their number. No script has so many. */
const OVERLOADED = /((?<!\p{M})\p{M}{31,})/u;

/** In NFC, but for characters with more marks than any script has: these stay as they were written. */
export function composed(text: string): string {
  if (text.length <= SHORT || !OVERLOADED.test(text)) return text.normalize('NFC');
  const parts = text.split(OVERLOADED);
  return parts.map((part, nth) => (nth % 2 === 0 ? part.normalize('NFC') : part)).join('');
}

/**
 * The form for comparisons that ignore case: character by character, and the same when folded again. A text with more marks
 * on a character than any script has may be another one when folded again.
 */
export function foldText(text: string): string {
  return composed(text.toLowerCase()).replaceAll('ς', 'σ');
}
