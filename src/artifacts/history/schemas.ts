import { described, listOf, named, NUMBER, objectOf, oneOf, orNull, TEXT } from '../../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../../http/pages/pagination.js';
import { changeSchema } from '../fields/schemas.js';
import { ORDER } from '../schemas.js';

export const HISTORY_MAX = 1000;

export interface HistoryQuery extends PageQuery {
  readonly order: 'asc' | 'desc';
}

export const historyQuery = pageQuery(50, HISTORY_MAX, { order: ORDER });

export const entrySchema = named(
  'Event',
  objectOf({
    revision: described('The number in the Etag after the event', NUMBER),
    position: described('The place of the event in the log', TEXT),
    type: oneOf(
      'ArtifactSubmitted',
      'ArtifactValuesChanged',
      'ArtifactDeleted',
      'ArtifactArchived',
      'FileClaimsReleased',
    ),
    at: TEXT,
    actor: described('Null for operations', orNull(objectOf({ id: NUMBER, username: TEXT, uri: TEXT }))),
    comment: orNull(objectOf({ body: TEXT, format: oneOf('text', 'html', 'commonmark') })),
    changes: listOf(changeSchema),
  }),
);
