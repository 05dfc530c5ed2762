import { type ReadModels } from '../core/read-models.js';

/**
 * The same read models where the definitions in memory follow by themselves. A reading may wait, and the request go on for
 * long: `follow` brings the definitions up to what is read, so that no reader is judged by older rights.
 */
export function withDefinitionsOf(readModels: ReadModels, follow: () => void | Promise<void>): ReadModels {
  const followed = async <T>(reading: Promise<T>): Promise<T> => {
    const found = await reading;
    await follow();
    return found;
  };
  return {
    ...readModels,
    get: (...asked) => followed(readModels.get(...asked)),
    getMany: (...asked) => followed(readModels.getMany(...asked)),
    getSlice: (...asked) => followed(readModels.getSlice(...asked)),
    find: (...asked) => followed(readModels.find(...asked)),
    findSlice: (...asked) => followed(readModels.findSlice(...asked)),
    findIds: (...asked) => followed(readModels.findIds(...asked)),
  };
}
