import { expect } from 'chai';
import { linkTargets, type LinkWish } from '../../../src/artifacts/fields/links.js';
import { artifactOf, fieldOf, trackerOf } from '../../support/definitions.js';
import { ARTIFACT_ID, parsed, PLACE, pointers, read, refusal, UNRELATED } from './setting.js';

const links = fieldOf(513, 'art_link', { label: 'Links' });

function wish(submitted: Record<string, unknown>): LinkWish {
  const { input, ...asked } = parsed(links, submitted, []).links.get(513)!;
  expect(input).to.deep.equal({ field_id: 513, ...submitted });
  return asked;
}

describe('A link field', () => {
  it('takes all links of the artifact', () => {
    const submitted = {
      links: [{ id: 9, type: '_is_child' }, { id: '10', type: 'fixed_in' }, { id: 11 }, { id: 12, type: 5 }],
    };
    const forward = [
      { id: 9, type: '_is_child' },
      { id: 10, type: 'fixed_in' },
      { id: 11, type: '' },
      { id: 12, type: '' },
    ];
    expect(wish(submitted)).to.deep.equal({ forward });
    expect(parsed(links, submitted).values).to.deep.equal({ 513: forward });
    expect(wish({ links: [] })).to.deep.equal({ forward: [] });
  });

  it('takes a parent, alone or besides links', () => {
    expect(wish({ parent: { id: '9' } })).to.deep.equal({ parent: 9 });
    expect(wish({ parent: { id: 9 }, links: [{ id: 10 }] })).to.deep.equal({
      forward: [{ id: 10, type: '' }],
      parent: 9,
    });
    expect(parsed(links, { parent: { id: 9 } }).values).to.deep.equal({});
  });

  it('takes the links of both directions', () => {
    const all_links = [
      { id: 9, direction: 'forward', type: '' },
      { id: 9, direction: 'reverse', type: '_is_child' },
      { id: 10, direction: 'reverse' },
    ];
    expect(wish({ all_links })).to.deep.equal({
      forward: [{ id: 9, type: '' }],
      reverse: [
        { id: 9, type: '_is_child' },
        { id: 10, type: '' },
      ],
    });
    expect(wish({ all_links: [] })).to.deep.equal({ forward: [], reverse: [] });
  });

  it('links an artifact once, as its last mention says', () => {
    expect(wish({ links: [{ id: 9 }, { id: 10 }, { id: 9, type: 'fixed_in' }] })).to.deep.equal({
      forward: [
        { id: 9, type: 'fixed_in' },
        { id: 10, type: '' },
      ],
    });
  });

  it('names every other end once', () => {
    const both = {
      forward: [{ id: 9, type: '' }],
      reverse: [
        { id: 9, type: '' },
        { id: 10, type: '' },
      ],
    };
    expect(linkTargets(both)).to.deep.equal([9, 10]);
    expect(linkTargets({ parent: 11 })).to.deep.equal([11]);
    expect(linkTargets({})).to.deep.equal([]);
  });

  it('takes both directions or the parts, never both', () => {
    expect(pointers(refusal(links, { all_links: [], links: [] }))).to.deep.equal(['/all_links']);
    expect(pointers(refusal(links, { all_links: [], parent: { id: 9 } }))).to.deep.equal(['/all_links']);
    expect(pointers(refusal(links, {}))).to.deep.equal(['']);
    expect(pointers(refusal(links, { links: null, parent: null, all_links: null }))).to.deep.equal(['']);
  });

  it('refuses links without an id, to the artifact itself, and of unknown types', () => {
    const submitted = [{}, { id: 'x' }, { id: 0 }, { id: ARTIFACT_ID }, { id: 9, type: 'cures' }, 9, null];
    const places = [
      '/links/0/id',
      '/links/1/id',
      '/links/2/id',
      '/links/3/id',
      '/links/4/type',
      '/links/5',
      '/links/6',
    ];
    expect(pointers(refusal(links, { links: submitted }, []))).to.deep.equal(places);
    expect(refusal(links, { links: [{ id: 9, type: 'cures' }] })[0]?.message).to.equal(
      'Links: does not know the link type "cures"',
    );
  });

  it('refuses parents and directions that make no sense', () => {
    expect(pointers(refusal(links, { parent: 9 }))).to.deep.equal(['/parent']);
    expect(pointers(refusal(links, { parent: {} }))).to.deep.equal(['/parent/id']);
    expect(pointers(refusal(links, { parent: { id: ARTIFACT_ID } }, []))).to.deep.equal(['/parent/id']);
    expect(pointers(refusal(links, { links: 5 }))).to.deep.equal(['/links']);
    expect(pointers(refusal(links, { all_links: {} }))).to.deep.equal(['/all_links']);
    const all_links = [{ id: 9 }, { id: 9, direction: 'up' }, { direction: 'forward' }];
    expect(pointers(refusal(links, { all_links }))).to.deep.equal([
      '/all_links/0/direction',
      '/all_links/1/direction',
      '/all_links/2/id',
    ]);
  });

  it('is read even when it holds nothing', () => {
    expect(read(links, undefined)).to.deep.equal({
      field_id: 513,
      type: 'art_link',
      label: 'Links',
      links: [],
      reverse_links: [],
    });
  });

  it('is read with the ends that the reader sees, from both sides', () => {
    const target = artifactOf(9);
    const lost = artifactOf(10, { trackerId: 999 });
    const related = {
      ...UNRELATED,
      linked: (id: number) => [target, lost].find((artifact) => artifact.id === id),
      reverseLinks: (id: number) => (id === ARTIFACT_ID ? [{ source: artifactOf(12), type: '_is_child' }] : []),
    };
    const held = [9, 10, 11].map((id) => ({ id, type: 'fixed_in' }));
    const tracker = {
      id: 101,
      uri: 'trackers/101',
      label: 'Bugs',
      color: 'fiesta-red',
      project: { id: 110, uri: 'projects/110', label: 'Project 110', icon: '' },
    };
    expect(read(links, held, { related })).to.deep.include({
      links: [{ id: 9, uri: 'artifacts/9', tracker, type: 'fixed_in' }],
      reverse_links: [{ id: 12, uri: 'artifacts/12', tracker, type: '_is_child' }],
    });
    expect(read(links, held, { related: UNRELATED, given: { ...PLACE, trackers: [trackerOf([])] } })).to.include.keys(
      'links',
    );
  });
});
