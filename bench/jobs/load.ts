import autocannon, { type Client, type Request, type Result } from 'autocannon';
import { quantile } from '../statistics.js';

export interface LoadInput {
  /** Of several, each connection has one. */
  readonly url: string | readonly string[];
  readonly connections: number;
  readonly seconds: number;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** This word of the body is another number in each request. */
  readonly counted?: string;
  /** Ends after this many, whatever `seconds` says. */
  readonly amount?: number;
  /** Asked for in turn in place of the URL's own. */
  readonly paths?: readonly string[];
}

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Processor time of the load generator. */
  readonly cpuSeconds: number;
}

/** Throws when any answer was not the expected one: a ratio of failures says nothing. */
export async function load({
  url,
  connections,
  seconds,
  method = 'GET',
  headers = {},
  body,
  counted,
  amount,
  paths = [],
}: LoadInput) {
  const times: number[] = [];
  const [began, before] = [performance.now(), process.cpuUsage()];
  const result = await new Promise<Result>((resolve, reject) => {
    const options = {
      // Several, too, which its types do not know.
      url: url as string,
      connections,
      ...(amount === undefined ? { duration: seconds } : { amount }),
      method,
      headers: { ...headers },
      ...(body !== undefined && { body }),
      ...(paths.length > 0 && { setupClient: dealt(paths, connections, body, counted) }),
    };
    const run = autocannon(options, (error: unknown, ended: Result) => {
      if (error === null) resolve(ended);
      else reject(new Error(`${String(url)} could not be loaded`, { cause: error }));
    });
    run.on('response', (_client, _status, _bytes, milliseconds) => {
      times.push(milliseconds);
    });
  });
  const elapsed = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) {
    const answers = JSON.stringify(result.statusCodeStats);
    throw new Error(`${failed} of ${times.length} requests to ${String(url)} failed, answers ${answers}`);
  }
  return {
    perSecond: times.length / elapsed,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    requests: times.length,
    cpuSeconds: (user + system) / 1e6,
  } satisfies LoadResult;
}

/** Each connection has a part of the paths for itself, so that no two ask for the same at the same time. */
function dealt(paths: readonly string[], connections: number, body = '', counted?: string): (client: Client) => void {
  let clients = 0;
  // Two runs share no number.
  let number = Date.now() % 1_000_000_000;
  const numbered = (request: Request): Request => ({
    ...request,
    body: body.replace(counted ?? '', () => String((number += 1))),
  });
  const setup = counted === undefined ? {} : { setupRequest: numbered };
  return (client) => {
    const own = paths.filter((_, index) => index % connections === clients);
    clients += 1;
    client.setRequests(own.map((path) => ({ path, ...setup })));
  };
}
