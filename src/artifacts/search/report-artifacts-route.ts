/** The artifacts that a report finds: a route of its own file, beside that of a tracker's. */
import { invalidAt, invalidIn, type Problem } from '../../core/problem.js';
import { type Viewer } from '../../authorization/viewer.js';
import { goneOf } from '../../http/gone.js';
import { setPage } from '../../http/pages/pagination.js';
import { anyOf, described, listOf } from '../../http/openapi/response-schema.js';
import { route, type Route } from '../../http/route.js';
import { sendBegun } from '../../http/send-json.js';
import { idParam, type IdParams } from '../../http/validate.js';
import { visibleReport } from '../../trackers/queries.js';
import { REPORTS } from '../../trackers/schemas.js';
import { asksAll } from '../../trackers/report.js';
import { type ArtifactPorts } from '../ports.js';
import { type ArtifactSearch } from '../queries.js';
import { artifactSchema, rowSchema } from '../representation/schemas.js';
import * as schemas from './schemas.js';
import { expertAt, type SearchedPages, type Values } from './searched-pages.js';
import { FaultyQuery } from '../tql/faults.js';

export const reportArtifactsRoute = (ports: ArtifactPorts, pageOf: SearchedPages): Route<Viewer> =>
  route<Viewer, IdParams, schemas.ReportPageQuery>({
    method: 'GET',
    path: '/tracker_reports/:id/artifacts',
    access: 'hybrid',
    tag: REPORTS,
    summary: 'List the artifacts of a report.',
    description: 'By id. If the query of the report no longer fits its tracker, the status is 400.',
    params: idParam('report'),
    query: schemas.reportPageQuery,
    responses: { 200: { description: 'A page of artifacts', schema: reportPageSchema } },
    async handle({ ctx, params, query, viewer }) {
      const { limit, offset, after } = query;
      const reading = { ...ports, viewer, gone: goneOf(ctx) };
      const visible = () => visibleReport(ports.definitions, viewer, params.id);
      const { report } = visible();
      const expert = asksAll(report.query) ? undefined : expertAt(report.query, ports.clock());
      const search: ArtifactSearch = { expert, since: {}, limit, offset, direction: 'asc', ...(after && { after }) };
      const page = pageOf(() => visible().tracker, search, valuesOf(query), reading);
      const { facts, stillHolds, ...begun } = await page.catch((error: unknown) => {
        if (!(error instanceof FaultyQuery)) throw error;
        throw unfit(report.name, error, viewer.isTrackerAdmin(visible().tracker));
      });
      ctx.state.stillHolds = stillHolds;
      setPage(ctx, { limit, offset, ...facts, max: schemas.REPORT_PAGE_MAX });
      sendBegun(ctx, begun);
    },
  });

const reportPageSchema = described(
  'Either whole artifacts or, with an `output_format`, rows',
  listOf(anyOf(artifactSchema, rowSchema)),
);

function valuesOf({ values, output_format: format }: schemas.ReportPageQuery): Values {
  if (format === 'nested') return values;
  if (values === 'all') return format;
  throw invalidAt('output_format', 'needs values=all');
}

/** Only administrators are told what the query compares with. */
function unfit(name: string, { faults, fields }: FaultyQuery, isAdmin: boolean): Problem {
  const named = fields.map((field) => `"${field}"`).join(' and ');
  const forOthers = `${named && `, because of ${named}`}; ask an administrator of the tracker`;
  const why = isAdmin ? `: ${faults.join('; ')}` : forOthers;
  return invalidIn('id', `The report "${name}" does not fit its tracker as you see it${why}`);
}
