// Streams.Append of the protocol double of EventStoreDB. It proves nothing about the real server.
import { Buffer } from 'node:buffer';
import { type sendUnaryData, type ServerReadableStream } from '@grpc/grpc-js';
import type { AppendReq, AppendResp, BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { type DoubleLog, type Expected, type Outcome, type Proposal } from './double-log.js';
import { type AppendFault, denial, failure, type Faults, refusal, tombstoned } from './faults.js';

type Answer = sendUnaryData<AppendResp>;

const LATE_MS = 50;

interface Asked {
  stream: string;
  expected: Expected;
  size: number;
  readonly proposals: Proposal[];
}

export function appendService(log: DoubleLog, faults: Faults, maxAppendBytes: number) {
  return (call: ServerReadableStream<AppendReq, AppendResp>, answer: Answer): void => {
    const asked: Asked = { stream: '', expected: 'any', size: 0, proposals: [] };
    call.on('data', (request: AppendReq) => {
      take(asked, request);
    });
    call.on('error', () => undefined);
    call.on('end', () => {
      setImmediate(() => {
        // What was cut off ends, too, and is no append: it may lack events.
        if (!call.cancelled) decide();
      });
    });
    const decide = () => {
      const { stream, expected, size, proposals } = asked;
      const fault = faults.append?.(stream);
      if (log.stateOf(stream) === 'tombstoned') {
        answer(tombstoned(stream));
      } else if (size > maxAppendBytes) {
        answer(refusal('maximum-append-size-exceeded', { 'maximum-append-size': String(maxAppendBytes) }));
      } else if (fault === undefined) {
        answer(null, answered(log.append(stream, expected, proposals), true));
      } else {
        const outcome = fault.written ? log.append(stream, expected, proposals) : undefined;
        answerWrongly(fault, outcome ?? { actual: log.of(stream).length - 1 }, answer);
      }
    };
  };
}

function take(asked: Asked, request: AppendReq): void {
  const options = request.getOptions();
  const message = request.getProposedMessage();
  if (options !== undefined) {
    asked.stream = Buffer.from(options.getStreamIdentifier()!.getStreamName_asU8()).toString();
    if (options.hasNoStream()) asked.expected = -1;
    if (options.hasRevision()) asked.expected = Number(options.getRevision());
  }
  if (message !== undefined) {
    const proposal = proposed(message);
    asked.size += proposal.data.length + proposal.metadata.length + 2 * proposal.type.length;
    asked.proposals.push(proposal);
  }
}

export function proposed(message: AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage): Proposal {
  return {
    id: message.getId()!.getString(),
    type: message.getMetadataMap().get('type')!,
    contentType: message.getMetadataMap().get('content-type')!,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

function answerWrongly({ then }: AppendFault, outcome: Outcome, answer: Answer): void {
  if (then === 'silence') return;
  if (then === 'late') {
    setTimeout(() => {
      answer(null, answered(outcome, true));
    }, LATE_MS);
  } else if (then === 'conflict') {
    answer(null, answered({ actual: 'last' in outcome ? outcome.last.revision : outcome.actual }, true));
  } else if (then === 'no-position') answer(null, answered(outcome, false));
  else if (then === 'denied') answer(denial());
  else answer(failure(then));
}

function answered(outcome: Outcome, withPosition: boolean): AppendResp {
  const response = new streams.AppendResp();
  if ('actual' in outcome) {
    const conflict = new streams.AppendResp.WrongExpectedVersion();
    if (outcome.actual < 0) conflict.setCurrentNoStream(new shared.Empty());
    else conflict.setCurrentRevision(String(outcome.actual));
    return response.setWrongExpectedVersion(conflict);
  }
  const { revision, position } = outcome.last;
  const success = new streams.AppendResp.Success().setCurrentRevision(String(revision));
  if (withPosition) {
    const at = new streams.AppendResp.Position()
      .setCommitPosition(String(position.commit))
      .setPreparePosition(String(position.prepare));
    success.setPosition(at);
  } else {
    success.setNoPosition(new shared.Empty());
  }
  return response.setSuccess(success);
}
