import { expect } from 'chai';
import { decodeHTML } from 'entities';
import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';
import { escapeHtml } from '../../../src/core/text/escape-html.js';
import { escaped } from '../../../src/artifacts/rendering/escaped.js';
import { htmlOf } from '../../../src/artifacts/rendering/html-of.js';
import { MAX_TEXT_BYTES } from '../../../src/core/bounds.js';
import { BEYOND, WITHIN } from './costly-texts.js';

const markdown = new MarkdownIt({ html: false, linkify: false });
const unbounded = {
  commonmark: (text: string) => markdown.render(text),
  html: (text: string) => sanitizeHtml(text, { allowedTags: sanitizeHtml.defaults.allowedTags.concat('img', 'del') }),
};

describe('The HTML of a text', () => {
  for (const format of ['commonmark', 'html'] as const) {
    for (const [kind, text] of Object.entries(BEYOND[format])) {
      it(`is the ${format} text escaped for ${kind}, each time`, () => {
        expect(htmlOf({ format, text }) === escapeHtml(text)).to.equal(true);
        expect(htmlOf({ format, text }) === escapeHtml(text)).to.equal(true);
      });
    }

    it(`is that of the library for long ${format} texts within the bounds`, () => {
      for (const text of WITHIN[format]) {
        expect(htmlOf({ format, text }) === unbounded[format](text), text.slice(0, 30)).to.equal(true);
      }
    });
  }

  it('is counted for each text by itself', () => {
    const [text] = WITHIN.commonmark;
    for (let time = 0; time < 5; time += 1) expect(htmlOf({ format: 'commonmark', text })).to.match(/^<ul>\n<li>/);
  });

  it('shows the lines of a plain text, and of no other, with line breaks', () => {
    const text = 'a\r\nb\rc\n\nd <br>&\n';
    const html = 'a<br />\nb<br />\nc<br />\n<br />\nd &lt;br&gt;&amp;<br />\n';
    expect(htmlOf({ format: 'text', text })).to.equal(html);
    expect(escaped({ format: 'commonmark', text })).to.equal(escapeHtml(text));
    expect(htmlOf({ format: 'commonmark', text: 'a\nb' })).to.equal('<p>a\nb</p>\n');
  });

  it('is no longer than eight times the longest text', () => {
    for (const line of ['\n', '\r', '"', '\r\n']) {
      const text = line.repeat(MAX_TEXT_BYTES / line.length);
      expect(htmlOf({ format: 'text', text }).length).to.be.at.most(8 * MAX_TEXT_BYTES);
    }
    for (const text of [...Object.values(BEYOND.commonmark), ...WITHIN.commonmark]) {
      expect(htmlOf({ format: 'commonmark', text }).length).to.be.at.most(8 * MAX_TEXT_BYTES);
    }
  });
});

const WANTED = [
  'http://a.b/c',
  'https://a.b:8080/c?d=e:f#g',
  'HTTPS://a.b/',
  'ftp://a.b/c',
  'mailto:a@b.c',
  'tel:+49123',
  ...['c', '/c', './c:d', '../c', '//a.b/c', '#c', '#c:d', '?c=d:e', '1:2', '%6A:x'],
];
const SCHEMES = ['http:', 'https:', 'ftp:', 'mailto:', 'tel:'];
const UNWANTED = [
  'javascript:x',
  'vbscript:x',
  'file:///c',
  'view-source:http://a.b/',
  'View-Source:http://a.b/',
  'blob:http://a.b/c',
  'feed:http://a.b/',
  'jar:http://a.b/c!/d',
  'about:blank',
  'ms-msdt:/id',
  'search-ms:query=a',
  'web+a:b',
  'a.b-c:d',
  'localhost:8080/c',
  'data:text/html,x',
  'data:image/svg+xml,x',
  'data:,x',
];
const HIDDEN = [
  ' view-source:x',
  '\tblob:x',
  'view-\tsource:x',
  '&#32;blob:x',
  '&#1;blob:x',
  '&Tab;blob:x',
  'blo&#10;b:x',
  'blob&colon;x',
  'bl\\ob:x',
  '\u00a0blob:x',
  '\ufeffblob:x',
];

/** Each way to write a link or an image to an address. */
const WRITTEN = {
  commonmark: [
    (address: string) => `[a](<${address}>)`,
    (address: string) => `[a](${address})`,
    (address: string) => `![a](<${address}>)`,
    (address: string) => `<${address}>`,
    (address: string) => `[a]\n\n[a]: <${address}>`,
    (address: string) => `![a][b]\n\n[b]: ${address} "t"`,
  ],
  html: [(address: string) => `<a href="${address}">a</a>`, (address: string) => `<img src='${address}'>`],
} as const;

const addressesIn = (html: string): readonly string[] =>
  [...html.matchAll(/(?:href|src)="([^"\s]*)/g)].map(([, address = '']) => decodeHTML(address));

describe('A link or an image', () => {
  for (const format of ['commonmark', 'html'] as const) {
    it(`in ${format} leads to addresses of the web, of mail, of telephones and relative ones`, () => {
      for (const address of WANTED) {
        const [write] = WRITTEN[format];
        expect(addressesIn(htmlOf({ format, text: write(address) })), address).to.deep.equal([address]);
      }
    });

    it(`in ${format} leads to no other scheme`, () => {
      for (const address of [...UNWANTED, ...HIDDEN]) {
        for (const write of WRITTEN[format]) {
          const html = htmlOf({ format, text: write(address) });
          const schemes = addressesIn(html).map((each) => new URL(each, 'http://page.example.org/a/').protocol);
          expect(
            schemes.filter((scheme) => !SCHEMES.includes(scheme)),
            html,
          ).to.deep.equal([]);
        }
      }
    });
  }

  it('in commonmark may hold the bytes of a raster image', () => {
    for (const type of ['png', 'gif', 'jpeg', 'webp']) {
      const address = `data:image/${type};base64,AA==`;
      expect(addressesIn(htmlOf({ format: 'commonmark', text: `![a](${address})` }))).to.deep.equal([address]);
    }
  });

  it('in html has no set of images, of which the sanitizer prints what it does not understand', () => {
    const printed = console.log;
    const lines: unknown[] = [];
    console.log = (line: unknown) => lines.push(line);
    try {
      const text = '<img src="a.png" alt="b" srcset="a.png q&#10;{}">';
      expect(htmlOf({ format: 'html', text })).to.equal('<img src="a.png" alt="b" />');
    } finally {
      console.log = printed;
    }
    expect(lines).to.deep.equal([]);
  });

  it('in html has no target, by which its page could replace the page that shows it', () => {
    const html = htmlOf({ format: 'html', text: '<a href="http://a.b/" name="c" target="d" rel="opener">e</a>' });
    expect(html).to.equal('<a href="http://a.b/" name="c">e</a>');
  });
});
