// A protocol double: it speaks EventStoreDB's gRPC on 127.0.0.1 and keeps the rules that were read in the server's source. It proves nothing about the real server.
import { randomUUID } from 'node:crypto';
import { appendService } from './double-append.js';
import { batchService } from './double-batches.js';
import { type DoubleLog, doubleLog, json, type Placing } from './double-log.js';
import { type Access, HOST, node } from './double-node.js';
import { readService, type Tally } from './double-read.js';
import { type Faults } from './faults.js';

export interface Double {
  /** Of a double that speaks plain text and asks for no user. */
  readonly connectionString: string;
  readonly port: number;
  readonly log: DoubleLog;
  readonly faults: Faults;
  readonly tally: Readonly<Tally>;
  /** An event that another application, or the server itself, writes. */
  readonly foreign: (stream: string, type?: string, data?: unknown, contentType?: string) => void;
  /** The same, with data and metadata as they are given. */
  readonly planted: (stream: string, type: string, data: string, metadata: string) => void;
  /** Breaks every connection; nobody answers until `start`. */
  readonly stop: () => void;
  readonly start: () => Promise<void>;
}

export interface DoubleOptions extends Access {
  readonly maxAppendBytes?: number;
  /** As on a server that has just been set up, where nothing is said. */
  readonly placing?: Placing;
  /** Found through gossip, as a cluster is. */
  readonly cluster?: boolean;
  /** Takes the client's batches, which the log never sends. */
  readonly takesBatches?: boolean;
}

export async function eventStoreDouble(options: DoubleOptions = {}): Promise<Double> {
  const log = doubleLog(options.placing);
  const faults: Faults = {};
  const tally: Tally = { sent: 0, open: 0 };
  const own = await node({
    ...options,
    append: appendService(log, faults, options.maxAppendBytes ?? 1024 * 1024),
    read: readService(log, faults, tally),
    batchAppend: options.takesBatches === true ? batchService(log) : undefined,
    password: () => faults.password,
    members: () => (faults.leaderless === true ? [] : [{ host: HOST, port: own.port(), state: 'leader' }]),
  });
  const foreign: Double['foreign'] = (
    stream,
    type = 'Foreign',
    data = { foreign: true },
    contentType = 'application/json',
  ) => {
    log.append(stream, 'any', [{ id: randomUUID(), type, contentType, data: json(data), metadata: json({}) }]);
  };
  const planted: Double['planted'] = (stream, type, data, metadata) => {
    const proposal = {
      id: randomUUID(),
      type,
      contentType: 'application/json',
      data: json(data),
      metadata: json(metadata),
    };
    log.append(stream, 'any', [proposal]);
  };
  foreign('$stats-127.0.0.1:2113', '$statsCollected');

  const port = own.port();
  const host = `${HOST}:${port}`;
  return {
    port,
    connectionString:
      options.cluster === true
        ? `esdb://${host},${host}?tls=false&maxDiscoverAttempts=2&discoveryInterval=20`
        : `esdb://${host}?tls=false`,
    log,
    faults,
    tally,
    foreign,
    planted,
    stop: own.stop,
    start: own.start,
  };
}
