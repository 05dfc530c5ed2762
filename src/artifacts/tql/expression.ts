/** What the parser makes of a query. */

/** Both from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export interface Shift {
  readonly amount: number;
  readonly unit: 'd' | 'w' | 'm' | 'y';
}

export type Literal = { readonly at: TextPosition } & (
  | { readonly type: 'text' | 'number'; readonly text: string }
  | { readonly type: 'now'; readonly shift: Shift | null }
  | { readonly type: 'myself' | 'open' }
);

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'BETWEEN' | 'IN' | 'NOT IN';

export interface Comparison {
  readonly type: 'comparison';
  readonly at: TextPosition;
  readonly name: string;
  readonly operator: Operator;
  /** Two of BETWEEN, at least one of IN and NOT IN, one of the others. */
  readonly values: readonly [Literal, ...Literal[]];
}

export interface Relation {
  readonly type: 'relation';
  readonly at: TextPosition;
  readonly not: boolean;
  /** To: the artifact links to the other end. From: the other end links to it. */
  readonly direction: 'to' | 'from';
  /** Null: any. */
  readonly linkType: string | null;
  /** Null: any. */
  readonly end:
    | { readonly type: 'artifact'; readonly id: number }
    | { readonly type: 'tracker'; readonly operator: '=' | '!='; readonly name: string }
    | null;
}

interface Junction {
  readonly type: 'and' | 'or';
  readonly operands: readonly Expression[];
}

export type Expression = Comparison | Relation | Junction;

/** The comparisons and relations of an expression, from left to right. */
export function termsOf(expression: Expression): readonly (Comparison | Relation)[] {
  return 'operands' in expression ? expression.operands.flatMap(termsOf) : [expression];
}
