/**
 * Each version of a projection has a state of its own, and numbers of generations that no other version has: processes
 * of several releases go on side by side with theirs.
 */
import { type Generation, type Projection } from '../../core/projection.js';

export type ProjectionVersion = Pick<Projection, 'name' | 'version'>;

/** Of the versions that this process has. */
export interface ProjectionIds {
  readonly all: readonly string[];
  readonly idOf: (projection: string) => string;
  /** The projection's name. */
  readonly nameIn: (id: string) => string;
}

/** How documents of all projections are stored. Raise it when that changes: all of them are then filled anew. */
const ENCODING = 3;
const VERSIONS_PER_ENCODING = 1000;

export function projectionIds(projections: readonly ProjectionVersion[], encoding = ENCODING): ProjectionIds {
  const first = encoding * VERSIONS_PER_ENCODING;
  const ids = new Map(projections.map(({ name, version }) => [name, `${name}-v${first + version}`]));
  return {
    all: [...ids.values()],
    idOf: (projection) => {
      const id = ids.get(projection);
      if (id === undefined) throw new Error(`There is no projection ${projection}`);
      return id;
    },
    nameIn: (id) => versionIn(id).name,
  };
}

export function versionIn(id: string): ProjectionVersion {
  const [, name = id, version = 0] = /^(.+)-v(\d+)$/.exec(id) ?? [];
  return { name, version: Number(version) };
}

const RUNS_PER_VERSION = 1_000_000;

/** The number before that of the version's first generation. */
export function firstRunAfter(id: string): Generation {
  return versionIn(id).version * RUNS_PER_VERSION;
}

export function isRunOf(id: string, generation: Generation): boolean {
  const before = firstRunAfter(id);
  return generation > before && generation <= before + RUNS_PER_VERSION;
}
