/** Ends the threads of long queries while a query is under way. Run as a process of its own, which nothing else keeps. */
import { longQueries } from '../../../../src/stores/sqlite/read-models/long-queries/threads.js';

const { ask, close } = longQueries(process.argv[2] ?? '');
const query = { where: [], direction: 'asc', limit: 1, offset: 0 } as const;
const asked = async (): Promise<void> => {
  const { type } = await ask({ model: 'notes', query, given: undefined, rowsForTexts: 0 });
  console.log(type);
};
await asked();
void asked();
await close();
console.log('closed');
