/** At the end of the specs of a process, of each file of them where files run in parallel. */
import { removeStores } from './stores.js';

export const mochaHooks = { afterAll: removeStores };
