/** What an artifact is linked with: routes of a file of their own, beside those of the artifact itself. */
import { type Viewer } from '../../authorization/viewer.js';
import { goneOf } from '../../http/gone.js';
import { setPage } from '../../http/pages/pagination.js';
import { route, type Route } from '../../http/route.js';
import { collection, jsonList, sendBegun } from '../../http/send-json.js';
import { idParam, type IdParams } from '../../http/validate.js';
import { artifactTexts, beginPage } from '../representation/artifact-pages.js';
import { flatTexts } from '../representation/flat-representation.js';
import { linkedArtifactsPage, linkNatures } from './queries.js';
import * as schemas from './schemas.js';
import { type ArtifactView } from '../artifact-view.js';
import { type ArtifactPorts } from '../ports.js';
import { TAG } from '../schemas.js';
import { visibleArtifact } from '../queries.js';
import { linkedEnd, type Reading } from '../representation/reading.js';
import { wholeJson } from '../representation/artifact-json-cache.js';

export const linkRoutes = (ports: ArtifactPorts): readonly Route<Viewer>[] => [
  route<Viewer, IdParams>({
    method: 'GET',
    path: '/artifacts/:id/links',
    access: 'hybrid',
    tag: TAG,
    summary: 'List the types of the links of an artifact.',
    params: idParam('artifact'),
    responses: {
      200: { description: 'The types with their directions, forward first', schema: schemas.naturesSchema },
    },
    async handle({ ctx, params, viewer }) {
      const reading = { ...ports, viewer, gone: goneOf(ctx) };
      const artifact = await withLinks(params.id, reading);
      ctx.body = { natures: await linkNatures(artifact, reading) };
    },
  }),
  route<Viewer, IdParams, schemas.LinkedQuery>({
    method: 'GET',
    path: '/artifacts/:id/linked_artifacts',
    access: 'hybrid',
    tag: TAG,
    summary: 'List the artifacts that an artifact is linked with.',
    description: 'The other ends of the links of one type and direction, by id.',
    params: idParam('artifact'),
    query: schemas.linkedQuery,
    responses: { 200: { description: 'A page of artifacts. A flat format has rows.', schema: schemas.linkedSchema } },
    async handle({ ctx, params, query, viewer }) {
      const reading = { ...ports, viewer, gone: goneOf(ctx) };
      const artifact = await withLinks(params.id, reading);
      const format = query.output_format;
      const { facts, begun } = await beginPage(async () => {
        const { ids, total, last } = await linkedArtifactsPage(artifact, query, reading);
        const page = { items: [], rest: ids };
        const texts =
          format === 'nested'
            ? collection(artifactTexts(page, reading, wholeJson(reading)))
            : jsonList(flatTexts(page, reading, format));
        return { facts: { total, last }, texts };
      });
      setPage(ctx, { limit: query.limit, offset: query.offset, ...facts, max: schemas.LINKED_MAX });
      sendBegun(ctx, begun);
    },
  }),
];

/** Its other values, which may be large, are not held while its links are read. */
const withLinks = async (id: number, reading: Reading): Promise<ArtifactView> =>
  linkedEnd((await visibleArtifact(id, reading)).artifact, reading);
