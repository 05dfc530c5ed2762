/** What MongoDB's tools see of artifacts: each with the names of its project, tracker, fields and values. */
import { type Stage, type View } from '../../stores/mongodb/read-models/views.js';

type Expression = unknown;

/** The value of a field as it is stored. */
const STORED = '$$held.value';
const FIELD = '$$held.field';

/** No list of ids names them all: what is not found stands at -1, which would be the last. */
const among = (ids: Expression, id: Expression): Expression => ({ $in: [id, { $ifNull: [ids, []] }] });
const at = (list: Expression, ids: Expression, id: Expression): Expression => ({
  $arrayElemAt: [list, { $indexOfArray: [ids, id] }],
});
const isOneOf = (value: Expression, ...all: readonly string[]): Expression => ({ $in: [value, all] });
const first = (list: Expression): Expression => ({ $ifNull: [{ $arrayElemAt: [list, 0] }, null] });

const labelOf = (id: Expression): Expression => at(`${FIELD}.values.labels`, `${FIELD}.values.ids`, id);

const labels = {
  $map: {
    input: { $filter: { input: STORED, as: 'id', cond: among(`${FIELD}.values.ids`, '$$id') } },
    as: 'id',
    in: labelOf('$$id'),
  },
};
const openLabels = {
  $map: {
    input: STORED,
    as: 'item',
    in: {
      $cond: [
        among(`${FIELD}.values.ids`, '$$item.bound'),
        labelOf('$$item.bound'),
        { $ifNull: ['$$item.label', '$$item.bound'] },
      ],
    },
  },
};

/** Midnight in a field without time, which may hold dates of when it had one. */
const date = {
  $toDate: {
    $cond: [
      `${FIELD}.time`,
      `${STORED}.date`,
      { $dateToString: { date: { $toDate: `${STORED}.date` }, format: '%Y-%m-%d' } },
    ],
  },
};

/** Pairs of a type's test and what makes its value readable. */
const BY_TYPE: readonly (readonly [Expression, Expression])[] = [
  [isOneOf(`${FIELD}.type`, 'date'), date],
  [isOneOf(`${FIELD}.type`, 'text'), `${STORED}.text`],
  [isOneOf(`${FIELD}.type`, 'computed'), `${STORED}.manual`],
  [isOneOf(`${FIELD}.type`, 'tbl'), openLabels],
  [{ $and: [isOneOf(`${FIELD}.type`, 'sb', 'rb'), isOneOf(`${FIELD}.bind`, 'static')] }, first(labels)],
  [isOneOf(`${FIELD}.type`, 'sb', 'rb'), first(STORED)],
  [isOneOf(`${FIELD}.bind`, 'static'), labels],
];

const readable = BY_TYPE.reduceRight<Expression>((rest, [test, value]) => ({ $cond: [test, value, rest] }), STORED);

const ofField = (field: string): Expression =>
  first({ $filter: { input: '$held', as: 'held', cond: { $eq: ['$$held.id', field] } } });

/** Of all fields for links. */
const links = {
  $reduce: {
    input: {
      $map: {
        input: { $filter: { input: '$held', as: 'held', cond: { $eq: ['$$held.type', 'art_link'] } } },
        as: 'held',
        in: { $ifNull: ['$$held.value', []] },
      },
    },
    initialValue: [],
    in: { $concatArrays: ['$$value', '$$this'] },
  },
};

const joined = (from: string, localField: string, as: string): readonly Stage[] => [
  { $lookup: { from, localField, foreignField: 'document.id', as } },
  { $unwind: `$${as}` },
];

/** Each value that is entered, with what is known of its field. */
const withFields = {
  $map: {
    input: {
      $filter: {
        input: { $objectToArray: '$document.values' },
        as: 'entry',
        cond: among('$tracker.fields.id', '$$entry.k'),
      },
    },
    as: 'entry',
    in: { value: '$$entry.v', field: at('$tracker.fields', '$tracker.fields.id', '$$entry.k') },
  },
};

const made = {
  $map: {
    input: '$held',
    as: 'held',
    in: {
      id: `${FIELD}.id`,
      name: `${FIELD}.name`,
      type: `${FIELD}.type`,
      stored: STORED,
      value: { $ifNull: [readable, null] },
    },
  },
};

const isOpen = {
  $cond: [
    { $eq: [{ $ifNull: ['$tracker.status', null] }, null] },
    true,
    { $in: [first('$standing.stored'), { $ifNull: ['$tracker.status.open', []] }] },
  ],
};

const named = (who: string): Expression => ({ id: `$${who}.id`, name: `$${who}.name`, label: `$${who}.label` });

const shown = {
  _id: '$document.id',
  number: '$document.atid',
  project: named('project'),
  tracker: named('tracker'),
  title: { $ifNull: ['$titled.value', null] },
  status: {
    $cond: [{ $isArray: ['$standing.value'] }, first('$standing.value'), { $ifNull: ['$standing.value', null] }],
  },
  open: isOpen,
  openedOn: { $toDate: '$document.submittedOn' },
  openedBy: '$document.submittedBy',
  updatedOn: { $toDate: '$document.lastUpdateOn' },
  updatedBy: '$document.lastUpdateBy',
  // By today's semantics it may be open again.
  closedOn: { $cond: [isOpen, null, { $toDate: '$document.closedOn' }] },
  links,
  values: { $arrayToObject: { $map: { input: '$held', as: 'held', in: { k: '$$held.name', v: '$$held.value' } } } },
};

export const ARTIFACTS_CURRENT: View = {
  name: 'artifacts_current',
  projection: 'artifacts',
  on: 'artifacts',
  joined: ['tracker-labels', 'project-labels'],
  pipeline: (collectionOf) => [
    { $match: { document: { $exists: true } } },
    ...joined(collectionOf('tracker-labels'), 'document.trackerId', 'tracker'),
    ...joined(collectionOf('project-labels'), 'tracker.document.project', 'project'),
    { $addFields: { tracker: '$tracker.document', project: '$project.document' } },
    { $addFields: { held: withFields } },
    { $addFields: { held: made } },
    { $addFields: { titled: ofField('$tracker.title'), standing: ofField('$tracker.status.field') } },
    { $project: shown },
  ],
};
