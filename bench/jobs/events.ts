/** Artifacts from plain numbers: the same number gives the same artifact. */
import { type ArtifactEvent } from '../../src/artifacts/artifact-events.js';
import { type FieldValues } from '../../src/trackers/field-types/field-value.js';
import { type Metadata, type StreamName } from '../../src/core/event-log.js';
import { type Definitions } from '../../src/definitions/definitions.js';
import { type CompiledTracker } from '../../src/trackers/compiled-tracker.js';
import { FIRST_TRACKER_SHARE, RARE_EVERY, RARE_WORD, sentence } from '../words.js';
import { TRACKERS, trackerName } from '../platform.js';

export interface Submission {
  readonly stream: StreamName;
  readonly event: Extract<ArtifactEvent, { type: 'ArtifactSubmitted' }>;
  readonly metadata: Metadata;
}

/** Half of the first 100 000 artifacts are in the first tracker, the others in all in turn. */
export function submissions(definitions: Definitions): (id: number) => Submission {
  const trackers = trackersOf(definitions);
  const users = [...definitions.users()].map(({ id }) => id).sort((a, b) => a - b);
  const start = Date.UTC(2024, 0, 1);
  return (id) => {
    const inFirst = id % 2 === 0 && id <= FIRST_TRACKER_SHARE * 2 + 100;
    const { tracker, values } = trackers[inFirst ? 0 : 1 + (id % (TRACKERS - 1))]!;
    const at = new Date(start + id * 1000).toISOString();
    return {
      stream: `artifact-${id}`,
      event: { type: 'ArtifactSubmitted', data: { artifactId: id, trackerId: tracker, values: values(id, users) } },
      metadata: {
        actor: users[1 + (id % 30)] ?? null,
        at,
        schema: 1,
        commandId: `seed-${id}`,
        requestId: `seed-${id}`,
      },
    };
  };
}

function trackersOf(definitions: Definitions) {
  const all = definitions.projects().flatMap(({ id }) => definitions.trackersOf(id));
  return Array.from({ length: TRACKERS }, (_, index) => {
    const tracker = all.find(({ view }) => view.itemName === trackerName(index))!;
    return { tracker: tracker.id, values: valuesIn(tracker) };
  });
}

function valuesIn(tracker: CompiledTracker): (id: number, users: readonly number[]) => FieldValues {
  const key = (name: string): string => String(tracker.fieldNamed(name)!.id);
  const ids = (name: string): readonly number[] => tracker.fieldNamed(name)!.values!.map(({ id }) => id);
  const pick = <T>(from: readonly T[], nth: number): T => from[nth % from.length]!;
  const [statuses, severities, systems, keywords] = ['status', 'severity', 'platforms', 'keywords'].map(ids) as [
    readonly number[],
    readonly number[],
    readonly number[],
    readonly number[],
  ];
  const teams = tracker.fieldNamed('team')!.from!;
  const keys = Object.fromEntries(tracker.fields.map(({ name }) => [name, key(name)]));
  const named = (values: Readonly<Record<string, FieldValues[string]>>): FieldValues =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [keys[name]!, value]));

  return (id, users) =>
    named({
      title: id % RARE_EVERY === 0 ? `${sentence(id, 7)} ${RARE_WORD}` : sentence(id, 7),
      description: {
        text: `**${sentence(id, 12)}**\n\n- ${sentence(id + 1, 20)}\n- ${sentence(id + 2, 20)}\n`,
        format: 'commonmark',
      },
      notes: { text: sentence(id + 3, 15), format: 'text' },
      environment: sentence(id + 4, 3),
      release: `${id % 7}.${id % 11}.${id % 5}`,
      status: [pick(statuses, Math.floor(id / 3))],
      severity: [pick(severities, id)],
      assigned_to: [pick(users, 1 + (id % 30)), pick(users, 2 + (id % 29))],
      team: [pick(teams, id)],
      platforms: [pick(systems, id), pick(systems, id + 1)],
      keywords: [{ bound: pick(keywords, id) }],
      effort: (id % 40) / 4,
      cost: id % 1000,
      points: id % 13,
      votes: id % 101,
      due: { date: new Date(Date.UTC(2025, 0, 1 + (id % 365))).toISOString().slice(0, 10) },
      meeting: { date: `${new Date(Date.UTC(2025, 0, 1, 0, id % 100_000)).toISOString().slice(0, 16)}:00Z` },
      links: id % 4 === 0 && id > 200 ? [{ id: id - 100, type: 'fixed_in' }] : [],
      visible_to: [],
    });
}
