/** The definitions that follow the read models; the interface stands apart because specs and rules need only that. */
import { NO_STREAM } from '../core/event-log.js';
import { notServed, type Document, type ReadModel, type ReadModels } from '../core/read-models.js';
import { foldText } from '../core/text/spelling.js';
import { projectViews, type ProjectView } from '../projects/project-view.js';
import { DEFAULT_PLATFORM } from '../platform/platform.js';
import { platformViews, type PlatformView } from '../platform/platform-view.js';
import { compileTracker, type CompiledTracker } from '../trackers/compiled-tracker.js';
import { reportsOf } from '../trackers/report.js';
import { openValuesViews, trackerViews, type OpenValuesView, type TrackerView } from '../trackers/tracker-view.js';
import { userViews, type UserView } from '../users/user-view.js';
import { currentDefinitions } from './current-definitions.js';
import { type Definitions } from './definitions.js';

const UNCHANGED_PLATFORM = { ...DEFAULT_PLATFORM, revision: NO_STREAM };

const DEFINED = [userViews, projectViews, trackerViews, openValuesViews, platformViews] as const;

type Source = Pick<ReadModels, 'subscribe' | 'marks'>;

/**
 * Resolves after the first hand-over, even an empty one, so that a service starts before its read models are filled.
 * Follows changes until the signal aborts.
 */
export async function liveDefinitions(readModels: Source, signal: AbortSignal): Promise<Definitions> {
  let received = 0;
  const followed = <D extends Document>(model: ReadModel<D>, receive: Receive<D>): Promise<void> => {
    const receiveCounted: Receive<D> = (documents, complete) => {
      receive(documents, complete);
      received += 1;
    };
    return readModels.subscribe(model, receiveCounted, signal);
  };

  const users = knownUsers();
  const projects = knownProjects();
  const trackers = knownTrackers();
  const openValues = byId<OpenValuesView>(openValuesViews);
  const platforms = byId<PlatformView>(platformViews);
  await Promise.all([
    followed(userViews, users.receive),
    followed(projectViews, projects.receive),
    followed(trackerViews, trackers.receive),
    followed(openValuesViews, openValues.receive),
    followed(platformViews, platforms.receive),
  ]);

  const current = {
    users: currentDefinitions(readModels, userViews, users.get),
    projects: currentDefinitions(readModels, projectViews, projects.get),
    trackers: currentDefinitions(readModels, trackerViews, trackers.get),
    openValues: currentDefinitions(readModels, openValuesViews, openValues.get),
    platforms: currentDefinitions(readModels, platformViews, platforms.get),
  };
  return {
    user: users.get,
    currentUser: current.users.one,
    userNamed: (username) => current.users.named(users.named(username)),
    userWithAccessKey: (id) => current.users.named(users.withAccessKey(id)),
    users: () => current.users.whole(users.all()),
    project: current.projects.one,
    projectNamed: (shortname) => current.projects.named(projects.named(shortname)),
    projectOfGroup: (id) => current.projects.named(projects.ofGroup(id)),
    projects: () => current.projects.all(projects.sorted()),
    tracker: current.trackers.one,
    trackerOfField: (id) => current.trackers.named(trackers.ofField(id)),
    trackerOfReport: (id) => current.trackers.named(trackers.ofReport(id)),
    trackersOf: (projectId) => current.trackers.all(trackers.ofProject(projectId)),
    openValues: (fieldId) => current.openValues.one(fieldId)?.values ?? [],
    platform: () => current.platforms.one(1) ?? UNCHANGED_PLATFORM,
    get generation() {
      // Marks of one generation of a read model only grow in number.
      return `${received} ${DEFINED.reduce((count, { name }) => count + readModels.marks(name).size, 0)}`;
    },
  };
}

type Receive<D> = (documents: readonly D[] | null, complete: boolean) => void;

interface ById<D> {
  /** Whether served or not. */
  readonly known: ReadonlyMap<number, D>;
  /** Hands back what was derived from the documents. */
  readonly served: <T>(derived: T) => T;
  readonly get: (id: number) => D | undefined;
  readonly receive: Receive<D>;
}

/** Reading throws while nothing of the read model is served: unknown definitions must not decide rights. */
function byId<D extends { readonly id: number }>(model: Pick<ReadModel<Document>, 'name'>): ById<D> {
  const known = new Map<number, D>();
  let isServed = false;
  const served = <T>(derived: T): T => {
    if (!isServed) throw notServed(model);
    return derived;
  };
  const receive: Receive<D> = (documents, complete) => {
    isServed = documents !== null;
    if (complete) known.clear();
    for (const document of documents ?? []) known.set(document.id, document);
  };
  return {
    known,
    served,
    get: (id: number) => served(known).get(id),
    receive,
  };
}

/** The id of no user. */
const NOBODY = -1;

function knownUsers() {
  const users = byId<UserView>(userViews);
  let all: readonly UserView[] = [];
  const names = new Map<string, number>();
  const accessKeys = new Map<number, number>();
  return {
    get: users.get,
    all: () => users.served(all),
    withAccessKey: (id: number) => {
      return users.get(accessKeys.get(id) ?? NOBODY);
    },
    named: (username: string) => {
      return users.get(names.get(foldText(username)) ?? NOBODY);
    },
    receive: (documents: readonly UserView[] | null, complete: boolean) => {
      if (complete) {
        names.clear();
        accessKeys.clear();
      }
      for (const { id, username, accessKeys: keys } of documents ?? []) {
        names.set(foldText(username), id);
        for (const key of users.known.get(id)?.accessKeys ?? []) accessKeys.delete(key.id);
        for (const key of keys) accessKeys.set(key.id, id);
      }
      users.receive(documents, complete);
      all = [...users.known.values()];
    },
  };
}

const groupsOf = (project: ProjectView | undefined) => project?.groups ?? [];

function knownProjects() {
  const projects = byId<ProjectView>(projectViews);
  let sorted: readonly ProjectView[] = [];
  let names: ReadonlyMap<string, ProjectView> = new Map();
  const owners = new Map<number, ProjectView>();
  return {
    get: projects.get,
    named: (shortname: string) => projects.served(names).get(foldText(shortname)),
    ofGroup: (id: number) => projects.served(owners).get(id),
    sorted: () => projects.served(sorted),
    receive: (documents: readonly ProjectView[] | null, complete: boolean) => {
      const changed = documents ?? [];
      if (complete) owners.clear();
      for (const { id } of changed.flatMap((project) => groupsOf(projects.known.get(project.id)))) owners.delete(id);
      projects.receive(documents, complete);
      for (const project of changed) for (const { id } of project.groups) owners.set(id, project);
      sorted = [...projects.known.values()].sort((a, b) => a.id - b.id);
      names = new Map(sorted.map((project) => [foldText(project.shortname), project]));
    },
  };
}

function knownTrackers() {
  const trackers = byId<CompiledTracker>(trackerViews);
  let sorted: ReadonlyMap<number, readonly CompiledTracker[]> = new Map();
  const present = (): readonly CompiledTracker[] => [...trackers.served(sorted).values()].flat();
  return {
    get: trackers.get,
    ofField: (id: number) => present().find((tracker) => tracker.fieldById(id) !== undefined),
    ofReport: (id: number) => present().find(({ view }) => reportsOf(view).some((report) => report.id === id)),
    ofProject: (projectId: number) => trackers.served(sorted).get(projectId) ?? [],
    receive: (documents: readonly TrackerView[] | null, complete: boolean) => {
      trackers.receive(documents?.map(compileTracker) ?? null, complete);
      const undeleted = [...trackers.known.values()].filter(({ view }) => !view.deleted);
      sorted = byProject(undeleted.sort(byLabel));
    },
  };
}

function byProject(trackers: readonly CompiledTracker[]): ReadonlyMap<number, readonly CompiledTracker[]> {
  const grouped = new Map<number, CompiledTracker[]>();
  for (const tracker of trackers) {
    const { projectId } = tracker.view;
    const ofProject = grouped.get(projectId);
    if (ofProject === undefined) grouped.set(projectId, [tracker]);
    else ofProject.push(tracker);
  }
  return grouped;
}

function byLabel(a: CompiledTracker, b: CompiledTracker): number {
  return a.view.label.localeCompare(b.view.label, 'en') || a.id - b.id;
}
