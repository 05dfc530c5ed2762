import { expect } from 'chai';
import { jsonBytes, MAX_EVENT_BYTES, RESERVED_BYTES } from '../../../src/core/bounds.js';
import { applied, EMPTY_PLATFORM } from './planned-platform.js';

const text = (name: string, length: number) =>
  ({ name, label: name, type: 'text', default: 'x'.repeat(length) }) as const;

/** Takes as many bytes more as its last default is longer. */
function planFor(length: number) {
  const fields = [...Array.from({ length: 15 }, (_, n) => text(`f${n}`, 65_000)), text('last', length)];
  const trackers = [{ item_name: 'bug', label: 'Bugs', fields }];
  return applied(EMPTY_PLATFORM, { projects: [{ shortname: 'p', label: 'P', trackers }] });
}

describe('a step of a plan', () => {
  it('has room for what is added as it is stored', () => {
    const define = planFor(1).steps.find(({ command }) => command.type === 'DefineTracker');
    const most = 1 + MAX_EVENT_BYTES - RESERVED_BYTES - jsonBytes(define?.command);
    expect(planFor(most).complaints).to.deep.equal([]);
    expect(planFor(most + 1).complaints).to.have.length(1);
  });
});
