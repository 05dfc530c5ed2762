import { expect } from 'chai';
import fc from 'fast-check';
import { element, textElement, xmlTexts, type Xml } from '../../../src/artifacts/archive/xml.js';
import { readXml } from './archive-schema.js';

const NASTY = [
  'plain',
  '<a href="x">&amp; &lt; ]]> \'"',
  'line\nline\r\nline\rtab\t end ',
  '\u0000\u0001\u0008\u000b\u001f\u007f\u0085\u2028\ufffe\uffff',
  'half of a pair: \ud83d, the other: \ude00, both: \u{1F600}',
  'byte order mark \ufeff',
  '   ',
  '',
];

describe('XML of an archive', () => {
  const xmlText = async (root: Xml): Promise<string> => {
    const pieces: string[] = [];
    for await (const piece of xmlTexts(root)) pieces.push(piece);
    return pieces.join('');
  };
  const read = async (text: string) =>
    readXml(await xmlText(element('r', {}, [textElement('t', {}, text)]))).children[0]!;

  it('gives every text back as it was', async () => {
    for (const text of NASTY) expect((await read(text)).text).to.equal(text);
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        async (text) => {
          // The reader takes a byte order mark at the very start for one.
          expect((await read(`x${text}`)).text).to.equal(`x${text}`);
        },
      ),
    );
  });

  it('marks each text with characters that XML cannot hold', async () => {
    expect((await read('fine \r\n')).attributes).to.deep.equal({});
    expect((await read('bell \u0007')).attributes).to.have.keys('exact');
    expect(await xmlText(textElement('t', {}, 'bell \u0007'))).to.include('>bell \ufffd<');
  });

  it('writes attributes of every kind, and leaves out those not given', async () => {
    const attributes = { a: 'x\n"<&>\u0001', b: 5, c: true, d: [1, 2], e: [], f: null, g: undefined };
    expect(readXml(await xmlText(element('r', attributes))).attributes).to.deep.equal({
      a: 'x\n"<&>\ufffd',
      b: '5',
      c: 'true',
      d: '1 2',
      e: '',
    });
  });

  it('is the same bytes for the same data', async () => {
    const document = () => xmlText(element('r', { id: 1 }, [element('s'), textElement('t', {}, 'x')]));
    expect(await document()).to.equal(await document());
    expect(await document()).to.equal('<?xml version="1.0" encoding="UTF-8"?>\n<r id="1">\n  <s/>\n  <t>x</t>\n</r>\n');
  });
});
