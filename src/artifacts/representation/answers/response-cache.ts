/** Answers about artifacts, given again to the same reader as long as what they were made of has not changed. */
import { type TextRendering } from '../../rendering/text-rendering.js';
import { type Definitions } from '../../../definitions/definitions.js';
import { othersTurn } from '../../../core/concurrency/others-turn.js';
import { type ReadModels } from '../../../core/read-models.js';
import { ClientLeft } from '../../../http/gone.js';
import { type Begun } from '../../../http/send-json.js';
import { type Lasting } from '../ingredients.js';
import { type Reading } from '../reading.js';
import { rememberedAnswers, type Grounds, type Remembered, type RememberedAnswers } from './remembered-answers.js';

/** `stillHolds` is asked once anything at all has changed. Without it, the answer is made anew then. */
interface Made<Facts> extends Begun, Lasting {
  /** What goes into the headers. */
  readonly facts: Facts;
}

export interface Answer<Facts> extends Begun {
  readonly facts: Facts;
  /** Whether the reader, who is the same, would be answered the same now. Undefined if the answer is not remembered. */
  readonly stillHolds?: (() => Promise<boolean>) | undefined;
}

type Ask<Facts> = (
  question: string,
  reading: Pick<Reading, 'viewer'>,
  make: () => Promise<Made<Facts>>,
) => Promise<Answer<Facts>>;

const caches = new WeakMap<ReadModels, RememberedAnswers<unknown>>();

function cacheOf(readModels: ReadModels): RememberedAnswers<unknown> {
  const known = caches.get(readModels) ?? rememberedAnswers();
  caches.set(readModels, known);
  return known;
}

const nameOf = (kind: string, { user }: Reading['viewer'], question: string): string =>
  `${kind} ${user?.id ?? 'anonymous'} ${question}`;

/** By which it is known whether any of these still holds. The latest is not asked for where none can. */
type StateFor = (made: readonly (Partial<Grounds> | undefined)[]) => Promise<string | undefined>;

const holds = (earlier: Grounds, state: string | undefined): boolean | Promise<boolean> =>
  earlier.state === state || holdsAnew(earlier, state);

/** A function of its own: it would hold in memory all that the functions beside it do. */
const holding = (grounds: Grounds, stateFor: StateFor) => async (): Promise<boolean> =>
  holds(grounds, await stateFor([grounds]));

async function holdsAnew(earlier: Grounds, state: string | undefined): Promise<boolean> {
  const isSame = (await earlier.stillHolds?.()) === true;
  if (isSame) earlier.state = state ?? earlier.state;
  else earlier.stillHolds = undefined;
  return isSame;
}

interface Parts {
  readonly readModels: ReadModels;
  readonly definitions: Definitions;
  readonly texts?: Pick<TextRendering, 'escaped'>;
}

/** A text that is escaped once changes the state, too. */
function statesOf({ readModels, definitions, texts }: Parts) {
  // One text for all that is made of it.
  let known = '';
  const now = (): string | undefined => {
    const state = readModels.state();
    if (state === undefined) return undefined;
    const text = `${state} ${definitions.generation} ${texts?.escaped?.() ?? 0}`;
    if (text !== known) known = text;
    return known;
  };
  const stateFor: StateFor = async (made) => {
    const last = now();
    const mayHold = made.some((one) => one !== undefined && (one.state === last || one.stillHolds !== undefined));
    if (!mayHold) return last;
    if (readModels.refreshState !== undefined) await readModels.refreshState();
    return now();
  };
  return { now, stateFor };
}

/**
 * `question` holds all that the answer depends on, apart from reader, documents and definitions, and `kind` what has
 * questions of its own. Refusals and unfinished answers are not cached. Without a `state` of the read models, nothing is
 * cached, and what is cached is given only by its parts.
 */
export function responseCache<Facts>(kind: string, ports: Parts): Ask<Facts> {
  const known = cacheOf(ports.readModels) as RememberedAnswers<Facts>;
  const { now, stateFor } = statesOf(ports);

  const given = (name: string, answer: Remembered<Facts>): Answer<Facts> => ({
    parts: known.partsOf(name, answer),
    rest: null,
    facts: answer.facts,
    stillHolds: holding(answer.grounds, stateFor),
  });

  const underWay = new Map<string, UnderWay<Facts>>();

  const made = async (name: string, asked: Asked, make: () => Promise<Made<Facts>>): Promise<Answer<Facts>> => {
    const { stillHolds, groundsSize = 0, ...answer } = await make();
    // What came and went meanwhile would leave no trace in what `stillHolds` compares.
    if (answer.rest !== null || now() !== asked.state) return { ...answer, stillHolds: undefined };
    const grounds = { stillHolds, size: groundsSize, state: asked.state };
    const remembered = { parts: answer.parts, facts: answer.facts, viewer: new WeakRef(asked.viewer), grounds };
    known.set(name, remembered);
    return given(name, remembered);
  };

  const begin = (name: string, asked: Asked, make: () => Promise<Made<Facts>>): Promise<Answer<Facts>> => {
    const begun = { ...asked, answer: made(name, asked, make) };
    underWay.set(name, begun);
    return begun.answer.finally(() => underWay.get(name) === begun && underWay.delete(name));
  };
  const joinOrBegin: typeof begin = (name, asked, make) => {
    const same = underWay.get(name);
    if (same?.viewer !== asked.viewer || same.state !== asked.state) return begin(name, asked, make);
    return same.answer.then(
      (answer) => (answer.rest === null ? answer : othersTurn().then(() => begin(name, asked, make))),
      (error: unknown) => {
        if (error instanceof ClientLeft) return joinOrBegin(name, asked, make);
        throw error;
      },
    );
  };

  return async (question, { viewer }, make) => {
    const name = nameOf(kind, viewer, question);
    const { generation } = ports.definitions;
    // What is made may be kept for an older state, too: it is given again only if that is the latest one then.
    const state = await stateFor([known.get(name)?.grounds, underWay.get(name)]);
    // Whoever asks has chosen what to make by definitions that may be outdated by now.
    const isStale = ports.definitions.generation !== generation;
    const earlier = known.get(name);
    if (!isStale && earlier?.viewer.deref() === viewer && (await holds(earlier.grounds, state)))
      return given(name, earlier);
    if (state === undefined || isStale) return { ...(await make()), stillHolds: undefined };
    return joinOrBegin(name, { viewer, state }, make);
  };
}

/** What was there when an answer was asked for: all that is read for it is as new, or newer. */
interface Asked {
  readonly viewer: Reading['viewer'];
  readonly state: string;
}

/** Whoever asks the same of the same state waits for it: of many that are made at once, each takes longer. */
interface UnderWay<Facts> extends Asked {
  readonly answer: Promise<Answer<Facts>>;
}
