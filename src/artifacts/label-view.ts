/** What the ids in artifacts stand for. Only reports read it, beside the artifacts. */
import { type Document, type ReadModel } from '../core/read-models.js';
import { allFields, type Field, type FieldType, type Semantics } from '../trackers/field-types/definition.js';
import { type TrackerEvent } from '../trackers/tracker-events.js';

interface FieldLabels {
  /** As the values of an artifact name it. */
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  /** Null where it is no list. */
  readonly bind: Field['bind'] | null;
  /** Whether hours and minutes count, of a date. */
  readonly time: boolean;
  /** Of a list with values of its own. Side by side, so that a label is found by the place of its id. */
  readonly values: { readonly ids: readonly number[]; readonly labels: readonly string[] };
}

export interface TrackerLabels extends Document {
  readonly id: number;
  readonly project: number;
  readonly name: string;
  readonly label: string;
  /** Those in use. */
  readonly fields: readonly FieldLabels[];
  /** The field with this meaning. */
  readonly title: string | null;
  readonly status: { readonly field: string; readonly open: readonly number[] } | null;
}

export interface ProjectLabels extends Document {
  readonly id: number;
  readonly name: string;
  readonly label: string;
}

export const trackerLabels: ReadModel<TrackerLabels> = { name: 'tracker-labels' };
export const projectLabels: ReadModel<ProjectLabels> = { name: 'project-labels' };

type Defining = Extract<
  TrackerEvent,
  { type: 'TrackerDefined' | 'TrackerRenamed' | 'TrackerFieldsChanged' | 'TrackerSemanticsChanged' | 'TrackerDeleted' }
>;

/** Null for a tracker that was deleted, or of which the beginning is not known. */
export function evolveTrackerLabels(tracker: TrackerLabels | null, { type, data }: Defining): TrackerLabels | null {
  if (type === 'TrackerDefined') {
    const { trackerId: id, projectId: project, itemName: name, label, fields, semantics } = data;
    return { id, project, name, label, fields: labelsOf(fields), ...meaningOf(semantics) };
  }
  if (tracker === null || type === 'TrackerDeleted') return null;
  switch (type) {
    case 'TrackerRenamed':
      return { ...tracker, label: data.label };
    case 'TrackerFieldsChanged':
      return { ...tracker, fields: labelsOf(data.fields) };
    case 'TrackerSemanticsChanged':
      return { ...tracker, ...meaningOf(data.semantics) };
  }
}

function labelsOf(fields: readonly Field[]): readonly FieldLabels[] {
  return allFields(fields)
    .filter(({ used, type }) => used && type !== 'fieldset' && type !== 'column')
    .map(({ id, name, label, type, bind = null, time = false, values = [] }) => {
      const listed = { ids: values.map((value) => value.id), labels: values.map((value) => value.label) };
      return { id: `${id}`, name, label, type, bind, time, values: listed };
    });
}

function meaningOf({ title, status }: Semantics): Pick<TrackerLabels, 'title' | 'status'> {
  return {
    title: title === undefined ? null : `${title}`,
    status: status === undefined ? null : { field: `${status.field}`, open: status.open },
  };
}
