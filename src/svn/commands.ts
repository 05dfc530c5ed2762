/** Creating, changing and deleting repositories: between a validated request and the events of its streams. */
import { randomUUID } from 'node:crypto';
import { type EventLog, type Metadata, type Position } from '../core/event-log.js';
import { handle, type Handled } from '../core/handle.js';
import { releaseName, reserveName, type Reservation, type UniqueName } from '../core/name-reservation.js';
import { invalidAt, Problem } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { metadataAfterwards, metadataOf, type Caller } from '../authorization/caller.js';
import { type Viewer } from '../authorization/viewer.js';
import { type ProjectView } from '../projects/project-view.js';
import { projectOf, unknownRepository } from './authorize.js';
import { svnDecider, type SvnCommand, type SvnRepository } from './repository.js';
import { svnStream, type SvnCreation } from './repository-events.js';
import { SVN } from './repository-view.js';
import { type SvnPorts } from './ports.js';
import { type CreateBody, type SettingsBody } from './schemas.js';
import { checkedSettings } from './settings.js';

/** A repository as the command left it. */
export interface Written extends SvnRepository {
  readonly id: number;
  readonly project: ProjectView;
}

const NAME = /^[a-zA-Z][A-Za-z0-9\-_.]{2,254}$/;

const svnName = (projectId: number, name: string): UniqueName => ({ kind: 'svn', scope: projectId, name });

/**
 * Resolves once the read models show it, or their patience is over. Nothing can refuse the creation once the name is
 * reserved, so that a name is only ever given back by deleting.
 */
export async function createRepository(body: CreateBody, ports: SvnPorts, caller: Caller): Promise<Written> {
  const { name } = body;
  const projectId = Number(body.project_id);
  const { viewer } = caller;
  const permitted = (): ProjectView => {
    const project = namedProject(projectId, ports.definitions, viewer);
    refuseOthers(project, viewer);
    return project;
  };
  const project = permitted();
  const settings = await checkedSettings(body.settings ?? {}, { project, definitions: ports.definitions, viewer });
  if (!NAME.test(name)) {
    throw new Problem('conflict', 'The name takes 3 to 255 characters: a letter, then letters, digits or any of - _ .');
  }
  const commandId = randomUUID();
  const repositoryId = await ports.nextRepositoryId();
  const reservation = { id: repositoryId, commandId, creation: { repositoryId, projectId, name, settings } };
  const now = ports.clock();
  const metadata = metadataOf(caller, now, permitted);
  const holder = await reserveName(ports.log, svnName(projectId, name), reservation, metadata);
  if (holder.commandId !== commandId) throw new Problem('conflict', 'Another repository of the project has this name');
  return written(await createReserved(ports.log, reservation, metadataAfterwards(caller, now)), repositoryId, ports);
}

/** The second step of a creation; what was cut off before it is made good by this, with the ids of the first try. */
export function createReserved(
  log: EventLog,
  { id, commandId, creation }: Reservation<SvnCreation>,
  metadata: Pick<Metadata, 'actor' | 'at' | 'requestId'>,
): Promise<Handled<SvnRepository | null>> {
  return handle(log, svnDecider, {
    stream: svnStream(id),
    commandId,
    metadata,
    command: (): SvnCommand => ({ type: 'CreateSvnRepository', ...creation }),
  });
}

/** Judged by the repository that is written upon, also after a lost race. */
export async function replaceSettings(
  repositoryId: number,
  body: SettingsBody,
  ports: SvnPorts,
  caller: Caller,
): Promise<Written> {
  const { definitions } = ports;
  const handled = await handle(ports.log, svnDecider, {
    stream: svnStream(repositoryId),
    commandId: randomUUID(),
    isNew: true,
    metadata: metadataOf(caller, ports.clock()),
    command: async ({ state }): Promise<SvnCommand> => {
      const { viewer } = caller;
      const { project, stored } = administered(state, definitions, viewer);
      const settings = await checkedSettings(body, { project, definitions, viewer, stored });
      // Many settings take long to check.
      administered(state, definitions, viewer);
      return { type: 'ReplaceSvnSettings', repositoryId, settings };
    },
  });
  return written(handled, repositoryId, ports);
}

/** The name is free once this resolves. */
export async function deleteRepository(repositoryId: number, ports: SvnPorts, caller: Caller): Promise<void> {
  const commandId = randomUUID();
  const now = ports.clock();
  const { state, position } = await handle(ports.log, svnDecider, {
    stream: svnStream(repositoryId),
    commandId,
    metadata: metadataOf(caller, now),
    command: ({ state }): SvnCommand => {
      administered(state, ports.definitions, caller.viewer);
      return { type: 'DeleteSvnRepository', repositoryId };
    },
  });
  if (state === null) return;
  await releaseName(
    ports.log,
    svnName(state.projectId, state.name),
    { id: repositoryId, commandId },
    metadataAfterwards(caller, now),
  );
  await shown(position, ports);
}

async function written(
  { state, position }: Handled<SvnRepository | null>,
  id: number,
  ports: SvnPorts,
): Promise<Written> {
  const project = state === null ? undefined : ports.definitions.project(state.projectId);
  if (state === null || project === undefined) throw new Error(`svn-${id} was written without its project`);
  await shown(position, ports);
  return { ...state, id, project };
}

async function shown(position: Position | null, { readModels }: SvnPorts): Promise<void> {
  if (position !== null) await readModels.caughtUp(SVN, position);
}

/** The project of a body, which has to be there for the caller, active and with svn. */
function namedProject(id: number, definitions: Definitions, viewer: Viewer): ProjectView {
  const project = definitions.project(id);
  if (project === undefined || !viewer.knowsProject(project)) {
    throw invalidAt('/project_id', 'names a project that does not exist');
  }
  refuseSuspended(project);
  if (!project.svn) throw invalidAt('/project_id', 'names a project that does not use svn');
  return project;
}

function administered(repository: SvnRepository | null, definitions: Definitions, viewer: Viewer) {
  if (repository === null || repository.deleted) throw unknownRepository();
  const project = projectOf(repository, definitions, viewer);
  refuseSuspended(project);
  refuseOthers(project, viewer);
  return { project, stored: repository.settings };
}

/** No user changes anything there, not even its readers. */
function refuseSuspended({ status }: ProjectView): void {
  if (status === 'suspended') throw new Problem('forbidden', 'This project is suspended');
}

function refuseOthers(project: ProjectView, viewer: Viewer): void {
  if (viewer.isAdminOf(project)) return;
  throw new Problem('forbidden', 'Only administrators of the project create, change and delete its repositories');
}
