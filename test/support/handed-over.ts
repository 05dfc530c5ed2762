import { type Document, type ReadModels } from '../../src/core/read-models.js';

/** The read models, and how many characters of documents they have given at once at most. */
export function measuredReadModels(readModels: ReadModels): {
  readonly readModels: ReadModels;
  readonly most: () => number;
} {
  let most = 0;
  const noted = (documents: readonly Document[]): void => {
    most = Math.max(most, JSON.stringify(documents).length);
  };
  const measured: ReadModels = {
    ...readModels,
    getMany: async (model, ids, sees) => {
      const documents = await readModels.getMany(model, ids, sees);
      noted(documents);
      return documents;
    },
    getSlice: async (model, ids, sees) => {
      const slice = await readModels.getSlice(model, ids, sees);
      noted(slice.items);
      return slice;
    },
    find: async (model, query, sees) => {
      const page = await readModels.find(model, query, sees);
      noted(page.items);
      return page;
    },
    findSlice: async (model, query, sees) => {
      const page = await readModels.findSlice(model, query, sees);
      noted(page.items);
      return page;
    },
  };
  return { readModels: measured, most: () => most };
}
