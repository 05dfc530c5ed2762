import { expect } from 'chai';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { cacheSize } from '../../../src/core/bounds.js';
import { type ReadModels } from '../../../src/core/read-models.js';
import { serve, type Listening } from '../../../src/composition/http-server.js';
import { artifactViews } from '../../../src/artifacts/artifact-view.js';
import { eventually } from '../../e2e/servers/eventually.js';
import { client, type Client } from '../../support/client.js';
import { plantedArtifacts } from '../../support/planted-artifacts.js';
import { artifactApi, type ArtifactApi } from '../artifact-api.js';
import { plainPlatform } from '../plain-platform.js';

/** Of one caller, who asks for single artifacts. */
const MOST_OF_ONE = Math.max(8, cacheSize(32));
/** Too long for an answer that is made before it is sent. */
const TEXT = 'long '.repeat(13_000);
const MANY = 40;

describe('requests for artifacts, many at once', () => {
  let api: ArtifactApi;
  let listening: Listening;
  let anonymous: Client;
  let ids: readonly number[];
  let held: (() => void)[] | null = null;

  before(async () => {
    api = await artifactApi({ platform: plainPlatform([{ name: 'about', label: 'About', type: 'text' }]) });
    const values = { [String(api.field('bug', 'about'))]: { text: TEXT, format: 'text' as const } };
    const planted = Array.from({ length: MANY }, () => values);
    ids = await plantedArtifacts(api, api.tracker('bug'), planted);
    const { readModels } = api.service;
    const pause = async (): Promise<void> => {
      if (held === null) return;
      await new Promise<void>((goOn) => held?.push(goOn));
    };
    const get: ReadModels['get'] = async (model, ...asked) => {
      if (model.name === artifactViews.name) await pause();
      return readModels.get(model, ...asked);
    };
    const findSlice: ReadModels['findSlice'] = async (model, ...asked) => {
      await pause();
      return readModels.findSlice(model, ...asked);
    };
    const getSlice: ReadModels['getSlice'] = async (model, ...asked) => {
      await pause();
      return readModels.getSlice(model, ...asked);
    };
    const service = { ...api.service, readModels: { ...readModels, get, findSlice, getSlice } };
    listening = await serve({ ...api.serving, service });
    anonymous = client(`http://127.0.0.1:${listening.port}`);
  });
  afterEach(() => {
    goOn();
  });
  after(async () => {
    await listening.close(1000);
    await api.stop();
  });

  const goOn = (): void => {
    const waiting = held ?? [];
    held = null;
    for (const each of waiting) each();
  };

  /** Until so many wait for the read models, and no more come. */
  const heldAre = async (count: number): Promise<void> => {
    await eventually(`${count} read`, () => Promise.resolve(held?.length === count));
    await anonymous.get('/projects');
    expect(held).to.have.length(count);
  };

  it('are begun so many at once, apart from lists and from those of others', async () => {
    await anonymous.signIn('carol');
    held = [];
    const artifacts = ids.slice(0, MOST_OF_ONE + 3).map((id) => anonymous.get(`/artifacts/${id}`));
    await heldAre(MOST_OF_ONE);
    const others = [
      anonymous.get(`/artifacts/${ids[0]}`, { as: 'carol' }),
      anonymous.get(`/trackers/${api.tracker('bug')}/artifacts`),
    ];
    await heldAre(MOST_OF_ONE + 2);
    goOn();
    const answers = await Promise.all([...artifacts, ...others]);
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
  });

  it('are all answered, also where many answers go on while others begin', async () => {
    const path = `/trackers/${api.tracker('bug')}/artifacts?values=all&limit=${MANY}`;
    const asked = Array.from({ length: MOST_OF_ONE + 3 }, (_, nth) => anonymous.get(`${path}&offset=${nth % 2}`));
    const answers = await Promise.all(asked);
    expect(answers.map(({ status, body }) => [status, body.length])).to.deep.equal(
      answers.map((_, nth) => [200, MANY - (nth % 2)]),
    );
  });

  it('are answered without a warning if they are long, compressed, and asked for with a body', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    const url = `http://127.0.0.1:${listening.port}/api/trackers/${api.tracker('bug')}/artifacts?values=all&limit=${MANY}`;
    const body = '{}';
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, 'Accept-Encoding': 'gzip' };
    const asked = request(url, { headers });
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    asked.end(body);
    const [answer] = await answered;
    await once(answer.resume(), 'end');
    await setImmediate();
    process.off('warning', listen);
    expect([answer.statusCode, warnings]).to.deep.equal([200, []]);
  });
});
