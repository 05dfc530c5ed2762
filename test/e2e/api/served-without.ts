/** A second door to a running service, which finds one projection as if no run of it had ever been served. */
import { all } from '../../../projections/all.js';
import { NO_MARKS } from '../../../src/core/marks.js';
import { notServed, type Document, type ReadModel, type ReadModels } from '../../../src/core/read-models.js';
import { liveDefinitions } from '../../../src/definitions/live-definitions.js';
import { readinessOf } from '../../../src/composition/readiness.js';
import { serve } from '../../../src/composition/http-server.js';
import { type RunningService } from '../../support/service.js';

export interface Door {
  readonly url: string;
  close(): Promise<void>;
}

export async function servedWithout(projection: string, { service, serving }: RunningService): Promise<Door> {
  const following = new AbortController();
  const readModels = withoutServed(projection, service.readModels);
  const without = {
    ...service,
    readModels,
    definitions: await liveDefinitions(readModels, following.signal),
    unserved: () => [projection],
  };
  const readiness = () => readinessOf(without, true);
  const listening = await serve({ ...serving, service: without, readiness });
  return {
    url: `http://127.0.0.1:${listening.port}`,
    close: async () => {
      await listening.close(1000);
      following.abort();
    },
  };
}

/** Of the other projections everything as it is. */
function withoutServed(projection: string, readModels: ReadModels): ReadModels {
  const names = all.find(({ name }) => name === projection)!.models;
  const isServed = ({ name }: Pick<ReadModel<Document>, 'name'>): boolean => !names.includes(name);
  const reading = <T>(model: Pick<ReadModel<Document>, 'name'>, read: () => Promise<T>): Promise<T> =>
    isServed(model) ? read() : Promise.reject(notServed(model));
  return {
    ...readModels,
    get: (model, ...asked) => reading(model, () => readModels.get(model, ...asked)),
    getMany: (model, ...asked) => reading(model, () => readModels.getMany(model, ...asked)),
    getSlice: (model, ...asked) => reading(model, () => readModels.getSlice(model, ...asked)),
    find: (model, ...asked) => reading(model, () => readModels.find(model, ...asked)),
    findSlice: (model, ...asked) => reading(model, () => readModels.findSlice(model, ...asked)),
    findIds: (model, ...asked) => reading(model, () => readModels.findIds(model, ...asked)),
    subscribe: async (model, receive, signal) => {
      if (isServed(model)) await readModels.subscribe(model, receive, signal);
      else receive(null, true);
    },
    marks: (model) => (isServed({ name: model }) ? readModels.marks(model) : NO_MARKS),
    caughtUp: (name, ...asked) => (name === projection ? Promise.resolve(false) : readModels.caughtUp(name, ...asked)),
  };
}
