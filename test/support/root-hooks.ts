/** Every answer is checked. At the end of the specs of a process, or of a file where files run in parallel, stores go. */
import { checkedFetch } from './description.js';
import { removeStores } from './stores.js';

globalThis.fetch = checkedFetch;

export const mochaHooks = { afterAll: removeStores };
