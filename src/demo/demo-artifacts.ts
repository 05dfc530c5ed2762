/** A few hundred artifacts with a history for the demo platform: the same ones every time. */
import { type FieldValue, type FieldValues, type TextValue } from '../trackers/field-types/field-value.js';
import { type Definitions } from '../definitions/definitions.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { demoComment, demoDetails, demoRisk, demoTrouble, demoWish } from './sample-texts.js';
import { seededRandom, type SeededRandom } from './seeded-random.js';

/** What a user did to an artifact. */
export interface DemoStep {
  /** A number of the demo's own, from 1. The first step that bears it submits the artifact, the others change it. */
  readonly artifact: number;
  readonly trackerId: number;
  readonly author: number;
  readonly daysAgo: number;
  readonly values: FieldValues;
  readonly comment?: TextValue;
  /** The whole new value of a link field; the targets, by the demo's numbers, have been submitted before. */
  readonly links?: { readonly field: number; readonly to: readonly DemoLink[] };
}

interface DemoLink {
  readonly artifact: number;
  readonly type: string;
}

interface Subject {
  readonly tracker: CompiledTracker;
  readonly artifact: number;
  readonly submittedDaysAgo: number;
  readonly author: number;
  readonly people: readonly [number, ...number[]];
  readonly random: SeededRandom;
}

const STORIES = 60;
const BUGS = 160;
const RISKS = 30;
const FIRST_DAY = 180;
const LAST_DAY = 10;

/** In the order in which it happened; empty where the definitions are not those of the demo platform. */
export function demoArtifacts(definitions: Definitions): readonly DemoStep[] {
  const [alice, bob, carol, dave] = ['alice', 'bob', 'carol', 'dave'].map((name) => definitions.userNamed(name)?.id);
  if (alice === undefined || bob === undefined || carol === undefined || dave === undefined) return [];

  const random = seededRandom(1204);
  let artifact = 0;
  const subjects = (count: number, shortname: string, itemName: string, people: Subject['people']): Subject[] => {
    const trackers = definitions.trackersOf(definitions.projectNamed(shortname)?.id ?? 0);
    const tracker = trackers.find(({ view }) => view.itemName === itemName);
    if (tracker === undefined) return [];
    return Array.from({ length: count }, () => {
      artifact += 1;
      const submittedDaysAgo = LAST_DAY + random.below(FIRST_DAY - LAST_DAY);
      return { tracker, artifact, submittedDaysAgo, author: random.oneOf(people), people, random };
    });
  };
  const stories = subjects(STORIES, 'hydra', 'story', [alice, bob, carol]);
  const bugs = subjects(BUGS, 'hydra', 'bug', [alice, bob, carol]);
  const risks = subjects(RISKS, 'kraken', 'risk', [carol, dave]);
  const steps = [
    ...stories.flatMap((story) => [...storySteps(story), ...childSteps(story, stories)]),
    ...bugs.flatMap((bug) => [...bugSteps(bug), ...fixSteps(bug, stories)]),
    ...risks.flatMap(riskSteps),
  ];
  return steps.sort((a, b) => b.daysAgo - a.daysAgo || a.artifact - b.artifact);
}

function storySteps(story: Subject): readonly DemoStep[] {
  const { random } = story;
  const submission = stepOf(story, 0, {
    title: demoWish(random),
    description: { text: demoDetails(random), format: 'commonmark' },
    status: choiceOf(story, 'status', 'Todo'),
    effort: (1 + random.below(16)) / 2,
    total_effort: { auto: true },
  });
  if (random.onceIn(3)) return [submission];
  const begun = stepOf(story, 2, { status: choiceOf(story, 'status', 'Doing') });
  if (random.onceIn(2)) return [submission, begun];
  return [submission, begun, said(story, stepOf(story, 6, { status: choiceOf(story, 'status', 'Done') }))];
}

function bugSteps(bug: Subject): readonly DemoStep[] {
  const { random, people, submittedDaysAgo } = bug;
  const due = new Date(Date.UTC(2026, 0, 1 + FIRST_DAY - submittedDaysAgo)).toISOString().slice(0, 10);
  const submission = stepOf(bug, 0, {
    title: demoTrouble(random),
    description: { text: demoDetails(random), format: 'text' },
    status_id: choiceOf(bug, 'status_id', 'New'),
    severity: choiceOf(bug, 'severity', random.oneOf(['Minor', 'Major', 'Critical'])),
    platforms: choiceOf(bug, 'platforms', random.oneOf(['Linux', 'Windows', 'Controller'])),
    keywords: choiceOf(bug, 'keywords', random.oneOf(['pump', 'valve', 'display'])).map((bound) => ({ bound })),
    points: 1 + random.below(8),
    due: random.onceIn(3) ? { date: due } : undefined,
  });
  const ways: readonly [readonly string[], ...(readonly string[])[]] = [
    [],
    ['In progress'],
    ['In progress', 'Fixed'],
    ['In progress', 'Fixed', 'Closed'],
    ['Closed'],
    ['In progress', 'Fixed', 'In progress', 'Fixed', 'Closed'],
  ];
  const history = random.oneOf(ways).map((status, index) =>
    said(
      bug,
      stepOf(bug, 1 + index, {
        status_id: choiceOf(bug, 'status_id', status),
        assigned_to: index === 0 ? [random.oneOf(people)] : undefined,
        effort: status === 'Fixed' ? (1 + random.below(10)) / 2 : undefined,
      }),
    ),
  );
  return [submission, ...history];
}

function riskSteps(risk: Subject): readonly DemoStep[] {
  const { random, people } = risk;
  const submission = stepOf(risk, 0, {
    title: demoRisk(random),
    description: { text: demoDetails(random), format: 'text' },
    status: choiceOf(risk, 'status', 'Open'),
    owner: [random.oneOf(people)],
    impact: 1 + random.below(5),
  });
  if (random.onceIn(2)) return [submission];
  const status = choiceOf(risk, 'status', random.oneOf(['Accepted', 'Averted']));
  return [submission, said(risk, stepOf(risk, 4, { status }))];
}

/** A story in four is a part of an older one. */
function childSteps(parent: Subject, stories: readonly Subject[]): readonly DemoStep[] {
  if (parent.artifact % 4 !== 1) return [];
  const children = stories.filter(({ artifact }) => artifact > parent.artifact && artifact < parent.artifact + 3);
  return linkSteps(parent, children, '_is_child');
}

/** A bug in five is fixed in a story. */
function fixSteps(bug: Subject, stories: readonly Subject[]): readonly DemoStep[] {
  if (!bug.random.onceIn(5)) return [];
  const index = bug.random.below(stories.length);
  return linkSteps(bug, stories.slice(index, index + 1), 'fixed_in');
}

function linkSteps(source: Subject, targets: readonly Subject[], type: string): readonly DemoStep[] {
  const field = source.tracker.fieldNamed('links')?.id;
  if (field === undefined || targets.length === 0) return [];
  const daysAgo = Math.min(source.submittedDaysAgo, ...targets.map((target) => target.submittedDaysAgo)) - 7;
  const to = targets.map(({ artifact }) => ({ artifact, type }));
  return [{ ...stepOf(source, 0, {}), daysAgo, links: { field, to } }];
}

/** Values by field name; those left undefined, or of a field that there is not, are left out. */
function stepOf(
  subject: Subject,
  daysLater: number,
  values: Readonly<Record<string, FieldValue | undefined>>,
): DemoStep {
  const { tracker, artifact, submittedDaysAgo, author } = subject;
  const known = Object.entries(values).flatMap(([name, value]): [string, FieldValue][] => {
    const field = tracker.fieldNamed(name);
    return field === undefined || value === undefined ? [] : [[String(field.id), value]];
  });
  const daysAgo = submittedDaysAgo - daysLater;
  return { artifact, trackerId: tracker.id, author, daysAgo, values: Object.fromEntries(known) };
}

function said({ people, random }: Subject, step: DemoStep): DemoStep {
  const author = random.oneOf(people);
  if (random.onceIn(2)) return { ...step, author };
  return { ...step, author, comment: { text: demoComment(random), format: 'text' } };
}

function choiceOf({ tracker }: Subject, fieldName: string, label: string): readonly number[] {
  const value = tracker.fieldNamed(fieldName)?.values?.find((candidate) => candidate.label === label);
  return value === undefined ? [] : [value.id];
}
