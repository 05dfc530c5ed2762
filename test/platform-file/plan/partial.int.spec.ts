import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import { exportedPlatform } from '../../../src/platform-file/export/export.js';
import { exportedText } from '../../../src/platform-file/export/exported-text.js';
import { parsePlatformFile } from '../../../src/platform-file/format/platform-file.js';
import { expectedAfter } from './partial-model.js';
import { platformFile } from '../platform-arbitraries.js';
import { applied, definitionsIn, EMPTY_PLATFORM, type PlannedPlatform } from './planned-platform.js';
import { whole } from '../../support/whole.js';

const RUNS = { numRuns: 30 };

const exported = (platform: PlannedPlatform): string => exportedText(whole(exportedPlatform(definitionsIn(platform))));

/** A platform, and a file that can be applied to it. */
const given = (isPruned: boolean) =>
  fc
    .record({
      whole: platformFile('whole'),
      second: platformFile('partial'),
      partial: platformFile('partial'),
      prune: fc.boolean(),
    })
    .map(({ whole, second, partial, prune }) => {
      const first = applied(EMPTY_PLATFORM, whole);
      expect(first.complaints).to.deep.equal([]);
      const { after: before } = applied(first.after, second, { prune: isPruned && prune, force: true });
      return { before, partial, prune };
    })
    .filter(({ before, partial, prune }) => applied(before, partial, { prune, force: true }).complaints.length === 0);

const KEYS: readonly string[] = ['username', 'shortname', 'item_name', 'short_name', 'name'];

/** Lists of what has a key, in the order of the keys; what administers a tracker, by name. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.map(inOrder);
    return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOrder(inner)]));
}

function keyOf(item: unknown): string {
  if (typeof item === 'string') return item;
  const key = typeof item === 'object' && item !== null && Object.entries(item).find(([name]) => KEYS.includes(name));
  return key ? String(key[1]) : '';
}

describe('a partial platform file', () => {
  it('leaves each member that it does not name as it is, and sets back those that are null', () => {
    fc.assert(
      // Exports do not show the fields that were pruned, which come back as they were.
      fc.property(given(false), ({ before, partial, prune }) => {
        const { after } = applied(before, partial, { prune, force: true });
        const expected = expectedAfter(parse(exported(before)), partial, prune);
        expect(inOrder(parse(exported(after)))).to.deep.equal(inOrder(expected));
      }),
      RUNS,
    );
  });
  it('changes nothing when applied again', () => {
    fc.assert(
      fc.property(given(true), ({ before, partial, prune }) => {
        const { after } = applied(before, partial, { prune, force: true });
        expect(applied(after, partial, { prune, force: true }).steps).to.deep.equal([]);
      }),
      RUNS,
    );
  });
  it('changes nothing when it is what the platform exports', () => {
    fc.assert(
      fc.property(given(true), ({ before, prune }) => {
        const again = applied(before, parsePlatformFile(exported(before)).file, { prune });
        expect(again.complaints).to.deep.equal([]);
        expect(again.steps).to.deep.equal([]);
      }),
      RUNS,
    );
  });
});
