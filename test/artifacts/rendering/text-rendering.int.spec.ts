import { expect } from 'chai';
import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type TextValue } from '../../../src/trackers/field-types/field-value.js';
import { renderingThread, type RenderingThread } from '../../../src/artifacts/rendering/rendering-thread.js';
import { textRendering, type TextRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { Problem } from '../../../src/core/problem.js';

/** Ends or never answers when it is told to, and shouts otherwise. */
const SHOUTING = `
  const { parentPort } = require('node:worker_threads');
  const shout = ({ text }) => {
    if (text === 'exit') process.exit(1);
    if (text === 'loop') for (;;);
    if (text === 'throw') throw new Error('thrown');
    return text.toUpperCase();
  };
  parentPort.on('message', (texts) => parentPort.postMessage(texts.map(shout)));`;

const shouting = (): Worker => new Worker(SHOUTING, { eval: true });
const ignore = (): void => undefined;

const ANYBODY = { reader: null };
const textOf = (text: string): TextValue => ({ text, format: 'html' });

interface Setting extends TextRendering {
  /** In the order in which they came to the thread. */
  readonly asked: readonly string[];
  readonly failures: readonly Error[];
}

async function setting(use: (given: Setting) => Promise<void>): Promise<void> {
  const asked: string[] = [];
  const failures: Error[] = [];
  const thread = renderingThread(shouting, (error) => failures.push(error));
  const counted: RenderingThread = {
    ...thread,
    render: (texts) => {
      asked.push(...texts.map(({ text }) => text));
      return thread.render(texts);
    },
  };
  const rendering = textRendering(counted);
  try {
    await use({ ...rendering, asked, failures });
  } finally {
    await rendering.close();
  }
}

const kindOf = (failure: unknown): unknown => (failure instanceof Problem ? failure.kind : failure);

describe('Texts rendered on a thread', () => {
  it('are rendered once, and remembered', () =>
    setting(async ({ htmlOf, asked }) => {
      const long = 'a'.repeat(2000);
      const plain = { text: long, format: 'text' } as const;
      const texts = [textOf('a'), plain, textOf('a'), { text: '<', format: 'text' }] as const;
      const [first, second] = await Promise.all([htmlOf(texts, ANYBODY), htmlOf(texts, ANYBODY)]);
      expect(texts.map(first)).to.deep.equal(['A', long.toUpperCase(), 'A', '&lt;']);
      expect(texts.map(second)).to.deep.equal(['A', long.toUpperCase(), 'A', '&lt;']);
      expect([...asked].sort()).to.deep.equal(['a', long]);
    }));

  it('have line breaks if they are plain, short or escaped without the thread', async () => {
    const start = (): Worker => {
      throw new Error('no memory');
    };
    const rendering = textRendering(renderingThread(start, ignore));
    const texts = ['a\n<', `${'a'.repeat(2000)}\r\n<`].map((text) => ({ text, format: 'text' }) as const);
    const html = texts.map(await rendering.htmlOf(texts, ANYBODY));
    expect(html).to.deep.equal(['a<br />\n&lt;', `${'a'.repeat(2000)}<br />\n&lt;`]);
    await rendering.close();
  });

  it('let others have their turn between long plain ones', () =>
    setting(async ({ htmlOf }) => {
      const texts = Array.from({ length: 30 }, (_, n) => ({ text: `<${n}>`.repeat(10_000), format: 'text' }) as const);
      const state = { isDone: false };
      const html = htmlOf(texts, ANYBODY).finally(() => (state.isDone = true));
      let turns = 0;
      for (; !state.isDone; turns += 1) await setImmediate();
      expect(turns).to.be.at.least(30);
      expect(texts.map(await html)).to.deep.equal(texts.map(({ text }) => text));
    }));

  for (const way of ['exit', 'throw']) {
    it(`are escaped when the thread ends over them by ${way}; the next one has a new thread`, () =>
      setting(async ({ htmlOf, failures }) => {
        const texts = [textOf('a<'), textOf(way), textOf('b<')];
        const html = await htmlOf(texts, ANYBODY);
        expect(texts.map(html)).to.deep.equal(['A<', way, 'B<']);
        // With the others, then by itself.
        expect(failures).to.have.length(way === 'throw' ? 2 : 0);
      }));

    it(`are tried again by the next reader when the thread ended over them by ${way}`, () =>
      setting(async ({ htmlOf, asked }) => {
        await htmlOf([textOf(way)], ANYBODY);
        await htmlOf([textOf(way)], ANYBODY);
        expect(asked).to.deep.equal([way, way]);
      }));
  }

  it('are escaped when the thread does not answer in time; the next one has a new thread', async () => {
    let starts = 0;
    const start = (): Worker => {
      starts += 1;
      return shouting();
    };
    const rendering = textRendering(renderingThread(start, ignore, 2000));
    const texts = [textOf('a<'), textOf('loop'), textOf('b<')];
    expect(texts.map(await rendering.htmlOf(texts, ANYBODY))).to.deep.equal(['A<', 'loop', 'B<']);
    // For all of them, then for each until one ended it, and for the rest.
    expect(starts).to.equal(3);
    await rendering.close();
  });

  it('are escaped while no thread can be started, and rendered once one can', async () => {
    const failures: Error[] = [];
    let starts = 0;
    const start = (): Worker => {
      starts += 1;
      if (starts === 1) throw new Error('no memory');
      return shouting();
    };
    const rendering = textRendering(renderingThread(start, (error) => failures.push(error)));
    const texts = [textOf('a<')];
    expect(texts.map(await rendering.htmlOf(texts, ANYBODY))).to.deep.equal(['a&lt;']);
    expect(failures.map(({ message }) => message)).to.deep.equal(['no memory']);
    expect(texts.map(await rendering.htmlOf(texts, ANYBODY))).to.deep.equal(['A<']);
    await rendering.close();
  });

  it('are escaped after the end, which no thread is started for', async () => {
    let starts = 0;
    const thread = renderingThread(() => {
      starts += 1;
      return shouting();
    }, ignore);
    await thread.close();
    expect(await thread.render([textOf('a<')])).to.deep.equal([{ html: 'a&lt;', isLasting: false }]);
    expect(starts).to.equal(0);
  });

  it('are not rendered any longer once the client has left', () =>
    setting(async ({ htmlOf, asked }) => {
      const leaving = new AbortController();
      const texts = Array.from({ length: 1000 }, (_, index) => textOf(`text ${index}`));
      const left = htmlOf(texts, { reader: null, gone: leaving.signal }).catch(kindOf);
      leaving.abort();
      expect(await left).to.equal('unavailable');
      expect((await htmlOf([textOf('other')], ANYBODY))(textOf('other'))).to.equal('OTHER');
      expect(asked.length).to.be.at.most(201);
    }));

  it('come to the thread once where several readers wait for the same', () =>
    setting(async ({ htmlOf, asked }) => {
      // While it is busy with the first.
      const first = htmlOf([textOf('first')], ANYBODY);
      await Promise.all([first, ...[1, 2, 3].map((reader) => htmlOf([textOf('same')], { reader }))]);
      expect(asked).to.deep.equal(['first', 'same']);
    }));

  it('are not kept waiting, where they are long, by short ones of another reader that follow each other', () =>
    setting(async ({ htmlOf, asked }) => {
      const first = htmlOf([textOf('first')], ANYBODY);
      const long = htmlOf([textOf('long'.padEnd(20_000, '.'))], { reader: 115 });
      const second = htmlOf([textOf('second')], ANYBODY);
      await first;
      const third = htmlOf([textOf('third')], ANYBODY);
      await Promise.all([long, second, third]);
      expect(asked.map((text) => text.replace(/\.+$/, ''))).to.deep.equal(['first', 'second', 'long', 'third']);
    }));

  it('come to the thread together while they are short, and alone where they are long', async () => {
    const together: number[] = [];
    const thread = renderingThread(shouting, ignore);
    const watched: RenderingThread = {
      ...thread,
      render: (texts) => {
        together.push(texts.length);
        return thread.render(texts);
      },
    };
    const rendering = textRendering(watched);
    const short = Array.from({ length: 850 }, (_, nth) => textOf(`short ${nth}`));
    const long = Array.from({ length: 3 }, (_, nth) => textOf(`long ${nth}`.padEnd(10_000, '.')));
    // Each counts for four times its length.
    const middling = Array.from({ length: 8 }, (_, nth) => textOf(`middling ${nth}`.padEnd(4000, '.')));
    const texts = [...long, ...middling, ...short];
    expect(texts.map(await rendering.htmlOf(texts, ANYBODY))).to.deep.equal(
      texts.map(({ text }) => text.toUpperCase()),
    );
    expect(together).to.deep.equal([200, 200, 200, 200, 52, 2, 2, 2, 1, 1, 1]);
    await rendering.close();
  });

  it('are not even begun for a client that has left before', () =>
    setting(async ({ htmlOf, asked }) => {
      const left = await htmlOf([textOf('a')], { reader: null, gone: AbortSignal.abort() }).catch(kindOf);
      expect(left).to.equal('unavailable');
      expect(asked).to.deep.equal([]);
    }));

  it('leave nothing behind with the client that waits for many, nor with the thread', async () => {
    const workers: Worker[] = [];
    const start = (): Worker => {
      const worker = shouting();
      workers.push(worker);
      return worker;
    };
    // The time-out of the spec itself begins after its first turn.
    await setImmediate();
    // What still reads files is of the program that runs the specs.
    const resources = () => process.getActiveResourcesInfo().filter((name) => !name.startsWith('FSReq'));
    const keepingAlive = resources();
    const rendering = textRendering(renderingThread(start, ignore));
    const { signal } = new AbortController();
    for (let nth = 0; nth < 5; nth += 1) await rendering.htmlOf([textOf(`${nth}`)], { reader: null, gone: signal });
    expect(resources()).to.deep.equal(keepingAlive);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
    expect(workers.map((worker) => worker.listenerCount('message'))).to.deep.equal([0]);
    await rendering.close();
    expect(workers.map(({ threadId }) => threadId)).to.deep.equal([-1]);
  });

  it('are remembered as long as they and their HTML have room together', () =>
    setting(async ({ htmlOf, asked }) => {
      const texts = Array.from({ length: 100 }, (_, nth) => textOf(`${nth} `.padEnd(65_535, 'x')));
      for (const text of texts) await htmlOf([text], ANYBODY);
      expect(asked).to.have.length(texts.length);
      await htmlOf([texts.at(-1)!], ANYBODY);
      expect(asked).to.have.length(texts.length);
      await htmlOf([texts[0]!], ANYBODY);
      expect(asked).to.have.length(texts.length + 1);
    }));

  it('wait for nothing where they are remembered', async () => {
    const rendering = textRendering(renderingThread(shouting, ignore));
    await rendering.htmlOf([textOf('a')], ANYBODY);
    await rendering.close();
    expect((await rendering.htmlOf([textOf('a')], ANYBODY))(textOf('a'))).to.equal('A');
  });

  it('are refused if too many wait, first for the request with the most waiting text', () =>
    setting(async ({ htmlOf }) => {
      const page = (name: string, count: number) =>
        Array.from({ length: count }, (_, index) => textOf(`${name} ${index} `.padEnd(65_535, 'x')));
      const answers = await Promise.all([
        htmlOf(page('a', 150), ANYBODY).catch(kindOf),
        htmlOf(page('b', 200), ANYBODY).catch(kindOf),
        htmlOf(page('c', 50), ANYBODY).catch(kindOf),
      ]);
      expect(answers.map((answer) => (typeof answer === 'function' ? 'html' : answer))).to.deep.equal([
        'html',
        'unavailable',
        'html',
      ]);
    }));

  it('are refused after the end, for every waiting request', async () => {
    const rendering = textRendering(renderingThread(shouting, ignore));
    const refused = (text: string) => rendering.htmlOf([textOf(text)], ANYBODY).catch((error: unknown) => error);
    const waiting = refused('a');
    await rendering.close();
    for (const failure of [await waiting, await refused('b')]) {
      expect(failure).to.include({ kind: 'unavailable', message: 'the service is stopping', retryAfter: 5 });
    }
  });
});
