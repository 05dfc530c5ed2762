import { listPage } from '../http/pages/list-page.js';
import { setPage, type PageQuery } from '../http/pages/pagination.js';
import { listOf } from '../http/openapi/response-schema.js';
import { route, type Route } from '../http/route.js';
import { madeOf } from '../http/state.js';
import { idParam, type IdParams } from '../http/validate.js';
import { visibleReport, visibleReports, visibleTracker } from './queries.js';
import { reportKey, reportRepresentation } from './report.js';
import * as schemas from './schemas.js';
import { type TrackerDefinitions } from './tracker-definitions.js';
import { type TrackerRights } from './tracker-rights.js';
import { byFirstId } from '../http/openapi/links.js';

interface Ports {
  readonly definitions: TrackerDefinitions;
}

export function reportRoutes({ definitions }: Ports): readonly Route<TrackerRights>[] {
  return [
    route<TrackerRights, IdParams, PageQuery>({
      method: 'GET',
      path: '/trackers/:id/tracker_reports',
      access: 'hybrid',
      tag: schemas.REPORTS,
      summary: 'List the reports of a tracker.',
      description: 'By label. A tracker without reports has one that finds all its artifacts.',
      params: idParam('tracker'),
      query: schemas.reportsQuery,
      responses: {
        200: {
          description: 'A page of reports',
          schema: listOf(schemas.reportSchema),
          links: byFirstId('getTrackerReportsId', 'getTrackerReportsIdArtifacts'),
        },
      },
      handle({ ctx, params, query, viewer }) {
        madeOf(ctx, definitions);
        const reports = visibleReports(viewer, visibleTracker(definitions, viewer, params.id));
        const { items, ...page } = listPage(reports, query, reportKey);
        setPage(ctx, { ...query, ...page, max: schemas.REPORTS_MAX });
        ctx.body = items.map(reportRepresentation);
      },
    }),
    route<TrackerRights, IdParams>({
      method: 'GET',
      path: '/tracker_reports/:id',
      access: 'hybrid',
      tag: schemas.REPORTS,
      summary: 'Get a report.',
      params: idParam('report'),
      responses: { 200: { description: 'The report', schema: schemas.reportSchema } },
      handle({ ctx, params, viewer }) {
        madeOf(ctx, definitions);
        ctx.body = reportRepresentation(visibleReport(definitions, viewer, params.id).report);
      },
    }),
  ];
}
