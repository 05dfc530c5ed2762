import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** Artifacts in the log before anything is measured. */
  readonly artifacts: number;
  /** The same on servers: fewer unless given, because stand-ins are slow. */
  readonly artifactsOnServers: number;
  /** How long one measurement lasts. */
  readonly seconds: number;
  /** How often each is repeated, in turn with what it is compared with. */
  readonly rounds: number;
  /** Only what has a goal, where a row has more. */
  readonly quick: boolean;
  /** Names of rows, or the beginnings of names; all without any. */
  readonly only: readonly string[];
  /** Beginnings of names of the requests that may block, or of the parts of `servers`; all without any. */
  readonly kind: readonly string[];
  /** Requests after which the memory is looked at a second time. */
  readonly memoryRequests: number;
  /** The compiled service. */
  readonly dist: string;
  /** Where the data directories are made; the disk under it is measured too. */
  readonly directory: string | undefined;
  /** A stand-in, or the URL of a server; none without. */
  readonly mongodb: string | undefined;
  /** The URL of a server; its protocol double without one. */
  readonly eventstoredb: string | undefined;
  /** Where the service leaves its processor profile when it ends; none without. */
  readonly prof: string | undefined;
  /** In place of rows: where to draw how the service scales. */
  readonly curve: string | undefined;
  /** In place of rows: the directory for pictures of what the service spends its time on. */
  readonly flames: string | undefined;
}

const MOST_ARTIFACTS = 1_000_000;

/** For daily use: what a change may slow down, with few artifacts and once, in less than three minutes. */
const QUICK = {
  artifacts: '5000',
  seconds: '1',
  rounds: '1',
  'memory-requests': '20000',
  only: ['index', 'get', 'page', 'time', 'put-race', 'post', 'rebuild', 'start', 'lag'],
};
/** Stand-ins look through a whole collection for a page. */
const ON_SERVERS = '2000';
const WHOLE = { artifacts: '100000', seconds: '5', rounds: '3', 'memory-requests': '100000', only: [] };

/** All sizes. */
const CURVE = { ...WHOLE, artifacts: '1000000' };

export function readOptions(args: readonly string[]): Options {
  const { values: given } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      artifacts: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      only: { type: 'string', multiple: true },
      kind: { type: 'string', multiple: true, default: [] },
      'memory-requests': { type: 'string' },
      dist: { type: 'string', default: 'dist' },
      directory: { type: 'string' },
      mongodb: { type: 'string' },
      eventstoredb: { type: 'string' },
      prof: { type: 'string' },
      curve: { type: 'string' },
      flames: { type: 'string' },
    },
  });
  const standard = given.curve === undefined ? WHOLE : CURVE;
  const values = { ...(given.quick ? QUICK : standard), ...given };
  return {
    artifacts: Math.min(MOST_ARTIFACTS, whole(values.artifacts, 'artifacts')),
    artifactsOnServers: whole(given.artifacts ?? ON_SERVERS, 'artifacts'),
    seconds: whole(values.seconds, 'seconds'),
    rounds: whole(values.rounds, 'rounds'),
    quick: given.quick,
    only: values.only.flatMap((names) => names.split(',')),
    kind: values.kind,
    memoryRequests: whole(values['memory-requests'], 'memory-requests'),
    dist: resolve(values.dist),
    directory: values.directory,
    mongodb: values.mongodb,
    eventstoredb: values.eventstoredb,
    prof: values.prof,
    curve: values.curve,
    flames: values.flames,
  };
}

function whole(text: string, name: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new RangeError(`--${name} has to be a whole number above 0`);
  return number;
}
