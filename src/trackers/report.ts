/** Queries over the artifacts of a tracker that its definition names. */
import { foldText } from '../core/text/spelling.js';

export interface Report {
  readonly id: number;
  readonly name: string;
  readonly isPublic: boolean;
  /** At most one of a tracker. */
  readonly isDefault: boolean;
  /** TQL; blank: everything. */
  readonly query: string;
}

/** Two reports of a tracker never have the same key. */
export const reportKey = ({ name }: Pick<Report, 'name'>): string => foldText(name);

/** Whether a report with this query is one over everything. */
export const asksAll = (query: string): boolean => query.trim() === '';

interface Reported {
  readonly id: number;
  readonly reports?: readonly Report[];
}

/**
 * By name. A tracker that names none has one over everything. Its id is the tracker's: reports and trackers draw their
 * ids from one sequence.
 */
export function reportsOf({ id, reports = [] }: Reported): readonly Report[] {
  if (reports.length === 0) return [{ id, name: 'Default', isPublic: true, isDefault: true, query: '' }];
  return reports.toSorted((a, b) => (reportKey(a) < reportKey(b) ? -1 : 1));
}

export function reportRepresentation({ id, name, isPublic, isDefault }: Report) {
  const uri = `tracker_reports/${id}`;
  return {
    id,
    uri,
    label: name,
    is_public: isPublic,
    is_default: isDefault,
    resources: [{ type: 'artifacts', uri: `${uri}/artifacts` }],
  };
}
