import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { pino, type Logger } from 'pino';
import { type StreamName } from '../../src/core/event-log.js';
import { noticeLog, retryLog } from '../../src/composition/rate-limited-log.js';
import { Denied, IdleTimeout, StreamLost } from '../../src/stores/eventstoredb/errors.js';

interface Kept {
  readonly logger: Logger;
  readonly lines: Record<string, unknown>[];
}

function kept(): Kept {
  const lines: Record<string, unknown>[] = [];
  const stream = new PassThrough();
  stream.on('data', (line: Buffer) => lines.push(JSON.parse(String(line)) as Record<string, unknown>));
  return { logger: pino(stream), lines };
}

describe('The log of projections in trouble', () => {
  it('names a lost lease also right after other trouble of the projection', () => {
    const { logger, lines } = kept();
    const report = noticeLog(logger);
    const of = { projection: 'files', retryInMs: 100 };
    report({ type: 'troubled', ...of, reason: 'the server is silent' });
    report({ type: 'troubled', ...of, reason: 'the server is silent' });
    report({ type: 'lost', projection: 'files', reason: 'The lease of files is lost' });
    expect(lines.map(({ projection, reason }) => [projection, reason])).to.deep.equal([
      ['files', 'the server is silent'],
      ['files', 'The lease of files is lost'],
    ]);
  });
});

describe('The log of servers in trouble', () => {
  it('has an error, once, for each thing that only an operator can mend, also right after other trouble', () => {
    const { logger, lines } = kept();
    const trouble = retryLog(logger)('EventStoreDB');
    const lost = (stream: StreamName): StreamLost => new StreamLost(stream, 'it was deleted');
    for (const error of [
      new IdleTimeout('no answer'),
      new Denied('another password'),
      lost('file-1'),
      lost('file-2'),
    ]) {
      trouble(error, 50);
      trouble(error, 50);
    }
    const [passing, ...others] = lines;
    expect(passing).to.include({ level: 40, reason: 'no answer', msg: 'server unavailable, retrying' });
    for (const line of others) {
      expect(line).to.include({
        level: 50,
        server: 'EventStoreDB',
        msg: 'server rejects the service, operator action required',
      });
    }
    expect(others[0]).to.have.property('reason', 'another password');
    expect(others.slice(1).map(({ reason }) => /file-\d/.exec(String(reason))?.[0])).to.deep.equal([
      'file-1',
      'file-2',
    ]);
  });
});
