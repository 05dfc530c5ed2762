/** Texts as HTML, rendered on a separate thread, so that no text delays other requests. */
import { LRUCache } from 'lru-cache';
import { textSize } from '../../core/bounds.js';
import { Problem } from '../../core/problem.js';
import { ClientLeft } from '../../http/gone.js';
import { TEXT_FORMATS, type TextFormat, type TextValue } from '../../trackers/field-types/field-value.js';
import { escaped } from './escaped.js';
import { fairQueue, type FairQueue, type Taken, type Waiting } from './fair-queue.js';
import { type RenderingThread } from './rendering-thread.js';

/** Of the texts that were asked for; throws for any other. */
export interface HtmlOf {
  (text: TextValue): string;
  /** Those that are escaped, this once: nothing that is made with them may be remembered. */
  readonly passing?: ReadonlySet<string>;
  /** Whether a text was escaped once since the process began: somebody may have read such a one. */
  readonly hasEscaped?: boolean;
}

interface ForWhom {
  /** Null: anonymous. */
  readonly reader: number | null;
  /** Aborts when no request waits for the answer any longer. */
  readonly gone?: AbortSignal | undefined;
}

export interface TextRendering {
  /** Throws 503 when too much waits already. */
  readonly htmlOf: (texts: readonly TextValue[], whom: ForWhom) => Promise<HtmlOf>;
  /** How many texts were escaped, once each: what is made while it grows is not remembered. */
  readonly escaped?: () => number;
  readonly close: () => Promise<void>;
}

/** In bytes, of the texts of one format and their HTML together. */
const REMEMBERED_SIZE = 8_388_608;
/** In characters. A request that waits alone may wait for more. */
const MAX_WAITING = 16_777_216;
/** In one message to the thread, which takes longer than to render a short text. In characters, and texts. */
const TOGETHER = 32_768;
const MOST_TOGETHER = 200;
const SHORT = 1000;
const RETRY_AFTER = 5;
const STOPPING = 'the service is stopping';

/** Takes no time worth the way to the thread. `SHORT` is in characters. */
const isTrivial = ({ format, text }: TextValue): boolean => format === 'text' && text.length <= SHORT;

/** HTML by text. */
type Known = Readonly<Record<TextFormat, HtmlByText>>;
type Made = Known & { readonly passing: Set<string> };

interface HtmlByText {
  get(text: string): string | undefined;
  set(text: string, html: string): unknown;
}

interface Request extends Waiting {
  readonly html: Made;
  readonly settle: (failure?: Problem) => void;
}

export function textRendering(thread: RenderingThread): TextRendering {
  const remembered: Known = { text: cache(), html: cache(), commonmark: cache() };
  const waiting = waitingRequests(thread, remembered);
  return {
    htmlOf: async (texts, whom) => {
      const html = noHtml();
      const unknown = unknownAmong(texts, remembered, html);
      if (unknown.length > 0) await waiting.wait(unknown, html, whom);
      const find = (value: TextValue): string =>
        isTrivial(value) ? escaped(value) : rendered(html[value.format].get(value.text));
      return Object.assign(find, { passing: html.passing, hasEscaped: waiting.escaped() > 0 });
    },
    escaped: waiting.escaped,
    close: async () => {
      waiting.end();
      await thread.close();
    },
  };
}

function waitingRequests(thread: RenderingThread, remembered: Known) {
  const queue = fairQueue<Request>();
  let [running, ended] = [false, false];
  let escaped = 0;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    for (let taken = takeSome(queue); taken.length > 0; taken = takeSome(queue)) {
      escaped += await render(taken, thread, remembered);
      for (const { request } of taken) if (request.texts.length === 0) settle(request);
    }
    running = false;
  }

  function settle(request: Request, failure?: Problem): void {
    queue.remove(request);
    request.settle(failure);
  }

  const refuse = (request: Request, why: string): void => {
    settle(request, new Problem('unavailable', why, { retryAfter: RETRY_AFTER }));
  };

  return {
    wait: async (texts: TextValue[], html: Made, { reader, gone }: ForWhom): Promise<void> => {
      const done = promise();
      const request: Request = { reader, texts, html, settle: done.settle };
      const leave = (): void => {
        settle(request, new ClientLeft());
      };
      queue.add(request);
      gone?.addEventListener('abort', leave);
      if (ended) refuse(request, STOPPING);
      else if (gone?.aborted === true) leave();
      for (const refused of queue.overflow(MAX_WAITING)) refuse(refused, 'too many texts wait to be rendered');
      void run();
      await done.promise.finally(() => gone?.removeEventListener('abort', leave));
    },
    escaped: () => escaped,
    end: (): void => {
      ended = true;
      for (const request of queue.all()) refuse(request, STOPPING);
    },
  };
}

/** A text that is longer than the room goes alone, so that no other one waits for it. */
function takeSome(queue: FairQueue<Request>): readonly Taken<Request>[] {
  const taken: Taken<Request>[] = [];
  let room = TOGETHER;
  for (let next = queue.take(); next !== undefined; next = queue.take(longestWithin(room))) {
    taken.push(next);
    const { length } = next.text.text;
    room -= length * Math.max(1, length / SHORT);
    if (taken.length === MOST_TOGETHER) break;
  }
  return taken;
}

/** Some texts take the square of their length, so those beyond `SHORT` need more room. In characters. */
const longestWithin = (room: number): number => (room < SHORT ? room : Math.sqrt(room * SHORT));

/** Each text once, but for those that another request has had rendered meanwhile. Yields how many are escaped once. */
async function render(taken: readonly Taken<Request>[], thread: RenderingThread, remembered: Known): Promise<number> {
  const html = noHtml();
  const wanted = taken.map(({ text }) => text);
  const texts = unknownAmong(wanted, remembered, html);
  const rendered = texts.length === 0 ? [] : await thread.render(texts);
  for (const [nth, { format, text }] of texts.entries()) {
    const made = rendered[nth];
    if (made === undefined) continue;
    if (made.isLasting) remembered[format].set(text, made.html);
    else html.passing.add(text);
    html[format].set(text, made.html);
  }
  for (const { request, text } of taken) {
    const made = html[text.format].get(text.text);
    if (html.passing.has(text.text)) request.html.passing.add(text.text);
    if (made !== undefined) request.html[text.format].set(text.text, made);
  }
  return rendered.filter(({ isLasting }) => !isLasting).length;
}

const noHtml = (): Made => ({ text: new Map(), html: new Map(), commonmark: new Map(), passing: new Set() });
function promise(): { readonly promise: Promise<void>; readonly settle: Request['settle'] } {
  let settle: Request['settle'] = () => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = (failure) => {
      if (failure === undefined) resolve();
      else reject(failure);
    };
  });
  return { promise, settle };
}

const cache = () =>
  new LRUCache<string, string>({
    maxSize: REMEMBERED_SIZE,
    sizeCalculation: (html, text) => textSize(html) + textSize(text) + 1,
  });

/** Each once. Those that are remembered go into `html`. */
function unknownAmong(texts: readonly TextValue[], remembered: Known, html: Known): TextValue[] {
  const unknown = { text: new Set<string>(), html: new Set<string>(), commonmark: new Set<string>() };
  for (const { format, text } of texts) {
    if (isTrivial({ format, text })) continue;
    const kept = remembered[format].get(text);
    if (kept === undefined) unknown[format].add(text);
    else html[format].set(text, kept);
  }
  return TEXT_FORMATS.flatMap((format) => [...unknown[format]].map((text) => ({ format, text })));
}

function rendered(html: string | undefined): string {
  if (html === undefined) throw new Error('A text was not rendered before it was represented');
  return html;
}
