import { faultsOf } from '../../artifacts/tql/tql.js';
import { type Definitions } from '../../definitions/definitions.js';
import { compileTracker, type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { asksAll, reportKey, type Report } from '../../trackers/report.js';
import { type TrackerView } from '../../trackers/tracker-view.js';
import { DEFAULTS } from '../format/defaults.js';
import { type TrackerEntry } from '../format/tracker-schema.js';
import { desired } from './member.js';
import { refuseDuplicates, type ProjectResolver } from './resolver.js';

type Entry = NonNullable<TrackerEntry['reports']>[number];

/** A report that a list leaves out is no more: nothing refers to it. `form`: the tracker as the file wants it. */
export function desiredReports(
  entries: TrackerEntry['reports'],
  form: Omit<TrackerView, 'reports'>,
  present: TrackerView | undefined,
  pointer: string,
  resolver: ProjectResolver,
): readonly Report[] {
  const known = present?.reports ?? [];
  if (entries === undefined) return known;
  const listed = entries ?? [];
  const reports = listed.map((entry) => desiredReport(entry, known, resolver));
  refuseDuplicates(reports.map(reportKey), (index) => `${pointer}/${index}/name`, resolver.complain);
  refuseSecondDefault(reports, pointer, resolver);
  refuseUnfit({ reports, known, after: compileTracker(form), present, pointer, resolver });
  return reports;
}

function desiredReport(entry: Entry, known: readonly Report[], { newId }: ProjectResolver): Report {
  const present = known.find((report) => reportKey(report) === reportKey(entry));
  return {
    // Of the sequence of trackers, see `reportsOf`.
    id: present?.id ?? newId('tracker'),
    name: entry.name,
    isPublic: desired(entry.public, present?.isPublic, DEFAULTS.publicReport),
    isDefault: desired(entry.default, present?.isDefault, DEFAULTS.defaultReport),
    query: desired(entry.query, present?.query, DEFAULTS.query),
  };
}

function refuseSecondDefault(reports: readonly Report[], pointer: string, { complain }: ProjectResolver): void {
  const first = reports.findIndex(({ isDefault }) => isDefault);
  reports.forEach(({ isDefault }, index) => {
    if (isDefault && index > first) complain(`${pointer}/${index}/default`, 'is a second default of the tracker');
  });
}

interface Queries {
  readonly reports: readonly Report[];
  readonly known: readonly Report[];
  readonly after: CompiledTracker;
  readonly present: TrackerView | undefined;
  readonly pointer: string;
  readonly resolver: ProjectResolver;
}

/** A query that does not fit the present tracker either may stay: what was exported can be applied. */
function refuseUnfit({ reports, known, after, present, pointer, resolver: { queried, complain } }: Queries): void {
  const before = present && compileTracker(present);
  reports.forEach(({ id, query }, index) => {
    const faults = faultsIn(query, after, queried);
    const isStored = known.some((report) => report.id === id && report.query === query);
    if (isStored && before !== undefined && faultsIn(query, before, queried).length > 0) return;
    for (const fault of faults) complain(`${pointer}/${index}/query`, `is no query of this tracker: ${fault}`);
  });
}

const faultsIn = (query: string, tracker: CompiledTracker, definitions: Definitions): readonly string[] =>
  asksAll(query) ? [] : faultsOf(query, tracker, definitions);
