import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Position } from '../../../../src/core/event-log.js';
import { hurried, paced, paceOf } from '../../../../src/stores/sqlite/event-log/pace.js';

const position = (n: number): Position => n.toString(16).padStart(16, '0') as Position;

/** Longer than the machine pauses. */
const PAUSE_MS = 500;

function scene() {
  const published: string[] = [];
  const unhurried = hurried();
  const { told, goOn } = paced((end) => published.push(end), unhurried);
  const { ease, hurry } = paceOf(unhurried, goOn);
  return { published, told, ease: () => ease(PAUSE_MS), hurry };
}

describe('the pace of those that follow the log', () => {
  it('is that of the commits while nobody has said that nobody waits', () => {
    const { published, told } = scene();
    for (const n of [1, 2, 3]) told(position(n));
    expect(published).to.deep.equal([1, 2, 3].map(position));
  });

  it('is slower where nobody waits: the first commit at once, later ones together after a pause', async () => {
    const { published, told, ease } = scene();
    expect(ease()).to.equal(true);
    for (const n of [1, 2, 3]) told(position(n));
    expect(published).to.deep.equal([position(1)]);
    while (published.length < 2) await pause(5);
    expect(published).to.deep.equal([1, 3].map(position));
  });

  it('ends a pause at once for somebody who waits, and has none again for a while', () => {
    const { published, told, ease, hurry } = scene();
    ease();
    for (const n of [1, 2]) told(position(n));
    hurry();
    expect(published).to.deep.equal([1, 2].map(position));
    expect(ease()).to.equal(false);
    for (const n of [3, 4]) told(position(n));
    expect(published).to.deep.equal([1, 2, 3, 4].map(position));
  });

  it('is slower again once nobody has waited for a while', async () => {
    const { published, told, ease, hurry } = scene();
    hurry();
    await pause(110);
    expect(ease()).to.equal(true);
    for (const n of [1, 2]) told(position(n));
    expect(published).to.deep.equal([position(1)]);
  });
});
