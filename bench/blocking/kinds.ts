import { type Kind } from './kind.js';
import { readKinds } from './reads.js';
import { requestKinds } from './requests.js';
import { writeKinds } from './writes.js';

/** In an order in which those that change much come last. A new one goes into the table that it belongs to. */
export const kinds: readonly Kind[] = [...requestKinds, ...readKinds, ...writeKinds];
