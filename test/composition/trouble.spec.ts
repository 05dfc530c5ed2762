import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { pino } from 'pino';
import { reports } from '../../src/composition/trouble.js';

describe('The log of projections in trouble', () => {
  it('names a lost lease also right after other trouble of the projection', () => {
    const lines: Record<string, unknown>[] = [];
    const stream = new PassThrough();
    stream.on('data', (line: Buffer) => lines.push(JSON.parse(String(line)) as Record<string, unknown>));
    const report = reports(pino(stream));
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
