import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { artifactStream } from '../../../src/artifacts/artifact-events.js';
import { ARTIFACTS } from '../../../src/artifacts/artifact-view.js';
import { artifactAsItWas, historyPage } from '../../../src/artifacts/history/queries.js';
import { historyRoutes } from '../../../src/artifacts/history/routes.js';
import { changesetPage } from '../../../src/artifacts/queries.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { type Event, type EventLog, type StreamName, type StreamPart } from '../../../src/core/event-log.js';
import { ClientLeft } from '../../../src/http/gone.js';
import { collectGarbage } from '../../support/garbage.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { runService, type RunningService } from '../../support/service.js';
import { type Json } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

const CHANGES = 140;
const TEXTS = ['a', 'b', 'c', 'd'];
/** Four of them are an event, so that a slice of the stream is 17 or 18 events. */
const CHARACTERS = 60_000;
/** Of one list of texts: 256 KiB make one full. */
const EVENTS_OF_A_LIST = 2;
/** A stream is read by slices, of which one is held. What is cleared up late may be another. */
const EVENTS_WHILE_READ = 40;
/** The last slice may be cleared up late, as by the client of EventStoreDB. */
const EVENTS_OF_A_SLICE = 18;
/** Of the lists of texts: a look collects garbage, which takes longer than a list. */
const LOOK_EVERY = 7;
const FAR = Number.MAX_SAFE_INTEGER;

type Shown = Readonly<{ revision: number; changes: readonly Json[] }>;

/** The change that wrote each of the texts that were replaced. */
const textsBefore = (changes: readonly Json[]): readonly number[] =>
  changes.map(({ before }) => Number(/\d+/.exec(JSON.stringify(before))));

function writtenBefore(revision: number): readonly number[] {
  if (revision === 3) return [2, 2, 2];
  return revision === 4 ? [2, 3, 3, 3] : TEXTS.map(() => revision - 1);
}

describe('a long history of large changes', () => {
  let api: RunningService;
  let id: number;
  before(async () => {
    const fields = TEXTS.map((name) => ({ name, label: name, type: 'text' }));
    api = await runService({ platform: plainPlatform(fields) });
    const text = (name: string, n: number) =>
      [String(api.field('bug', name)), { text: `${n} `.padEnd(CHARACTERS, 'x'), format: 'text' as const }] as const;
    const trackerId = api.tracker('bug');
    const title = { [String(api.field('bug', 'title'))]: 'Long' };
    [id = 0] = await plantedArtifacts(api, trackerId, [{ ...title, ...Object.fromEntries([text('a', 0)]) }]);
    for (let n = 1; n <= CHANGES; n += 1) {
      // The third one leaves a text alone: what it was before the fourth is in the second.
      const named = n === 3 ? TEXTS.slice(1) : TEXTS;
      const data = { artifactId: id, trackerId, values: Object.fromEntries(named.map((name) => text(name, n))) };
      const event = { type: 'ArtifactValuesChanged', data, id: randomUUID() };
      const metadata = { actor: null, at: new Date().toISOString(), schema: 1, commandId: randomUUID() };
      const { position } = await api.service.log.append(artifactStream(id), n - 1, [event], metadata);
      if (n === CHANGES) await api.service.readModels.caughtUp(ARTIFACTS, position, 30_000);
    }
  });
  after(() => api.stop());

  /** A page of it, with the log watched: how many of the events that it has read are still held. */
  const watched = ({ atReads = false, leaveAt = Infinity } = {}) => {
    const { service } = api;
    const gone = new AbortController();
    const given: WeakRef<object>[] = [];
    const parts: (StreamPart | undefined)[] = [];
    let most = 0;
    const read = async <E extends Event>(stream: StreamName, part?: StreamPart) => {
      if (atReads) most = Math.max(most, await held());
      const found = await service.log.read<E>(stream, part);
      if (parts.push(part) === leaveAt) gone.abort(new ClientLeft());
      given.push(...found.events.map(({ data }) => new WeakRef('values' in data ? (data.values as object) : data)));
      return found;
    };
    const log = new Proxy(service.log, {
      get: (log, name: keyof EventLog) => (name === 'read' ? read : log[name].bind(log)),
    });
    const reading = {
      ...service,
      log,
      gone: gone.signal,
      viewer: viewer(service.definitions, service.definitions.userNamed('alice') ?? null),
    };
    const held = async (): Promise<number> => {
      await collectGarbage();
      return given.filter((ref) => ref.deref() !== undefined).length;
    };
    return { reading, parts, held, most: () => most };
  };

  for (const order of ['asc', 'desc'] as const) {
    it(`is shown ${order} whole, and held in parts alone`, async () => {
      const { reading, held } = watched();
      const { texts, total } = await historyPage(id, { order, limit: 1000, offset: 0 }, reading);
      expect(total).to.equal(CHANGES + 1);
      const revisions: number[] = [];
      let lists = 0;
      for await (const list of texts) {
        expect(list.length).to.be.at.most(EVENTS_OF_A_LIST);
        // And the one before, whose texts they changed.
        const most = EVENTS_OF_A_LIST + 1 + EVENTS_OF_A_SLICE;
        if (lists++ % LOOK_EVERY === 0) expect(await held()).to.be.at.most(most);
        for (const text of list) {
          const { revision, changes } = JSON.parse(text) as Shown;
          revisions.push(revision);
          if (revision > 1) expect(textsBefore(changes), `${revision}`).to.deep.equal(writtenBefore(revision));
        }
      }
      const all = Array.from({ length: CHANGES + 1 }, (_, n) => n);
      expect(revisions).to.deep.equal(order === 'asc' ? all : all.toReversed());
    });
  }

  it('shows what a text was before, wherever it was written', async () => {
    for (const query of ['offset=4', `order=desc&offset=${CHANGES - 4}`]) {
      const { body } = await api.get(`/artifacts/${id}/history?limit=1&${query}`, { as: 'alice' });
      const [{ revision, changes }] = body;
      expect(revision).to.equal(4);
      expect(textsBefore(changes)).to.deep.equal([2, 3, 3, 3]);
    }
  });

  it('is not read for a page behind its end', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const { reading, parts } = watched();
      const { texts, total } = await historyPage(id, { order, limit: 1000, offset: FAR }, reading);
      for await (const list of texts) expect(list).to.deep.equal([]);
      expect(total).to.equal(CHANGES + 1);
      expect(parts).to.deep.equal([{ last: 1 }]);
    }
  });

  it('is read no further once the client has left', async () => {
    const page = { order: 'desc', limit: 50, offset: 0 } as const;
    const answers: Readonly<Record<string, (reading: ReturnType<typeof watched>['reading']) => Promise<unknown>>> = {
      history: async (reading) => (await historyPage(id, page, reading)).texts.next(),
      changesets: (reading) => changesetPage(id, { ...page, fields: 'all' }, reading),
      revision: (reading) => artifactAsItWas(id, { revision: 1 }, reading),
    };
    for (const [name, answer] of Object.entries(answers)) {
      const { reading, parts } = watched({ leaveAt: 3 });
      const failure = await answer(reading).catch((error: unknown) => error);
      expect(failure, name).to.be.instanceOf(ClientLeft);
      expect(parts, name).to.have.length(3);
    }
  });

  it('is read no further by its route once the client has left', async () => {
    const { reading, parts } = watched();
    const [route] = historyRoutes({ ...reading, nextArtifactId: () => Promise.reject(new Error('no artifact')) });
    const ctx = {
      set: () => undefined,
      state: {},
      res: Object.assign(new EventEmitter(), { closed: true, writableFinished: false }),
    };
    const request = { ctx, params: { id }, query: { order: 'asc', limit: 50, offset: 0 }, viewer: reading.viewer };
    const answer = Promise.resolve(
      route?.handle(request as unknown as Parameters<NonNullable<typeof route>['handle']>[0]),
    );
    expect(await answer.catch((error: unknown) => error)).to.be.instanceOf(ClientLeft);
    expect(parts).to.have.length(1);
  });

  it('has changesets of which those of a page alone are held', async () => {
    for (const [order, offset, count] of [
      ['asc', 10, 2],
      ['desc', 10, 2],
      ['asc', FAR, 0],
      ['desc', FAR, 0],
    ] as const) {
      const { reading, held, most } = watched({ atReads: true });
      const { texts, total } = await changesetPage(id, { fields: 'all', order, limit: 2, offset }, reading);
      expect(total).to.equal(CHANGES + 1);
      expect(most(), `${order} from ${offset}`).to.be.at.most(EVENTS_WHILE_READ);
      expect(await held(), `${order} from ${offset}`).to.be.at.most(1 + EVENTS_OF_A_SLICE);
      const ids: number[] = [];
      for await (const list of texts) ids.push(...list.map((text) => (JSON.parse(text) as { id: number }).id));
      const first = order === 'asc' ? [11, 12] : [CHANGES - 9, CHANGES - 10];
      expect(ids).to.deep.equal(first.slice(0, count));
    }
  });

  for (const order of ['asc', 'desc'] as const) {
    it(`has changesets that are held in parts alone where a page ${order} has many`, async () => {
      const { reading, held } = watched();
      const { texts } = await changesetPage(id, { fields: 'all', order, limit: 50, offset: 10 }, reading);
      const ids: number[] = [];
      for await (const list of texts) {
        if (ids.length % LOOK_EVERY === 0) expect(await held()).to.be.at.most(EVENTS_WHILE_READ);
        ids.push(...list.map((text) => (JSON.parse(text) as { id: number }).id));
      }
      const first = order === 'asc' ? 11 : CHANGES - 9;
      expect(ids).to.deep.equal(Array.from({ length: 50 }, (_, n) => (order === 'asc' ? first + n : first - n)));
    });
  }
});
