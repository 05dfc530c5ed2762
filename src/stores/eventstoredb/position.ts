import { type Position as StorePosition } from '@eventstore/db-client';
import { type Position } from '../../core/event-log.js';
import { Problem } from '../../core/problem.js';

const POSITION = /^[0-9a-f]{32}$/;
const DIGITS = 16;

/** What a server older than 22.6 says of an event that it reads from a stream. */
const UNKNOWN = 0xffff_ffff_ffff_ffffn;

/** Commit, then prepare, as 16 hex digits each. */
export function positionOf({ commit, prepare }: StorePosition): Position {
  if (commit === UNKNOWN) throw new Error('The EventStoreDB server is too old to tell the positions of events');
  return `${hex(commit)}${hex(prepare)}` as Position;
}

export function storePosition(position: Position): StorePosition {
  if (!POSITION.test(position)) throw new Problem('invalid', `Not a position of this log: ${position}`);
  return { commit: BigInt(`0x${position.slice(0, DIGITS)}`), prepare: BigInt(`0x${position.slice(DIGITS)}`) };
}

/** By bytes of the server's log: others' events count too. */
export function fractionOf(position: Position, end: Position): number {
  return Math.min(1, Number(storePosition(position).commit) / Math.max(1, Number(storePosition(end).commit)));
}

function hex(part: bigint): string {
  return part.toString(16).padStart(DIGITS, '0');
}
