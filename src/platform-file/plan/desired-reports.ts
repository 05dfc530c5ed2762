import { textFault } from '../../artifacts/fields/text.js';
import { faultsOf } from '../../artifacts/tql/tql.js';
import { type Definitions } from '../../definitions/definitions.js';
import { compileTracker, type CompiledTracker } from '../../trackers/compiled-tracker.js';
import { asksAll, reportKey, type Report } from '../../trackers/report.js';
import { type TrackerView } from '../../trackers/tracker-view.js';
import { DEFAULTS } from '../format/defaults.js';
import { type TrackerEntry } from '../format/tracker-schema.js';
import { desired } from './member.js';
import { refuseDuplicates, refuseFaulty, refuseFaultyLabel, type ProjectResolver } from './resolver.js';

type Entry = NonNullable<TrackerEntry['reports']>[number];

export interface DesiredReports {
  readonly reports: readonly Report[];
  /** Names of reports that the file leaves alone, and whose queries fit the present tracker only. */
  readonly unfit: readonly string[];
}

/** A report that a list leaves out is removed: nothing refers to it. `form`: the tracker as the file wants it. */
export function desiredReports(
  entries: TrackerEntry['reports'],
  form: Omit<TrackerView, 'reports'>,
  present: TrackerView | undefined,
  pointer: string,
  resolver: ProjectResolver,
): DesiredReports {
  const known = present?.reports ?? [];
  const fits: Fits = {
    before: present && compileTracker(present),
    after: compileTracker(form),
    definitions: resolver.queried,
  };
  if (entries === undefined) {
    return { reports: known, unfit: known.filter(({ query }) => stopsFitting(query, fits)).map(({ name }) => name) };
  }
  const listed = entries ?? [];
  const reports = listed.map((entry) => desiredReport(entry, known, resolver));
  reports.forEach(({ id, name, query }, index) => {
    const present = known.find((report) => report.id === id);
    refuseFaultyLabel(name, present?.name, `${pointer}/${index}/name`, resolver);
    refuseFaulty(query, present?.query, `${pointer}/${index}/query`, textFault, resolver);
  });
  refuseDuplicates(reports.map(reportKey), (index) => `${pointer}/${index}/name`, resolver.complain);
  refuseSecondDefault(reports, pointer, resolver);
  refuseUnfit(reports, known, fits, pointer, resolver);
  return { reports, unfit: [] };
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

interface Fits {
  readonly before: CompiledTracker | undefined;
  readonly after: CompiledTracker;
  readonly definitions: Definitions;
}

/** A stored query that does not fit the present tracker either may stay: what was exported can be applied. */
function refuseUnfit(
  reports: readonly Report[],
  known: readonly Report[],
  fits: Fits,
  pointer: string,
  { complain }: ProjectResolver,
): void {
  reports.forEach(({ id, query }, index) => {
    const isStored = known.some((report) => report.id === id && report.query === query);
    if (isStored && !stopsFitting(query, fits)) return;
    for (const fault of faultsIn(query, fits.after, fits.definitions)) {
      complain(`${pointer}/${index}/query`, `is no query of this tracker: ${fault}`);
    }
  });
}

/** Whether the query fits the present tracker, and no longer the one that the file wants. */
function stopsFitting(query: string, { before, after, definitions }: Fits): boolean {
  const fits = (tracker: CompiledTracker): boolean => faultsIn(query, tracker, definitions).length === 0;
  return before !== undefined && fits(before) && !fits(after);
}

const faultsIn = (query: string, tracker: CompiledTracker, definitions: Definitions): readonly string[] =>
  asksAll(query) ? [] : faultsOf(query, tracker, definitions);
