import { type Row } from './row.js';
import { besideRebuild } from './beside-rebuild.js';
import { blocking } from './blocking.js';
import { eventStore } from './event-store.js';
import { pages, pagesBesideWriters, pageTimes } from './pages.js';
import { fill } from './fill.js';
import { getOne } from './get-one.js';
import { indexSize } from './index-size.js';
import { mixed } from './mixed.js';
import { longHistory } from './long-history.js';
import { overload } from './overload.js';
import { pocketBase } from './pocketbase.js';
import { lag, rebuild } from './projections.js';
import { memoryHeld, start } from './process.js';
import { servers } from './servers.js';
import { walk } from './walk.js';
import { unread } from './unread.js';
import { workers } from './workers.js';
import { postMany, postOne, putOne, putRace } from './writes.js';

/** In an order in which none is in the way of the next: those that write come late, those that stop the service last. */
export const rows: readonly Row[] = [
  indexSize,
  blocking,
  unread,
  eventStore,
  overload,
  mixed,
  servers,
  getOne,
  pages,
  pageTimes,
  memoryHeld,
  pagesBesideWriters,
  walk,
  putRace,
  putOne,
  postOne,
  postMany,
  longHistory,
  besideRebuild,
  rebuild,
  workers,
  start,
  lag,
  fill,
  ...pocketBase,
];
