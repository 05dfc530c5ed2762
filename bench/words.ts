const WORDS =
  'valve pump panel restarts pressure drops after update sensor reading wrong cable loose screen freezes while driver reports value twice module cannot start without network error shown during calibration'.split(
    ' ',
  );

/** In the titles of many artifacts. */
export const COMMON_WORD = 'pressure';
/** In those of few. */
export const RARE_WORD = 'quokka';
export const RARE_EVERY = 5000;
/** Artifacts in the tracker whose pages are measured. */
export const FIRST_TRACKER_SHARE = 50_000;

/** Always the same for the same number. */
export function sentence(seed: number, words: number): string {
  let state = (seed * 2_654_435_761) >>> 0;
  const chosen: string[] = [];
  for (let nth = 0; nth < words; nth += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    chosen.push(WORDS[(state >>> 8) % WORDS.length] ?? '');
  }
  return chosen.join(' ');
}
