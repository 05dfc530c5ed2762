import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Position } from '../../../src/core/event-log.js';
import { type Document, type ReadModel, type ReadModels } from '../../../src/core/read-models.js';
import { earlyAnswers } from '../../../src/composition/reading/early-answers.js';

type Reading = Pick<ReadModels, 'get' | 'getMany' | 'getSlice' | 'find' | 'findSlice' | 'findIds' | 'caughtUp'>;

const ARTIFACTS: ReadModel<Document> = { name: 'artifacts', category: 'artifact' };
const COUNTS: ReadModel<Document> = { name: 'counts' };
const QUERY = { where: [], direction: 'asc', limit: 1, offset: 0 } as const;

interface Paces {
  /** Whether the projections pause. */
  readonly isEased?: boolean;
}

function scene({ isEased = false }: Paces = {}) {
  let hurried = 0;
  const pace = { ease: () => isEased, hurry: () => void (hurried += 1) };
  const reads: string[] = [];
  const models: Reading = {
    get: () => {
      reads.push('get');
      return Promise.resolve(null);
    },
    getMany: () => Promise.resolve([]),
    getSlice: () => Promise.resolve({ items: [], rest: [] }),
    find: () => Promise.resolve({ items: [], total: 0 }),
    findSlice: () => Promise.resolve({ items: [], total: 0, rest: [] }),
    findIds: () => Promise.resolve([]),
    caughtUp: () => Promise.resolve(true),
  };
  const { readModels, early } = earlyAnswers(models, pace);
  /** A write to one stream. The function that it returns shows the write. */
  const write = (stream: string) => {
    let show: (error?: Error) => void = () => undefined;
    const showing = new Promise<void>((resolve, reject) => {
      show = (error) => {
        if (error === undefined) resolve();
        else reject(error);
      };
    });
    const answered = early.writing(() => early.answer([stream], () => showing));
    return { answered, show };
  };
  /** Waited for by the write. */
  const prompt = async (): Promise<void> => {
    const { answered, show } = write('artifact-1');
    show();
    await answered;
  };
  return { readModels, early, write, prompt, reads, hurried: () => hurried };
}

/** Without a wait for anything else. */
const isDone = async (work: Promise<unknown> | undefined): Promise<boolean> =>
  Promise.race([Promise.resolve(work).then(() => true), pause(5, false)]);

const READERS = 50;

describe('a write that is answered before the read models show it', () => {
  const time = performance.now.bind(performance);
  let now = 0;
  /** In milliseconds. Nothing else takes time. */
  const pass = (ms: number): void => {
    now += ms;
  };
  before(() => {
    performance.now = () => now;
  });
  after(() => {
    performance.now = time;
  });

  it('lets those who wait for it read one after the other', async () => {
    const { readModels, write, prompt, reads } = scene();
    await prompt();
    const alone = write('artifact-2');
    await alone.answered;
    const readers = Array.from({ length: READERS }, async () => {
      await readModels.get(ARTIFACTS, 2);
      reads.push('got');
    });
    expect(reads).to.have.length(0);
    alone.show();
    await Promise.all(readers);
    expect(reads.join(' ')).to.match(/^(get got ?)+$/);
  });

  it('is one that is alone, after a prompt one', async () => {
    const { write } = scene();
    const first = write('artifact-1');
    expect(await isDone(first.answered)).to.equal(false);
    first.show();
    await first.answered;
    const alone = write('artifact-2');
    expect(await isDone(alone.answered)).to.equal(true);
    alone.show();
  });

  it('is none beside another one', async () => {
    const { early, write, prompt } = scene();
    await prompt();
    let end: () => void = () => undefined;
    const other = early.writing(() => new Promise<void>((resolve) => (end = resolve)));
    const beside = write('artifact-1');
    expect(await isDone(beside.answered)).to.equal(false);
    beside.show();
    end();
    await Promise.all([other, beside.answered]);
  });

  it('is none after one that took long to be shown, or never was', async () => {
    for (const error of [undefined, new Error('closed')]) {
      const { early, write, prompt } = scene();
      await prompt();
      const late = write('artifact-1');
      expect(await isDone(late.answered)).to.equal(true);
      pass(60);
      late.show(error);
      await early.shown();
      const next = write('artifact-2');
      expect(await isDone(next.answered)).to.equal(false);
      next.show();
      await next.answered;
      expect(early.shown()).to.equal(undefined);
    }
  });

  it('is none while writes usually take long to be shown, though the last one did not', async () => {
    const { early, write, prompt } = scene();
    for (let n = 0; n < 3; n += 1) {
      const slow = write('artifact-1');
      pass(15);
      slow.show();
      await slow.answered;
    }
    await prompt();
    const next = write('artifact-2');
    expect(await isDone(next.answered)).to.equal(false);
    next.show();
    await next.answered;
    expect(early.shown()).to.equal(undefined);
  });

  it('is none while the read models do not show an earlier one in time', async () => {
    const { early, write, prompt } = scene();
    await prompt();
    const late = write('artifact-1');
    await late.answered;
    pass(25);
    const next = write('artifact-2');
    expect(await isDone(next.answered)).to.equal(false);
    for (const { show } of [late, next]) show();
    await Promise.all([next.answered, early.shown()]);
  });

  it('is one of four at most', async () => {
    const { early, write, prompt } = scene();
    await prompt();
    const ahead: ReturnType<typeof write>[] = [];
    for (const id of [1, 2, 3, 4]) {
      ahead.push(write(`artifact-${id}`));
      await ahead.at(-1)?.answered;
    }
    const fifth = write('artifact-5');
    expect(await isDone(fifth.answered)).to.equal(false);
    for (const { show } of [...ahead, fifth]) show();
    await Promise.all([fifth.answered, early.shown()]);
    expect(early.shown()).to.equal(undefined);
  });

  it('is one of sixteen at most where nobody waits and they are shown together', async () => {
    const { early, write, prompt, hurried } = scene({ isEased: true });
    await prompt();
    const before = hurried();
    const ahead: ReturnType<typeof write>[] = [];
    for (let id = 1; id <= 16; id += 1) {
      ahead.push(write(`artifact-${id}`));
      await ahead.at(-1)?.answered;
    }
    expect(hurried()).to.equal(before);
    const next = write('artifact-17');
    expect(await isDone(next.answered)).to.equal(false);
    expect(hurried()).to.equal(before + 1);
    for (const { show } of [...ahead, next]) show();
    await Promise.all([next.answered, early.shown()]);
  });

  it('is prompt although it lay for a pause', async () => {
    const { early, write, prompt } = scene({ isEased: true });
    await prompt();
    for (let id = 1; id <= 3; id += 1) {
      const { answered, show } = write(`artifact-${id}`);
      expect(await isDone(answered)).to.equal(true);
      pass(15);
      show();
      await early.shown();
    }
  });

  it('hurries who shows it, once something is read that it concerns', async () => {
    const { readModels, write, prompt, hurried } = scene();
    await prompt();
    const { answered, show } = write('artifact-7');
    await answered;
    const before = hurried();
    await readModels.get(ARTIFACTS, 8);
    expect(hurried()).to.equal(before);
    const read = readModels.get(ARTIFACTS, 7);
    expect(hurried()).to.equal(before + 1);
    show();
    await read;
  });

  it('lets the projections be hurried by every other wait', async () => {
    const { readModels, early, hurried } = scene();
    const position = '0000000000000001' as Position;
    const waits = async (): Promise<void> => {
      await readModels.caughtUp('artifacts', position);
    };
    await early.writing(async () => {
      const before = hurried();
      await waits();
      expect(hurried()).to.equal(before + 1);
      await early.answer([], waits);
      const prompt = hurried();
      await early.answer([], waits);
      expect(hurried()).to.equal(prompt);
    });
  });

  it('is waited for by what may show it, and by nothing else', async () => {
    const { readModels, early, write, prompt } = scene();
    await prompt();
    const { answered, show } = write('artifact-7');
    await answered;
    const waiting = [
      early.shown(),
      readModels.get(ARTIFACTS, 7),
      readModels.getMany(ARTIFACTS, [6, 7]),
      readModels.getSlice(ARTIFACTS, [7]),
      readModels.get(COUNTS, 1),
      readModels.find(ARTIFACTS, QUERY),
      readModels.findSlice(ARTIFACTS, QUERY),
      readModels.findIds(ARTIFACTS, QUERY),
    ];
    const others = [readModels.get(ARTIFACTS, 77), readModels.getMany(ARTIFACTS, [6, 8])];
    expect(await Promise.all(waiting.map(isDone))).to.deep.equal(waiting.map(() => false));
    expect(await Promise.all(others.map(isDone))).to.deep.equal([true, true]);
    show();
    for (const each of waiting) await each;
  });
});
