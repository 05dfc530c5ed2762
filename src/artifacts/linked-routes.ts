/** What an artifact is linked with: routes of a file of their own, beside those of the artifact itself. */
import { goneOf } from '../http/gone.js';
import { pageQuery, setPage, type PageQuery } from '../http/pagination.js';
import { route, type Route } from '../http/route.js';
import { idParam } from '../http/validate.js';
import { flatValues } from './flat-values.js';
import { linkedPage, linkNatures, type Direction } from './linked.js';
import { type ArtifactPorts } from './ports.js';
import { represented, visibleArtifact } from './reading.js';
import { relatedTo } from './related.js';
import { AT_LEAST_ONE } from './schemas.js';

interface Id {
  readonly id: number;
}

const MAX_PAGE = 50;

interface LinkedQuery extends PageQuery {
  readonly direction: Direction;
  readonly nature: string;
  readonly output_format: 'nested' | 'flat' | 'flat_with_semicolon_string_array';
}

const linkedQuery = {
  ...pageQuery(
    10,
    MAX_PAGE,
    {
      direction: { enum: ['forward', 'reverse'] },
      nature: { type: 'string', maxLength: 255, default: '' },
      output_format: { enum: ['nested', 'flat', 'flat_with_semicolon_string_array'], default: 'nested' },
    },
    AT_LEAST_ONE,
  ),
  required: ['direction'],
};

export const linkedRoutes = (ports: ArtifactPorts): readonly Route[] => [
  route<Id>({
    method: 'GET',
    path: '/artifacts/:id/links',
    access: 'hybrid',
    summary: 'The types and directions of the links that an artifact has.',
    params: idParam(),
    responses: { 200: { description: 'In `natures`, forward ones first' } },
    async handle({ ctx, params, viewer }) {
      const reading = { ...ports, viewer };
      const { artifact } = await visibleArtifact(params.id, reading);
      ctx.body = { natures: await linkNatures(artifact, reading) };
    },
  }),
  route<Id, LinkedQuery>({
    method: 'GET',
    path: '/artifacts/:id/linked_artifacts',
    access: 'hybrid',
    summary: 'The artifacts at the other end of the links of one type and direction, by id.',
    params: idParam(),
    query: linkedQuery,
    responses: { 200: { description: 'A page, in `collection`; a bare list of rows when flat' } },
    async handle({ ctx, params, query, viewer }) {
      const reading = { ...ports, viewer, gone: goneOf(ctx) };
      const { artifact } = await visibleArtifact(params.id, reading);
      const { items, total } = await linkedPage(artifact, query, reading);
      setPage(ctx, { limit: query.limit, offset: query.offset, total, max: MAX_PAGE });
      if (query.output_format === 'nested') {
        ctx.body = { collection: await represented(items, reading, { values: 'all' }) };
        return;
      }
      const joined = query.output_format !== 'flat';
      const related = await relatedTo(items, reading);
      ctx.body = items.flatMap((item) => {
        const tracker = ports.directory.tracker(item.trackerId);
        return tracker === undefined ? [] : [flatValues(item, tracker, { ...reading, related }, joined)];
      });
    },
  }),
];
