/** docs/limits.md as specs read it, and how they try what it says. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { type Position } from '../../../src/core/event-log.js';
import { type Answer } from '../../support/client.js';
import { type RunningService } from '../../support/service.js';

const DOCUMENT = new URL('../../../docs/limits.md', import.meta.url);

export interface Limit {
  readonly name: string;
  readonly bound: number;
  readonly status: number;
}

/** The rows of the table below a heading. */
export function limitsOf(heading: string): readonly Limit[] {
  const sections = readFileSync(DOCUMENT, 'utf8').split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const rows = section.matchAll(/^\| ([^|]+) \| ([\d,]+) [a-z]+ \| [^|]+ \| (\d+) \| .* \|$/gm);
  return [...rows].map(([, name = '', bound = '', status]) => ({
    name,
    bound: Number(bound.replaceAll(',', '')),
    status: Number(status),
  }));
}

/** One route on which a limit holds. */
export interface Try {
  readonly route: string;
  /** Makes all ready for a request of this size; sends it when called. First for the bound, then for one more. */
  readonly prepare: (size: number) => (() => Promise<Answer>) | Promise<() => Promise<Answer>>;
}

type Tries = Readonly<Record<string, readonly Try[]>>;

/** Registers a spec for each route of each limit, and one that the document and the spec name the same limits. */
export function itKeepsTheLimits(
  heading: string,
  api: () => RunningService,
  tries: () => Tries,
  limits = limitsOf(heading),
): void {
  it('are those of the document', () => {
    expect(limits.map(({ name }) => name)).to.have.members(Object.keys(tries()));
    expect(limits).not.to.deep.equal([]);
  });

  for (const { name, bound, status } of limits) {
    it(`let ${name} have ${bound}, and answer ${status} to one more, of which nothing is stored`, async () => {
      const routes = tries()[name] ?? [];
      expect(routes).not.to.deep.equal([]);
      for (const { route, prepare } of routes) {
        const accepted = await (await prepare(bound))();
        expect(accepted.status, `${route}: ${JSON.stringify(accepted.body)}`).to.be.within(200, 299);

        const send = await prepare(bound + 1);
        const before = await api().service.log.end();
        const { status: answered, body } = await send();
        expect(answered, route).to.equal(status);
        expect(messagesIn(body), route).to.match(new RegExp(`\\b${bound}\\b`));
        expect(await typesSince(api(), before), route).to.deep.equal([]);
      }
    });
  }
}

function messagesIn(body: unknown): string {
  const { error } = body as { error: { message: string; details?: readonly { message: string }[] } };
  return [error.message, ...(error.details ?? []).map(({ message }) => message)].join('\n');
}

/** Ids are handed out ahead, and are no trace of a request. */
export async function typesSince({ service }: RunningService, after: Position | null): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { events } of service.log.readAll(after, ['IdsReserved']))
    types.push(...events.map(({ type }) => type));
  return types;
}
