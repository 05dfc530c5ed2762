/** What is wrong with a query, and where. */
import { Problem } from '../../core/problem.js';
import { foldText } from '../../core/text/spelling.js';
import { type TextPosition } from './expression.js';

export interface Fault {
  /** Left out: the whole of it. */
  readonly at?: TextPosition;
  readonly message: string;
  /** As the query names it; left out for a fault of no field. */
  readonly field?: string;
}

const MAX_FAULTS = 20;

/** Its message names the parameter of a client. Whoever has the query from elsewhere makes a message of `faults`. */
export class FaultyQuery extends Problem {
  /** Each with its place. */
  readonly faults: readonly string[];
  /** Those that have a fault, each once in its first spelling. */
  readonly fields: readonly string[];

  constructor(faults: readonly [Fault, ...Fault[]]) {
    const messages = faults.slice(0, MAX_FAULTS).map(placed);
    const details = messages.map((message) => ({ pointer: 'expert_query', message }));
    super('invalid', `expert_query, ${placed(faults[0])}`, { details });
    this.faults = messages;
    const met = new Set<string>();
    const isFirst = (name: string): boolean => met.size < met.add(foldText(name)).size;
    this.fields = faults
      .flatMap(({ field }) => field ?? [])
      .filter(isFirst)
      .slice(0, MAX_FAULTS);
  }
}

const placed = ({ at, message }: Fault): string =>
  at === undefined ? message : `line ${at.line}, column ${at.column}: ${message}`;
