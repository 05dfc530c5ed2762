import { expect } from 'chai';
import fc from 'fast-check';
import { element, textElement, xmlText } from '../../../src/artifacts/archive/xml.js';
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
  const read = (text: string) => readXml(xmlText(element('r', {}, [textElement('t', {}, text)]))).children[0]!;

  it('gives every text back as it was', () => {
    for (const text of NASTY) expect(read(text).text).to.equal(text);
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
        (text) => {
          // The reader takes a byte order mark at the very start for one.
          expect(read(`x${text}`).text).to.equal(`x${text}`);
        },
      ),
    );
  });

  it('says where a text could not be written as it is', () => {
    expect(read('fine \r\n').attributes).to.deep.equal({});
    expect(read('bell \u0007').attributes).to.have.keys('exact');
    expect(xmlText(textElement('t', {}, 'bell \u0007'))).to.include('>bell \ufffd<');
  });

  it('writes attributes of every kind, and leaves out those not given', () => {
    const attributes = { a: 'x\n"<&>\u0001', b: 5, c: true, d: [1, 2], e: [], f: null, g: undefined };
    expect(readXml(xmlText(element('r', attributes))).attributes).to.deep.equal({
      a: 'x\n"<&>\ufffd',
      b: '5',
      c: 'true',
      d: '1 2',
      e: '',
    });
  });

  it('is the same bytes for the same data', () => {
    const document = () => xmlText(element('r', { id: 1 }, [element('s'), textElement('t', {}, 'x')]));
    expect(document()).to.equal(document());
    expect(document()).to.equal('<?xml version="1.0" encoding="UTF-8"?>\n<r id="1">\n  <s/>\n  <t>x</t>\n</r>\n');
  });
});
