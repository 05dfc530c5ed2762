/** The routes of auditors, beside those of the artifact itself. */
import { type Viewer } from '../../authorization/viewer.js';
import { goneOf } from '../../http/gone.js';
import { listOf } from '../../http/openapi/response-schema.js';
import { setPage } from '../../http/pages/pagination.js';
import { route, type Route } from '../../http/route.js';
import { jsonList, sendTexts } from '../../http/send-json.js';
import { idParam, type IdParams } from '../../http/validate.js';
import { historyPage } from './queries.js';
import * as schemas from './schemas.js';
import { type ArtifactPorts } from '../ports.js';
import { TAG } from '../schemas.js';

export const historyRoutes = (ports: ArtifactPorts): readonly Route<Viewer>[] => [
  route<Viewer, IdParams, schemas.HistoryQuery>({
    method: 'GET',
    path: '/artifacts/:id/history',
    access: 'hybrid',
    tag: TAG,
    summary: 'List the events of an artifact.',
    description:
      'An event has its author, its time, and each changed field with its value before and after. Administrators of the tracker may read the history of a deleted artifact. Administrators of the project and of the site may read the history of an artifact in a deleted tracker.',
    params: idParam('artifact'),
    query: schemas.historyQuery,
    responses: { 200: { description: 'A page of events, the newest last', schema: listOf(schemas.entrySchema) } },
    async handle({ ctx, params, query, viewer }) {
      const { texts, total } = await historyPage(params.id, query, { ...ports, viewer, gone: goneOf(ctx) });
      setPage(ctx, { limit: query.limit, offset: query.offset, total, max: schemas.HISTORY_MAX });
      await sendTexts(ctx, jsonList(texts));
    },
  }),
];
