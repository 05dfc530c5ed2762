import { type SchemaObject } from 'ajv';
import { anyOf, listOf, named, objectOf, oneOf, TEXT } from '../../http/openapi/response-schema.js';
import { pageQuery, type PageQuery } from '../../http/pages/pagination.js';
import { minimalTrackerSchema } from '../../trackers/schemas.js';
import {
  artifactNames,
  collectionSchema,
  fullStatusSchema,
  OUTPUT_FORMAT,
  rowsSchema,
  titleSchema,
  type OutputFormat,
} from '../representation/schemas.js';
import { AT_LEAST_ONE } from '../schemas.js';

export type Direction = 'forward' | 'reverse';

export const LINKED_MAX = 50;

export interface LinkedQuery extends PageQuery {
  readonly direction: Direction;
  readonly nature: string;
  readonly output_format: OutputFormat;
}

export const linkedQuery: SchemaObject = {
  ...pageQuery(
    10,
    LINKED_MAX,
    {
      direction: { enum: ['forward', 'reverse'], description: '`reverse`: links that lead to the artifact' },
      nature: {
        type: 'string',
        maxLength: 255,
        default: '',
        description: 'The short name of the type. Empty: links without a type.',
      },
      output_format: OUTPUT_FORMAT,
    },
    AT_LEAST_ONE,
  ),
  required: ['direction'],
};

export const OF_TRACKER_MAX = 1000;

export const ofTrackerQuery = pageQuery(100, OF_TRACKER_MAX, {}, AT_LEAST_ONE);

export const naturesSchema = objectOf({
  natures: listOf(
    named('LinkType', objectOf({ shortname: TEXT, direction: oneOf('forward', 'reverse'), label: TEXT, uri: TEXT })),
  ),
});

export const linkedSchema = anyOf(collectionSchema, rowsSchema);

export const usedTypeSchema = named('UsedLinkType', objectOf({ shortname: TEXT, forward_label: TEXT }));

export const parentSchema = named(
  'ParentArtifact',
  objectOf({
    ...artifactNames,
    title: titleSchema,
    tracker: minimalTrackerSchema,
    full_status: fullStatusSchema,
  }),
);
