/** The commands of operators to a service, over its control socket or in its place. */
import { storedStatus, type StoredStatus } from '../../projections/engine/projection-status.js';
import { type RebuildResult } from '../../projections/engine/rebuild.js';
import { applyPlatform, planPlatform, type PlanOptions } from '../platform-file/apply/apply.js';
import { settled } from '../platform-file/apply/settled.js';
import { exportedPlatform } from '../platform-file/export/export.js';
import { type ControlCommands } from './control-protocol.js';
import { inTurns } from '../core/concurrency/others-turn.js';
import { type FailingWork } from '../core/recovery/failing-work.js';
import { Problem } from '../core/problem.js';
import { type Service } from '../composition/service.js';
import { LeaseRefused } from '../core/lease.js';
import { type Outcome } from '../platform-file/format/outcome.js';
import { type Passwords } from '../authentication/password.js';

type Report = (progress: unknown) => void;
type PlatformInput = Pick<PlanOptions, 'file' | 'prune' | 'force' | 'env'>;

/** How the service is doing. */
export interface Overview {
  readonly projections: readonly StoredStatus[];
  readonly failingWork: FailingWork;
}

export type Operations = ControlCommands & Pick<Required<ControlCommands>, 'apply'>;

export function operations(service: Service, passwords: Passwords): Operations {
  const status = async (): Promise<readonly StoredStatus[]> => (await service.projections.status()).map(storedStatus);
  const ports = { ...service, passwords, ids: service.idsOf.bind(service) };
  // No client waits for what these wait for.
  const known = { log: service.log, readModels: service.unwatched ?? service.readModels };
  /** The read models are not of one moment while a file is applied, and a second application would plan on those. */
  const alone = <T>(given: AbortSignal | undefined, work: (ended: AbortSignal) => Promise<T>): Promise<T> =>
    service.withLease('platform', (lost) => work(given === undefined ? lost : AbortSignal.any([lost, given])), given);
  const planned = async (input: unknown, report: Report, ended?: AbortSignal): Promise<Outcome> => {
    await settled({ ...known, ended });
    return planPlatform({ ...platformInput(input), ...ports, ended, onProgress: counting(report) });
  };
  return {
    plan: (input, report, given) => alone(given, (ended) => planned(input, report, ended)),
    apply: (input, report, given) =>
      alone(given, (ended) =>
        applyPlatform({ ...platformInput(input), ...ports, ended, onProgress: counting(report) }),
      ).catch(async (error: unknown) => {
        // What changes nothing needs no lease.
        if (!(error instanceof LeaseRefused) || hasWork(await planned(input, report, given))) throw error;
        return { steps: [] };
      }),
    export: (_input, _report, given) =>
      alone(given, async (ended) => {
        await settled({ ...known, ended });
        return inTurns(exportedPlatform(service.definitions));
      }),
    status,
    overview: async (): Promise<Overview> => ({
      projections: await status(),
      failingWork: await service.failingWork.last(),
    }),
    rebuild: async (input, report): Promise<readonly RebuildResult[]> => {
      const names = wantedNames(input, service.projections.names);
      return Promise.all(names.map((name) => service.projections.rebuild(name, report, names)));
    },
  };
}

/** Complaints count: without the lease, they may be of a state that another application is about to change. */
const hasWork = (outcome: Outcome): boolean => !('steps' in outcome) || outcome.steps.length > 0;

/** Each progress line has a number of its own. */
function counting(report: Report): () => void {
  let done = 0;
  return () => {
    done += 1;
    report({ done });
  };
}

function platformInput(input: unknown): PlatformInput {
  if (!isPlatformInput(input)) throw new Problem('invalid', 'The command requires a platform file');
  return input;
}

function isPlatformInput(input: unknown): input is PlatformInput {
  if (typeof input !== 'object' || input === null || !('file' in input) || !('env' in input)) return false;
  return typeof input.file === 'object' && typeof input.env === 'object' && input.env !== null;
}

/** Each of them once, and all of them when none is named. */
function wantedNames(input: unknown, known: readonly string[]): readonly string[] {
  const names: unknown = typeof input === 'object' && input !== null && 'names' in input ? input.names : [];
  const wanted = Array.isArray(names) ? [...new Set(names.map(String))] : [];
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Problem('invalid', `There is no read model ${unknown.join(', ')}; there are ${known.join(', ')}`);
  }
  return wanted.length === 0 ? known : wanted;
}
