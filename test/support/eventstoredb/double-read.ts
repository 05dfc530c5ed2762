// Streams.Read of the protocol double of EventStoreDB: streams, $all, subscriptions to $all. It proves nothing about the real server.
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type ServerWritableStream } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { type DoubleLog, type Entry, isBefore, type Place } from './double-log.js';
import { denial, failure, type Faults, invalidPosition, type ReadFault, tombstoned } from './faults.js';

type Call = ServerWritableStream<ReadReq, ReadResp>;

/** After so many entries looked at, a filtered subscription reports how far it is. */
const WINDOW = 32;

const NONE: ReadFault = { after: Infinity, then: 'end' };

export interface Tally {
  /** Answers to readings so far, one per event, confirmation and so on. */
  sent: number;
  /** Readings and subscriptions that the client has not yet let go of. */
  open: number;
}

/** A subscription falls silent once the term aborts in which it began. */
export function readService(
  log: DoubleLog,
  faults: Faults,
  tally: Tally,
  term: () => AbortSignal = () => new AbortController().signal,
) {
  return (call: Call): void => {
    const options = call.request.getOptions()!;
    const over = new AbortController();
    tally.open += 1;
    over.signal.addEventListener('abort', () => (tally.open -= 1));
    for (const event of ['cancelled', 'error', 'finish', 'close']) {
      call.on(event, () => {
        over.abort();
      });
    }
    const stream = options.getStream();
    const name = stream && Buffer.from(stream.getStreamIdentifier()!.getStreamName_asU8()).toString();
    const reading = options.hasSubscription() ? 'subscription' : name === undefined ? 'all' : 'stream';
    const fault = faults.read?.(reading, name) ?? NONE;
    const answers = { stream: streamRead, all: allRead, subscription }[reading];
    const serving = { signal: over.signal, faults };
    const quiet = reading === 'subscription' ? AbortSignal.any([over.signal, term()]) : over.signal;
    void sent(call, answers(log, options, serving), fault, quiet, tally);
  };
}

interface Serving {
  readonly signal: AbortSignal;
  readonly faults: Faults;
}

async function sent(
  call: Call,
  answers: AsyncIterable<ReadResp> | Iterable<ReadResp>,
  { after, then }: ReadFault,
  quiet: AbortSignal,
  tally: Tally,
): Promise<void> {
  let messages = 0;
  try {
    for await (const answer of after === 0 ? [] : answers) {
      if (quiet.aborted) return;
      tally.sent += 1;
      messages += 1;
      await written(call, answer, quiet);
      if (messages === after) break;
    }
  } catch (refusal) {
    call.emit('error', refusal);
    return;
  }
  if (!quiet.aborted) finish(call, messages === after ? then : 'end');
}

/** Waits where the client does not keep up. */
async function written(call: Call, answer: ReadResp, over: AbortSignal): Promise<void> {
  if (!call.write(answer)) await once(call, 'drain', { signal: over }).catch(() => undefined);
}

function finish(call: Call, how: ReadFault['then']): void {
  if (how === 'end') call.end();
  else if (how === 'denied') call.emit('error', denial());
  else if (how !== 'silence') call.emit('error', failure(how));
}

function* streamRead(log: DoubleLog, options: ReadReq.Options): Iterable<ReadResp> {
  const from = options.getStream()!;
  const name = Buffer.from(from.getStreamIdentifier()!.getStreamName_asU8()).toString();
  const state = log.stateOf(name);
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- It goes out as it is.
  if (state === 'tombstoned') throw tombstoned(name);
  if (state === 'missing') {
    const missing = new streams.ReadResp.StreamNotFound().setStreamIdentifier(from.getStreamIdentifier());
    yield new streams.ReadResp().setStreamNotFound(missing);
    return;
  }
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const start = from.hasRevision() ? Number(from.getRevision()) : backwards ? Infinity : 0;
  const entries = log.of(name).filter(({ revision }) => (backwards ? revision <= start : revision >= start));
  const part = backwards ? entries.reverse() : entries;
  for (const entry of part.slice(0, Number(options.getCount()))) yield eventAnswer(entry);
}

/** Forwards from the position itself, backwards from before it. */
function* allRead(log: DoubleLog, options: ReadReq.Options): Iterable<ReadResp> {
  const at = placeOf(options.getAll()!.getPosition());
  const backwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
  const within = ({ position }: Entry) => at === undefined || isBefore(position, at) === backwards;
  if (!backwards) checkPlace(log, at);
  const entries = log.entries.filter((entry) => within(entry) && !log.isScavenged(entry));
  if (backwards) entries.reverse();
  for (const entry of entries.slice(0, Number(options.getCount()))) yield eventAnswer(entry);
}

/** After the position. Of one beyond the end nothing is said, and what comes up to there is never sent. */
async function* subscription(log: DoubleLog, options: ReadReq.Options, { signal, faults }: Serving) {
  const matches = filterOf(options);
  const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId('double');
  yield new streams.ReadResp().setConfirmation(confirmation);
  const after = placeOf(options.getAll()!.getPosition());
  checkPlace(log, after);
  const isSent = (entry: Entry) => (after === undefined || isBefore(after, entry.position)) && !log.isScavenged(entry);
  let next = 0;
  while (!signal.aborted) {
    const stretch = log.entries.slice(next);
    const ahead = stretch.at(-1);
    if (faults.checkpointsAhead === true && ahead !== undefined) yield checkpoint(ahead);
    yield* filtered(stretch.filter(isSent), matches);
    next += stretch.length;
    if (next < log.entries.length) continue;
    yield new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
    await log.beyond(next, signal);
  }
}

function* filtered(stretch: readonly Entry[], matches: (entry: Entry) => boolean): Iterable<ReadResp> {
  for (const [index, entry] of stretch.entries()) {
    if (matches(entry)) yield eventAnswer(entry);
    if ((index + 1) % WINDOW === 0) yield checkpoint(entry);
  }
}

function placeOf(position: ReadReq.Options.Position | undefined): Place | undefined {
  if (position === undefined) return undefined;
  return { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) };
}

function checkPlace(log: DoubleLog, place: Place | undefined): void {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- It goes out as it is.
  if (place !== undefined && !log.isReadable(place)) throw invalidPosition();
}

function filterOf(options: ReadReq.Options): (entry: Entry) => boolean {
  const filter = options.getFilter();
  const expression = filter?.getStreamIdentifier() ?? filter?.getEventType();
  if (filter === undefined || expression === undefined) return () => true;
  const subject = ({ stream, type }: Entry) => (filter.hasStreamIdentifier() ? stream : type);
  const prefixes = expression.getPrefixList();
  const pattern = new RegExp(expression.getRegex());
  return (entry) =>
    prefixes.length > 0 ? prefixes.some((prefix) => subject(entry).startsWith(prefix)) : pattern.test(subject(entry));
}

function checkpoint({ position }: Entry): ReadResp {
  const at = new streams.ReadResp.Checkpoint();
  at.setCommitPosition(String(position.commit)).setPreparePosition(String(position.prepare));
  return new streams.ReadResp().setCheckpoint(at);
}

function eventAnswer(entry: Entry): ReadResp {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(new shared.UUID().setString(entry.id))
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(new Uint8Array(Buffer.from(entry.stream))))
    .setStreamRevision(String(entry.revision))
    .setCommitPosition(String(entry.position.commit))
    .setPreparePosition(String(entry.position.prepare))
    .setCustomMetadata(entry.metadata)
    .setData(entry.data);
  event.getMetadataMap().set('type', entry.type).set('content-type', entry.contentType).set('created', '0');
  const resolved = new streams.ReadResp.ReadEvent().setEvent(event).setCommitPosition(String(entry.position.commit));
  return new streams.ReadResp().setEvent(resolved);
}
