/** Of the requests for each route those for reports and lists. The tracker names no report: it has one with its own id. */
import { api, expected, type Expected } from './unserved-expected.js';

export const PARTS_OF_TRACKERS: readonly Expected[] = [
  expected('GET /trackers/:id/tracker_reports', 'alice', 200, 'projects trackers users', ({ tracker }) =>
    api(`/trackers/${tracker}/tracker_reports`),
  ),
  expected('GET /tracker_reports/:id', null, 200, 'platform projects trackers', ({ tracker }) =>
    api(`/tracker_reports/${tracker}`),
  ),
  expected(
    'GET /tracker_reports/:id/artifacts',
    'alice',
    200,
    'artifacts files projects trackers users',
    ({ tracker }) => api(`/tracker_reports/${tracker}/artifacts?values=all&limit=2`),
  ),
  expected('GET /tracker_fields/:id/values', 'alice', 200, 'projects trackers users', (stock) =>
    api(`/tracker_fields/${stock.api.field('note', 'tags')}/values`),
  ),
  expected('GET /tracker_fields/:id/values', null, 200, 'platform projects trackers', (stock) =>
    api(`/tracker_fields/${stock.api.field('note', 'tags')}/values`),
  ),
];
