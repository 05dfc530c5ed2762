/** The adapter of EventStoreDB beside its bare client, which waits for one answer per call or appends by a stream that all share. */
import { randomUUID } from 'node:crypto';
import { BACKWARDS, END, EventStoreDBClient, jsonEvent, NO_STREAM as NO_STORE_STREAM } from '@eventstore/db-client';
import { type Metadata, NO_STREAM, type StreamName } from '../../src/core/event-log.js';
import { eventStoreDbLog } from '../../src/stores/eventstoredb/event-log.js';
import { eventStoreDouble } from '../../test/support/eventstoredb/double.js';
import { median } from '../statistics.js';

export const SIDES = ['adapter', 'unary', 'batch'] as const;

export interface EventStoreInput {
  readonly connectionString: string;
  readonly call: 'append' | 'read';
  readonly atOnce: number;
  readonly seconds: number;
}

/** Medians of all slices. */
export interface Rate {
  readonly perSecond: number;
  /** Microseconds of processor time of the client's process. */
  readonly cpu: number;
}

export type EventStoreResult = Readonly<Record<(typeof SIDES)[number], Rate>>;

/** Turns of the sides are so short that what else the machine does meets all alike. */
const SLICE_MS = 250;
const PREFIX = 'bench.';
const READ_EVENTS = 10;
const data = { artifactId: 7, values: { text: 'd'.repeat(1000) } };
const metadata: Metadata = { actor: 101, at: new Date(0).toISOString(), schema: 1, commandId: randomUUID() };

type Call = () => Promise<unknown>;

/** A server in a process of its own, which says how it is reached. */
export async function eventStoreServer(_: unknown, say: (connectionString: string) => void): Promise<void> {
  const { connectionString } = await eventStoreDouble({ takesBatches: true });
  say(connectionString);
  await new Promise(() => undefined);
}

export async function eventStoreCalls(input: EventStoreInput): Promise<EventStoreResult> {
  const { connectionString, call, atOnce, seconds } = input;
  const log = await eventStoreDbLog({ connectionString, prefix: PREFIX });
  const batch = EventStoreDBClient.connectionString(connectionString);
  const unary = withoutBatches(EventStoreDBClient.connectionString(connectionString));
  const stream: StreamName = `artifact-${randomUUID()}`;
  const events = () => [{ id: randomUUID(), type: 'ArtifactSubmitted', data }];
  for (let revision = NO_STREAM; revision < READ_EVENTS - 1; revision += 1) {
    await log.append(stream, revision, events(), metadata);
  }
  const calls: Record<(typeof SIDES)[number], Call> =
    call === 'append'
      ? {
          adapter: () => log.append(`artifact-${randomUUID()}`, NO_STREAM, events(), metadata),
          unary: () => appended(unary),
          batch: () => appended(batch),
        }
      : { adapter: () => log.read(stream), unary: () => read(unary, stream), batch: () => read(batch, stream) };
  const result = await inTurn(calls, atOnce, seconds);
  await log.close();
  return result;
}

export function withoutBatches(client: EventStoreDBClient): EventStoreDBClient {
  return Object.assign(client, { supports: () => Promise.resolve(false) });
}

export function appended(client: EventStoreDBClient): Promise<unknown> {
  const event = jsonEvent({ id: randomUUID(), type: 'ArtifactSubmitted', data, metadata: { ...metadata } });
  const options = { expectedRevision: NO_STORE_STREAM, requiresLeader: true } as const;
  return client.appendToStream(`${PREFIX}artifact-${randomUUID()}`, [event], options);
}

async function read(client: EventStoreDBClient, stream: StreamName): Promise<unknown> {
  const options = { direction: BACKWARDS, fromRevision: END, requiresLeader: true } as const;
  const events: unknown[] = [];
  for await (const { event } of client.readStream(`${PREFIX}${stream}`, options)) events.push(event);
  return events;
}

async function inTurn(
  calls: Readonly<Record<(typeof SIDES)[number], Call>>,
  atOnce: number,
  seconds: number,
): Promise<EventStoreResult> {
  const slices: Record<(typeof SIDES)[number], Rate[]> = { adapter: [], unary: [], batch: [] };
  // What the first turns meet is not compiled yet.
  for (const side of SIDES) await slice(calls[side], atOnce, 1000);
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    for (const side of SIDES) slices[side].push(await slice(calls[side], atOnce, SLICE_MS));
  }
  const of = (side: (typeof SIDES)[number]): Rate => ({
    perSecond: median(slices[side].map(({ perSecond }) => perSecond)),
    cpu: median(slices[side].map(({ cpu }) => cpu)),
  });
  return { adapter: of('adapter'), unary: of('unary'), batch: of('batch') };
}

async function slice(call: Call, atOnce: number, ms: number): Promise<Rate> {
  const began = performance.now();
  const before = process.cpuUsage();
  let done = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - began < ms) {
      await call();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (done * 1000) / (performance.now() - began), cpu: (user + system) / done };
}
