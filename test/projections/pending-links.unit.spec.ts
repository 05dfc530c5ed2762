import { expect } from 'chai';
import { pendingLinks } from '../../projections/pending-links.js';
import { type ArtifactEvent, type ReverseLinks } from '../../src/artifacts/artifact-events.js';
import { type LinkSettlementEvent } from '../../src/artifacts/links/link-settlement-events.js';
import { linkCommandId, type PendingLinkView } from '../../src/artifacts/links/pending-links-view.js';
import { type Recorded } from '../../src/core/event-log.js';
import { type Effect } from '../../src/core/projection.js';
import { at } from '../stores/contracts/read-models-fixture.js';

type Happening = readonly [commandId: string, event: ArtifactEvent | LinkSettlementEvent];

const AT = '2026-03-01T12:00:00.000Z';
const ACTOR = 115;

/** What is pending after the events, by the id of the order. */
function after(...happenings: readonly Happening[]): readonly PendingLinkView[] {
  const documents = new Map<Effect['id'], ReturnType<Effect['evolve']>>();
  for (const [index, [commandId, event]] of happenings.entries()) {
    const metadata = { actor: ACTOR, at: AT, schema: 1, commandId };
    const recorded = {
      ...event,
      id: `e-${index}`,
      stream: 'artifact-7',
      revision: index,
      position: at(index + 1),
      metadata,
    };
    const effectsOf = pendingLinks.when[event.type] as ((recorded: Recorded) => readonly Effect[]) | undefined;
    for (const effect of effectsOf?.(recorded as Recorded) ?? []) {
      documents.set(
        effect.id,
        effect.evolve(documents.get(effect.id) ?? null, () => null),
      );
    }
  }
  return [...documents.values()].filter((document) => document !== null) as unknown as readonly PendingLinkView[];
}

const TARGET = 7;
const submitted = (reverseLinks?: ReverseLinks): ArtifactEvent => ({
  type: 'ArtifactSubmitted',
  data: { artifactId: TARGET, trackerId: 101, values: {}, ...(reverseLinks && { reverseLinks }) },
});
const changed = (artifactId: number, reverseLinks?: ReverseLinks): ArtifactEvent => ({
  type: 'ArtifactValuesChanged',
  data: { artifactId, trackerId: 101, values: {}, ...(reverseLinks && { reverseLinks }) },
});
const settled = (orderId: string): LinkSettlementEvent => ({ type: 'LinkOrderSettled', data: { orderId } });

const both: ReverseLinks = { add: [{ source: 8, type: '_is_child' }], remove: [9] };
const order = (source: number) => linkCommandId('c-1', source);

describe('the links that wait for their sources', () => {
  it('are none without links written from the target', () => {
    expect(after(['c-1', submitted()], ['c-2', changed(TARGET)])).to.deep.equal([]);
  });

  it('are one for each source, with author and time', () => {
    const common = { target: TARGET, actor: ACTOR, at: AT };
    const expected = [
      { id: order(8), source: 8, type: '_is_child', ...common },
      { id: order(9), source: 9, type: null, ...common },
    ];
    expect(after(['c-1', submitted(both)])).to.deep.equal(expected);
    expect(after(['c-0', submitted()], ['c-1', changed(TARGET, both)])).to.deep.equal(expected);
  });

  it('are over once their source has written them', () => {
    const pending = after(['c-1', submitted(both)], [order(8), changed(8)]);
    expect(pending.map(({ source }) => source)).to.deep.equal([9]);
  });

  it('are over once their source had nothing to write', () => {
    const pending = after(['c-1', submitted(both)], [order(9), settled(order(9))]);
    expect(pending.map(({ source }) => source)).to.deep.equal([8]);
  });

  it('stay for other commands at their sources', () => {
    expect(after(['c-1', submitted(both)], ['c-2', changed(8)], ['c-3', changed(9)])).to.have.length(2);
  });
});
