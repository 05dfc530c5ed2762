/** What is wrong with a query, and where. */
import { Problem } from '../../core/problem.js';
import { type Place } from './expression.js';

export interface Fault {
  readonly at: Place;
  readonly message: string;
}

const MAX_FAULTS = 20;

/** The message of the first, details of all. */
export function refusal(faults: readonly [Fault, ...Fault[]]): Problem {
  const [first] = faults;
  const details = faults.slice(0, MAX_FAULTS).map((fault) => ({ pointer: 'expert_query', message: placed(fault) }));
  return new Problem('invalid', `expert_query, ${placed(first)}`, { details });
}

const placed = ({ at: { line, column }, message }: Fault): string => `line ${line}, column ${column}: ${message}`;
