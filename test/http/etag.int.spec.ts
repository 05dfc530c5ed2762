import { expect } from 'chai';
import { NO_STREAM } from '../../src/core/event-log.js';
import { precondition } from '../../src/http/etag.js';
import { toyRoute as route } from './toy-route.js';
import { toyApp, type Toy } from './toy-app.js';

const AT = '2026-01-01T00:00:10.700Z';

describe('precondition', () => {
  let toy: Toy;
  let current: { revision: number; lastModified: string | null };
  before(async () => {
    toy = await toyApp({
      routes: () => [
        route({
          method: 'GET',
          path: '/holds',
          access: 'public',
          summary: 'Whether the condition of the request holds.',
          handle({ ctx }) {
            ctx.body = { holds: precondition(ctx)(current) };
          },
        }),
      ],
    });
  });
  after(() => toy.close());
  beforeEach(() => {
    current = { revision: 5, lastModified: AT };
  });

  const holds = async (headers: Record<string, string>): Promise<boolean> => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const answer = await toy.raw(`GET /api/holds HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`);
    return answer.endsWith('{"holds":true}');
  };

  it('holds when there is none', async () => {
    expect(await holds({})).to.equal(true);
  });

  it('takes the tag quoted, bare, in a list, or as a star', async () => {
    for (const tag of ['"5"', '5', '"4", "5"', '4,5', '"a,b" , "5"', '*', ' * ']) {
      expect(await holds({ 'If-match': tag }), tag).to.equal(true);
    }
  });

  it('matches no weak, foreign or unreadable tag', async () => {
    for (const tag of [
      'W/"5"',
      'W/5',
      '"4"',
      '6',
      '"05"',
      '5.0',
      '"',
      '"5',
      '5"',
      '"5", "6',
      '"x,5,y"',
      '',
      '"*"',
      '-1',
      '"4", *',
    ]) {
      expect(await holds({ 'If-match': tag }), tag).to.equal(false);
    }
  });

  it('matches nothing that does not exist', async () => {
    current = { revision: NO_STREAM, lastModified: null };
    for (const tag of ['*', '-1', '"-1"']) expect(await holds({ 'If-match': tag })).to.equal(false);
    expect(await holds({ 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:10 GMT' })).to.equal(false);
    expect(await holds({ 'If-Unmodified-Since': 'garbage' })).to.equal(false);
  });

  it('compares dates to the second', async () => {
    expect(await holds({ 'If-Unmodified-Since': 'Thu, 01 Jan 2026 00:00:10 GMT' })).to.equal(true);
    for (const date of ['Thu, 01 Jan 2026 00:00:09 GMT', 'Thu, 01 Jan 2026 00:00:11 GMT', 'yesterday', '', '0']) {
      expect(await holds({ 'If-Unmodified-Since': date }), date).to.equal(false);
    }
  });

  it('holds only if both conditions hold when both are given', async () => {
    const date = 'Thu, 01 Jan 2026 00:00:10 GMT';
    expect(await holds({ 'If-match': '"5"', 'If-Unmodified-Since': date })).to.equal(true);
    expect(await holds({ 'If-match': '"4"', 'If-Unmodified-Since': date })).to.equal(false);
    expect(await holds({ 'If-match': '"5"', 'If-Unmodified-Since': 'yesterday' })).to.equal(false);
  });
});
