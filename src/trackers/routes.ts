import { Problem } from '../core/problem.js';
import { pageQuery, setPage, type PageQuery } from '../http/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { sendTexts } from '../http/send-json.js';
import { idParam } from '../http/validate.js';
import { openListValues } from './list-representation.js';
import { projectTrackersRoute } from './project-trackers.js';
import { trackerTexts } from './representation.js';
import { listValueSchema, trackerSchema } from './schemas.js';
import { type TrackerDirectory } from './tracker-directory.js';
import { type TrackerRights } from './tracker-rights.js';
import { readableField, visibleTracker } from './queries.js';

interface Id {
  readonly id: number;
}

const PAGE = 100;
const MAX_PAGE = 1000;

interface Ports {
  readonly directory: TrackerDirectory;
}

export function trackerRoutes({ directory }: Ports): readonly Route<TrackerRights>[] {
  return [
    projectTrackersRoute(directory),
    route<TrackerRights, Id>({
      method: 'GET',
      path: '/trackers/:id',
      access: 'hybrid',
      summary: 'The structure of a tracker: its fields, their values, and what the reader may do with them.',
      params: idParam(),
      responses: { 200: { description: 'The tracker', schema: trackerSchema } },
      async handle({ ctx, params, viewer }) {
        await sendTexts(ctx, trackerTexts(visibleTracker(directory, viewer, params.id), directory, viewer));
      },
    }),
    route<TrackerRights, Id, PageQuery>({
      method: 'GET',
      path: '/tracker_fields/:id/values',
      access: 'hybrid',
      summary: 'All values of an open list: its own, then every label that users added, by number.',
      params: idParam(),
      query: pageQuery(PAGE, MAX_PAGE),
      responses: {
        200: { description: 'A page of values, as the tracker shows them', schema: listOf(listValueSchema) },
      },
      handle({ ctx, params, query: { limit, offset }, viewer }) {
        const field = readableField(directory, viewer, params.id);
        const { type, bind = 'static' } = field;
        if (type !== 'tbl' || bind !== 'static') throw new Problem('not-found', 'Nobody adds labels to this field');
        const values = openListValues(field, { directory });
        setPage(ctx, { limit, offset, total: values.length, max: MAX_PAGE });
        ctx.body = values.slice(offset, offset + limit);
      },
    }),
  ];
}
