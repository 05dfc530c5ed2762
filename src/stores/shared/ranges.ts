import { type Range } from '../../core/read-models.js';

export function isOfTexts(range: Range<number> | Range<string>): range is Range<string> {
  return [range.above, range.from, range.to, range.below].some((bound) => typeof bound === 'string');
}
