/** What `docker compose up` does with the nodes of EventStoreDB: it starts a container once its conditions hold. */
import { type ElectingCluster } from '../support/eventstoredb/double-election.js';
import { type Project } from './compose-files.js';
import { isEventStoreDb } from './compose-rules.js';

export const nodesOf = ({ services }: Project): readonly string[] =>
  Object.keys(services).filter((name) => isEventStoreDb(services[name] ?? {}));

/**
 * Of the processes whose containers have been started, the one that comes first in the order is up first, however long the
 * others take. Tells of each that is up.
 */
export async function composeUp(
  project: Project,
  { nodes }: Pick<ElectingCluster, 'nodes'>,
  order: readonly string[],
  isUp: (name: string) => void,
): Promise<void> {
  const up = new Set<string>();
  const isHealthy = (name: string): boolean => up.has(name) && nodes[name]?.isHealthy() === true;
  let started = startedWith(project, new Set(), isHealthy);
  for (;;) {
    const next = order.find((name) => started.has(name) && !up.has(name));
    if (next === undefined) return;
    up.add(next);
    await nodes[next]?.start(Number(project.services[next]?.environment?.['EVENTSTORE_CLUSTER_SIZE']));
    isUp(next);
    started = startedWith(project, started, isHealthy);
  }
}

/** Those that are started, and those that this allows to start, too. */
function startedWith(
  project: Project,
  started: ReadonlySet<string>,
  isHealthy: (name: string) => boolean,
): ReadonlySet<string> {
  const names = nodesOf(project);
  const holds = (name: string, condition: string): boolean =>
    condition === 'service_healthy' ? isHealthy(name) : started.has(name);
  const mayStart = (name: string): boolean =>
    Object.entries(project.services[name]?.depends_on ?? {})
      .filter(([other]) => names.includes(other))
      .every(([other, { condition }]) => holds(other, condition));
  const more = new Set([...started, ...names.filter(mayStart)]);
  return more.size === started.size ? started : startedWith(project, more, isHealthy);
}

export function ordersOf(names: readonly string[]): readonly (readonly string[])[] {
  if (names.length < 2) return [names];
  return names.flatMap((first) => ordersOf(names.filter((name) => name !== first)).map((rest) => [first, ...rest]));
}
