import { expect } from 'chai';
import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';
import { escapeHtml } from '../../../src/core/text/escape-html.js';
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

  it('is no longer than eight times the longest text', () => {
    for (const text of [...Object.values(BEYOND.commonmark), ...WITHIN.commonmark]) {
      expect(htmlOf({ format: 'commonmark', text }).length).to.be.at.most(8 * MAX_TEXT_BYTES);
    }
  });
});
