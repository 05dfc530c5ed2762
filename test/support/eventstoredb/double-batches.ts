// Streams.BatchAppend of the protocol double of EventStoreDB, for measuring the client with it. It proves nothing about the real server.
import { Buffer } from 'node:buffer';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { proposed } from './double-append.js';
import { type DoubleLog } from './double-log.js';

/** Each append in one message. A conflict ends the stream. */
export function batchService(log: DoubleLog) {
  return (call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>): void => {
    call.on('error', () => undefined);
    call.on('end', () => call.end());
    call.on('data', (request: BatchAppendReq) => {
      const options = request.getOptions()!;
      const identifier = options.getStreamIdentifier()!;
      const stream = Buffer.from(identifier.getStreamName_asU8()).toString();
      const expected = options.hasNoStream() ? -1 : Number(options.getStreamPosition());
      const outcome = log.append(stream, expected, request.getProposedMessagesList().map(proposed));
      if ('actual' in outcome) {
        call.emit('error', { code: status.UNIMPLEMENTED, details: 'Not in the double' });
        return;
      }
      const { revision, position } = outcome.last;
      const success = new streams.BatchAppendResp.Success().setCurrentRevision(String(revision));
      const at = new shared.AllStreamPosition()
        .setCommitPosition(String(position.commit))
        .setPreparePosition(String(position.prepare));
      const answer = new streams.BatchAppendResp().setSuccess(success.setPosition(at));
      call.write(answer.setCorrelationId(request.getCorrelationId()).setStreamIdentifier(identifier));
    });
  };
}
