/** What a query means for a reader of a tracker, as criteria: the same that a filter is made of. */
import { type Criterion } from '../../core/read-models.js';
import { type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { fieldInAnyCase } from '../filter/filter.js';
import { commentsMeaning, comparisonMeaning } from './comparison.js';
import { termsOf, type Comparison, type Expression, type Relation } from './expression.js';
import { FaultyQuery, type Fault } from './faults.js';
import { type ComparisonContext, type Meaning } from './meaning.js';
import { relationFault } from './relations.js';
import { type Search } from './searches.js';

/** The stores answer so much. */
const MAX_DEPTH = 20;
/** Each of these is checked for every artifact that the others leave, so many of them would block other requests. */
const MAX_PROBED = 20;

/** What the expression means, once it is known what those terms mean that are read before. */
export interface QueryMeaning {
  readonly relations: readonly Relation[];
  readonly searches: ReadonlyMap<Comparison, Search>;
  /** No such term stands under a negation: if each of them holds, nothing that the query finds is left out. */
  readonly criterion: (known: (term: Relation | Comparison) => Criterion | undefined) => Criterion;
}

export const EVERYTHING: Criterion = { type: 'and', criteria: [] };
export const NOTHING: Criterion = { type: 'or', criteria: [] };

/**
 * `readable`: the tracker with those fields that the reader may read; others are unknown. Throws a Problem that names
 * all that is wrong.
 */
export function meaningOf(expression: Expression, readable: CompiledTracker, context: ComparisonContext): QueryMeaning {
  const terms = termsOf(expression);
  const comparisons = terms.filter((term) => term.type === 'comparison');
  refuseAny(comparisons.flatMap((one) => unknownField(one, readable)));

  const known = new Map<Comparison, Criterion>();
  const searches = new Map<Comparison, Search>();
  const faults: Fault[] = [];
  for (const term of terms) {
    const meaning = meaningOfTerm(term, readable, context);
    if (typeof meaning === 'string') faults.push({ ...placeOf(term), message: meaning });
    else if (term.type === 'comparison' && meaning.type === 'search') searches.set(term, meaning);
    else if (term.type === 'comparison' && meaning.type !== 'search') known.set(term, meaning);
  }
  refuseAny(faults);

  const criterion: QueryMeaning['criterion'] = (found) =>
    criterionOf(
      expression,
      (term) => (term.type === 'comparison' ? known.get(term) : undefined) ?? found(term) ?? EVERYTHING,
    );
  refuseTooMuch(criterion(() => READ_BEFORE));
  const relations = terms.filter((term) => term.type === 'relation');
  return { relations, searches, criterion };
}

/** They cost no less. */
const READ_BEFORE: Criterion = { type: 'not', criterion: { type: 'any-of', key: '', values: [] } };

function meaningOfTerm(term: Comparison | Relation, readable: CompiledTracker, context: ComparisonContext): Meaning {
  if (term.type === 'relation') return relationFault(term, context) ?? READ_BEFORE;
  if (isComments(term)) return commentsMeaning(term, readable);
  const field = fieldInAnyCase(readable, term.name);
  return field === undefined ? EVERYTHING : comparisonMeaning(term, field, readable, context);
}

const placeOf = (term: Comparison | Relation): Omit<Fault, 'message'> => ({
  at: term.at,
  ...(term.type === 'comparison' && { field: term.name }),
});

const isComments = ({ name }: Comparison): boolean => name.toLowerCase() === '@comments';

function unknownField(comparison: Comparison, readable: CompiledTracker): readonly Fault[] {
  const { name } = comparison;
  if (isComments(comparison) || fieldInAnyCase(readable, name) !== undefined) return [];
  return [{ ...placeOf(comparison), message: `Unknown field "${name}"; use the name of a field of the tracker` }];
}

function refuseAny([first, ...others]: readonly Fault[]): void {
  if (first !== undefined) throw new FaultyQuery([first, ...others]);
}

/** What is joined by the same word is on one level. */
function criterionOf(expression: Expression, ofTerm: (term: Comparison | Relation) => Criterion): Criterion {
  if (!('operands' in expression)) return ofTerm(expression);
  const { type } = expression;
  const criteria = expression.operands.flatMap((operand) => {
    const criterion = criterionOf(operand, ofTerm);
    return 'operands' in operand && criterion.type === type ? criterion.criteria : [criterion];
  });
  return { type, criteria };
}

function refuseTooMuch(criterion: Criterion): void {
  const start = { line: 1, column: 1 };
  if (depthOf(criterion) > MAX_DEPTH) {
    throw new FaultyQuery([
      { at: start, message: `AND and OR alternate more than ${MAX_DEPTH - 2} times within each other` },
    ]);
  }
  if (probedIn(criterion) <= MAX_PROBED) return;
  const message = `At most ${MAX_PROBED} conditions are relations, search texts, exclude values (!=, NOT IN) or compare with an empty text`;
  throw new FaultyQuery([{ at: start, message }]);
}

function depthOf(criterion: Criterion): number {
  return 1 + Math.max(0, ...partsOf(criterion).map(depthOf));
}

function probedIn(criterion: Criterion): number {
  const { type } = criterion;
  if (type === 'not' || type === 'empty' || type === 'contains') return 1;
  return partsOf(criterion).reduce((sum, part) => sum + probedIn(part), 0);
}

function partsOf(criterion: Criterion): readonly Criterion[] {
  if (criterion.type === 'not') return [criterion.criterion];
  return 'criteria' in criterion ? criterion.criteria : [];
}
