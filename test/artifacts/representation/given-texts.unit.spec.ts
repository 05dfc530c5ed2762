import { expect } from 'chai';
import { digestOf, givenTexts } from '../../../src/artifacts/representation/given-texts.js';

describe('texts that were given with an Etag', () => {
  const STARTED = Date.parse('2026-01-01T00:00:00Z');
  const HELD = 2;

  /** Whether a text is known to be the only one that was given; `changed`: seconds after the start. */
  function noting() {
    let now = STARTED;
    const note = givenTexts(() => new Date(now), HELD);
    now += 5000;
    const given = (name: string, revision: number, text: string, changed = 1): boolean => {
      const lastModified = new Date(STARTED + 1000 * changed).toISOString();
      return note(name, { revision, lastModified, digest: digestOf(text) });
    };
    const clockIs = (seconds: number): void => {
      now = STARTED + 1000 * seconds;
    };
    return { given, clockIs };
  }

  it('are known from the second time on', () => {
    const { given } = noting();
    expect([given('a', 0, 'text'), given('a', 0, 'text'), given('a', 0, 'text')]).to.deep.equal([false, true, true]);
  });

  it('are not known under another name, or with another revision', () => {
    const { given } = noting();
    given('a', 0, 'text');
    expect([given('b', 0, 'text'), given('a', 1, 'text'), given('a', 0, 'text')]).to.deep.equal([false, false, false]);
    expect(given('a', 1, 'text')).to.equal(true);
  });

  it('are never known again once another text was given with the revision', () => {
    const { given } = noting();
    for (const text of ['text', 'other', 'other', 'text']) expect(given('a', 0, text), text).to.equal(false);
    given('a', 1, 'text');
    expect(given('a', 1, 'text')).to.equal(true);
  });

  it('are not known of a revision from before the start', () => {
    const { given } = noting();
    for (const changed of [-1, 0]) {
      given(`a ${changed}`, 0, 'text', changed);
      expect(given(`a ${changed}`, 0, 'text', changed)).to.equal(false);
    }
  });

  it('are not known of a revision that is later than now', () => {
    const { given, clockIs } = noting();
    clockIs(10);
    given('a', 0, 'text', 11);
    clockIs(12);
    expect(given('a', 0, 'text', 11)).to.equal(false);
    given('a', 1, 'text', 12);
    expect(given('a', 1, 'text', 12)).to.equal(true);
  });

  it('are not known of a revision from before the last text that was forgotten', () => {
    const { given, clockIs } = noting();
    given('a', 0, 'text', 1);
    given('b', 0, 'text', 1);
    clockIs(10);
    given('c', 0, 'text', 10);
    expect(given('b', 0, 'text', 1)).to.equal(true);
    // Another text may have been given with it.
    expect([given('a', 0, 'other', 1), given('a', 0, 'other', 1)]).to.deep.equal([false, false]);
    clockIs(11);
    given('d', 0, 'text', 11);
    expect(given('d', 0, 'text', 11)).to.equal(true);
  });

  it('are not known where they are too long to be compared', () => {
    const { given } = noting();
    const long = 'x'.repeat(1_048_577);
    for (const text of [long, long, 'text', 'text']) expect(given('a', 0, text)).to.equal(false);
  });
});
