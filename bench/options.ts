import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';

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
  readonly directory?: string;
  /** A stand-in, or the URL of a server; none without. */
  readonly mongodb?: string;
  /** The URL of a server; its protocol double without one. */
  readonly eventstoredb?: string;
  /** Where the service leaves its processor profile when it ends; none without. */
  readonly prof?: string;
  /** In place of rows: where to draw how the service scales. */
  readonly curve?: string;
  /** In place of rows: the directory for pictures of what the service spends its time on. */
  readonly flames?: string;
}

const MOST_ARTIFACTS = 1_000_000;

/** For daily use: what a change may slow down, with few artifacts and once, in less than three minutes. */
const QUICK = {
  artifacts: 5000,
  seconds: 1,
  rounds: 1,
  memoryRequests: 20_000,
  only: ['index', 'get', 'page', 'time', 'put-race', 'post', 'rebuild', 'start', 'lag'],
};
/** Stand-ins look through a whole collection for a page. */
const ON_SERVERS = 2000;
const WHOLE = { artifacts: 100_000, seconds: 5, rounds: 3, memoryRequests: 100_000, only: [] };

/** All sizes. */
const CURVE = { ...WHOLE, artifacts: MOST_ARTIFACTS };

/** As the command line gives them: without what is not given. */
type Given = Pick<Options, 'quick' | 'kind' | 'dist'> & Partial<Omit<Options, 'artifactsOnServers'>>;

/** Prints what is wrong with the arguments, or what there is to ask for, and ends the process. `rows`: all names. */
export function readOptions(args: readonly string[], rows: readonly string[]): Options {
  const given = command(rows).parse(args, { from: 'user' }).opts<Given>();
  const standard = given.curve === undefined ? WHOLE : CURVE;
  const values = { ...(given.quick ? QUICK : standard), ...given };
  return {
    ...values,
    artifacts: Math.min(MOST_ARTIFACTS, values.artifacts),
    artifactsOnServers: given.artifacts ?? ON_SERVERS,
    dist: resolve(values.dist),
  };
}

function command(rows: readonly string[]): Command {
  return new Command('npm run bench --')
    .description('What the service does, beside what the parts it stands on do: docs/benchmarks.md')
    .option('--quick', 'the main rows with few artifacts, once')
    .option('--artifacts <number>', 'how many the log holds before anything is measured', whole)
    .option('--seconds <number>', 'how long one measurement lasts', whole)
    .option('--rounds <number>', 'how often each is repeated', whole)
    .option('--only <rows>', 'names, or beginnings of names, with commas between them', rowsOf(rows))
    .option('--kind <beginning>', 'of the requests of blocking, or of the parts of servers', listed, [])
    .option('--memory-requests <number>', 'after which the memory is looked at again', whole)
    .option('--dist <directory>', 'the compiled service', 'dist')
    .option('--directory <directory>', 'where the data is kept')
    .option('--mongodb <server>', 'a stand-in, or a URL')
    .option('--eventstoredb <URL>', 'a server; its protocol double without one')
    .option('--prof <directory>', 'for a processor profile of the service')
    .option('--curve <file>', 'in place of rows: how the service scales, drawn')
    .option('--flames <directory>', 'in place of rows: flame graphs of the main ones')
    .addHelpText('after', `\nRows: ${rows.join(', ')}`)
    .showHelpAfterError('Use --help for the options.');
}

function whole(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('It has to be a whole number above 0.');
  return number;
}

const listed = (text: string, earlier: readonly string[] = []): readonly string[] => [...earlier, ...text.split(',')];

function rowsOf(rows: readonly string[]): typeof listed {
  return (text, earlier) => {
    const names = listed(text, earlier);
    const unknown = names.find((name) => !rows.some((row) => row.startsWith(name)));
    if (unknown !== undefined) throw new InvalidArgumentError(`No row begins with ${unknown}.`);
    return names;
  };
}
