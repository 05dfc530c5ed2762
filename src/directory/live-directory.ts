/** The directory that follows the read models; the interface stands apart because specs and rules need only that. */
import { foldText, type Document, type ReadModel, type ReadModels } from '../core/read-models.js';
import { projectViews, type ProjectView } from '../projects/project-view.js';
import { DEFAULT_PLATFORM } from '../settings/settings-decider.js';
import { platformViews, type PlatformView } from '../settings/settings-view.js';
import { compileTracker, type CompiledTracker } from '../trackers/compiled-tracker.js';
import { openValuesViews, trackerViews, type OpenValuesView, type TrackerView } from '../trackers/tracker-view.js';
import { userViews, type UserView } from '../users/user-view.js';
import { type Directory } from './directory.js';

/** Resolves once everything there is has been handed over; goes on following until the signal aborts. */
export async function liveDirectory(readModels: Pick<ReadModels, 'follow'>, signal: AbortSignal): Promise<Directory> {
  let generation = 0;
  const followed = <D extends Document>(
    model: ReadModel<D>,
    receive: (documents: readonly D[], complete: boolean) => void,
  ): Promise<void> =>
    readModels.follow(
      model,
      (documents, complete) => {
        receive(documents, complete);
        generation += 1;
      },
      signal,
    );

  const users = knownUsers();
  const projects = knownProjects();
  const trackers = knownTrackers();
  const openValues = byId<OpenValuesView>();
  const platforms = byId<PlatformView>();
  await Promise.all([
    followed(userViews, users.receive),
    followed(projectViews, projects.receive),
    followed(trackerViews, trackers.receive),
    followed(openValuesViews, openValues.receive),
    followed(platformViews, platforms.receive),
  ]);

  return {
    user: users.get,
    userNamed: users.named,
    userWithAccessKey: users.withAccessKey,
    users: users.all,
    project: projects.get,
    projectNamed: projects.named,
    projects: projects.sorted,
    tracker: trackers.get,
    trackersOf: trackers.ofProject,
    openValues: (fieldId) => openValues.get(fieldId)?.values ?? [],
    platform: () => platforms.get(1) ?? DEFAULT_PLATFORM,
    get generation() {
      return generation;
    },
  };
}

const labelOrder = new Intl.Collator('en');

function byId<D extends Document & { readonly id: number }>() {
  const known = new Map<number, D>();
  return {
    get: (id: number) => known.get(id),
    all: () => known.values(),
    receive: (documents: readonly D[], complete: boolean) => {
      if (complete) known.clear();
      for (const document of documents) known.set(document.id, document);
    },
  };
}

function knownUsers() {
  const users = byId<UserView>();
  const names = new Map<string, number>();
  /** May name a user who has revoked it. */
  const accessKeys = new Map<number, number>();
  return {
    ...users,
    withAccessKey: (id: number) => {
      const userId = accessKeys.get(id);
      return userId === undefined ? undefined : users.get(userId);
    },
    named: (username: string) => {
      const id = names.get(foldText(username));
      return id === undefined ? undefined : users.get(id);
    },
    receive: (documents: readonly UserView[], complete: boolean) => {
      users.receive(documents, complete);
      if (complete) names.clear();
      for (const { id, username, accessKeys: keys } of documents) {
        names.set(foldText(username), id);
        for (const key of keys) accessKeys.set(key.id, id);
      }
    },
  };
}

function knownProjects() {
  const projects = byId<ProjectView>();
  let sorted: readonly ProjectView[] = [];
  let names: ReadonlyMap<string, ProjectView> = new Map();
  return {
    get: projects.get,
    named: (shortname: string) => names.get(foldText(shortname)),
    sorted: () => sorted,
    receive: (documents: readonly ProjectView[], complete: boolean) => {
      projects.receive(documents, complete);
      sorted = [...projects.all()].sort((a, b) => a.id - b.id);
      names = new Map(sorted.map((project) => [foldText(project.shortname), project]));
    },
  };
}

function knownTrackers() {
  const trackers = byId<CompiledTracker>();
  let sorted: ReadonlyMap<number, readonly CompiledTracker[]> = new Map();
  return {
    get: trackers.get,
    ofProject: (projectId: number) => sorted.get(projectId) ?? [],
    receive: (documents: readonly TrackerView[], complete: boolean) => {
      trackers.receive(documents.map(compileTracker), complete);
      const present = [...trackers.all()].filter(({ view }) => !view.deleted);
      sorted = byProject(present.sort(byLabel));
    },
  };
}

function byProject(trackers: readonly CompiledTracker[]): ReadonlyMap<number, readonly CompiledTracker[]> {
  const grouped = new Map<number, CompiledTracker[]>();
  for (const tracker of trackers) {
    const { projectId } = tracker.view;
    grouped.set(projectId, [...(grouped.get(projectId) ?? []), tracker]);
  }
  return grouped;
}

function byLabel(a: CompiledTracker, b: CompiledTracker): number {
  return labelOrder.compare(a.view.label, b.view.label) || a.id - b.id;
}
