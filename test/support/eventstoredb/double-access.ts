// Whom a node of the protocol double of EventStoreDB lets in. It proves nothing about the real server.
import { Buffer } from 'node:buffer';
import { Metadata, ServerInterceptingCall, status, type ServerInterceptor, type StatusObject } from '@grpc/grpc-js';
import { denial, failure, refusal } from './faults.js';

export interface User {
  readonly name: string;
  readonly password: string;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Only user names and passwords that are wrong are refused everywhere. */
const STREAMS = /^\/event_store\.client\.streams\./;

/** As the server's middleware: wrong credentials are refused before anything else is looked at, none later. */
export function onlyFor(user: () => User): ServerInterceptor {
  return refusing((path, metadata) => {
    const { name, password } = user();
    const right = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
    const given = metadata.get('authorization');
    if (given.length > 0) return given[0] === right ? undefined : UNAUTHENTICATED;
    return STREAMS.test(path) ? denial() : undefined;
  });
}

export type Leader = Endpoint | 'itself' | 'nobody';

/** Calls that ask for the leader are told who it is; others a follower answers, or forwards. */
export function sendingToLeader(leader: () => Leader): ServerInterceptor {
  return refusing((path, metadata) => {
    if (!STREAMS.test(path) || metadata.get('requires-leader')[0] !== 'true') return undefined;
    const now = leader();
    if (now === 'nobody') return failure('unavailable');
    return now === 'itself' ? undefined : notLeader(now);
  });
}

const UNAUTHENTICATED = { code: status.UNAUTHENTICATED, details: 'Unauthenticated', metadata: new Metadata() };

function notLeader({ host, port }: Endpoint): StatusObject {
  const facts = { 'leader-endpoint-host': host, 'leader-endpoint-port': String(port) };
  return { ...refusal('not-leader', facts), code: status.NOT_FOUND, details: 'Leader info available' };
}

function refusing(judge: (path: string, metadata: Metadata) => StatusObject | undefined): ServerInterceptor {
  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, pass) => {
            const refused = judge(path, metadata);
            if (refused === undefined) pass(metadata);
            else call.sendStatus(refused);
          },
        });
      },
    });
}
