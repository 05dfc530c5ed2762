import { expect } from 'chai';
import { meaning } from '../../../src/artifacts/representation/artifact-representation.js';
import { plainTitles } from '../../../src/artifacts/representation/rendered-texts.js';
import { type TextRendering } from '../../../src/artifacts/rendering/text-rendering.js';
import { viewer } from '../../../src/authorization/viewer.js';
import { PROJECT_ADMINS } from '../../../src/projects/project-events.js';
import { type FieldValues, type TextFormat } from '../../../src/trackers/field-types/field-value.js';
import { artifactOf, definitionsOf, fieldOf, trackerOf } from '../../support/definitions.js';
import { htmlAtOnce } from '../fields/html-at-once.js';
import { ALICE, BOB, PLACE } from '../fields/setting.js';

const fields = [
  fieldOf(5, 'string'),
  fieldOf(6, 'string', { permissions: { read: [PROJECT_ADMINS], submit: null, update: null } }),
  fieldOf(1, 'text'),
  fieldOf(2, 'text'),
  fieldOf(3, 'tbl', { bind: 'users' }),
  fieldOf(4, 'msb', { bind: 'users' }),
];
const trackerWith = (title: number, contributor: number) => trackerOf(fields, { semantics: { title, contributor } });
const tracker = trackerWith(1, 3);
const values = {
  1: { text: '# *One* &amp; 1', format: 'commonmark' as const },
  2: { text: '<b>two</b>', format: 'html' as const },
  3: [{ bound: BOB.id }, { open: 1, label: 'x' }, { bound: ALICE.id }, { bound: 999 }],
  4: [ALICE.id, BOB.id],
};
const artifact = artifactOf(220, { values });
const definitions = definitionsOf({ ...PLACE, trackers: [tracker] });
const texts: TextRendering = { htmlOf: () => Promise.resolve(htmlAtOnce), close: () => Promise.resolve() };
const reading = { definitions, viewer: viewer(definitions, BOB), texts };

describe('The title of an artifact', () => {
  const titleOf = async (text: string, format: TextFormat) => {
    const titled = artifactOf(220, { values: { 1: { text, format } } });
    const plainOf = await plainTitles([titled], reading);
    return meaning(titled, tracker, { ...reading, plainOf }).title;
  };

  it('is the text of its HTML or Markdown, and a plain text as it was written', async () => {
    expect(await titleOf('<p>a</p>\n<p>b &lt;</p> ', 'html')).to.equal('a\nb <');
    expect(await titleOf('# a *b*\n\nc', 'commonmark')).to.equal('a b\nc');
    expect(await titleOf(' <p>a</p>', 'text')).to.equal(' <p>a</p>');
  });

  it('is empty if the field is, and null without a field that the reader may read', async () => {
    const title = async (values: FieldValues, field: number | undefined) => {
      const titled = artifactOf(220, { values });
      const semantics = field === undefined ? {} : { title: field };
      const plainOf = await plainTitles([titled], reading);
      return meaning(titled, trackerOf(fields, { semantics }), { ...reading, plainOf }).title;
    };
    for (const field of [1, 5]) {
      expect([await title({}, field), await title({ [field]: null }, field)]).to.deep.equal(['', '']);
    }
    expect(await title({ 5: 'a' }, 5)).to.equal('a');
    expect([await title({ 6: 'a' }, 6), await title({ 5: 'a' }, undefined)]).to.deep.equal([null, null]);
  });

  it('is its source, this once, if the text became the title while titles were rendered', async () => {
    let now = definitions;
    const plainOf = await plainTitles([artifact], {
      ...reading,
      definitions: {
        ...definitions,
        get generation() {
          return now.generation;
        },
      },
      texts: {
        ...texts,
        htmlOf: () => {
          now = { ...definitions, generation: '1' };
          return Promise.resolve(htmlAtOnce);
        },
      },
    });
    expect(plainOf.isPassing).to.equal(true);
    expect(meaning(artifact, trackerWith(2, 3), { ...reading, plainOf }).title).to.equal('<b>two</b>');
    expect((await plainTitles([artifact], reading)).isPassing).to.equal(false);
  });
});

describe('The assignees of an artifact', () => {
  it('are the known users of a list or an open list, in its order', async () => {
    const plainOf = await plainTitles([artifact], reading);
    const of = (contributor: number) =>
      meaning(artifact, trackerWith(1, contributor), { ...reading, plainOf }).assignees.map((user) =>
        'id' in user ? user.id : null,
      );
    expect(of(3)).to.deep.equal([BOB.id, ALICE.id]);
    expect(of(4)).to.deep.equal([ALICE.id, BOB.id]);
    expect(of(1)).to.deep.equal([]);
  });
});
