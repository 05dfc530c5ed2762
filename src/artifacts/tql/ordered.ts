/** Comparisons of numbers and dates. */
import { boundedCriterion, boundsOf, type Span } from '../filter/comparisons.js';
import { type Literal } from './expression.js';
import { numberFrom, spanFrom } from './literals.js';
import { cannotCompare, negatedIf, type Asked, type ComparisonContext, type Meaning } from './meaning.js';

export function numberMeaning(asked: Asked): Meaning {
  return orderedMeaning(asked, 'a number', (value) => {
    const number = numberFrom(value);
    return number === undefined ? undefined : { first: number, last: number };
  });
}

/** Those that everything has always hold a time. */
export function dateMeaning(asked: Asked, { now }: ComparisonContext): Meaning {
  const withTime = asked.field.type !== 'date' || asked.field.time === true;
  const takes = withTime ? '"2026-03-10", "2026-03-10 14:05" or NOW()' : '"2026-03-10" or NOW()';
  return orderedMeaning(asked, takes, (value) => spanFrom(value, withTime, now));
}

/** Of numbers, and of dates as seconds: a value stands for all from its first to its last. */
function orderedMeaning(asked: Asked, takes: string, spanOf: (value: Literal) => Span | undefined): Meaning {
  const { key, name, operator, values } = asked;
  const wrong = values.find((value) => spanOf(value) === undefined);
  const [span, end = span] = values.map(spanOf);
  if (wrong !== undefined || span === undefined || end === undefined)
    return cannotCompare(name, wrong ?? values[0], takes);
  return negatedIf(operator === '!=', boundedCriterion(key, boundsOf(operator, span, end)));
}
