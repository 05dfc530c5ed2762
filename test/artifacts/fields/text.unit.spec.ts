import { expect } from 'chai';
import { fieldOf } from '../../support/definitions.js';
import { pointers, read, refusal, written } from './setting.js';

const title = fieldOf(501, 'string', { label: 'Title', name: 'title', maxChars: 5 });
const anyLength = fieldOf(501, 'string');
const description = fieldOf(502, 'text', { label: 'Description' });

describe('A string field', () => {
  it('takes a line of text and gives it back', () => {
    expect(written(title, { value: 'Crash' })).to.equal('Crash');
    expect(read(title, 'Crash')).to.deep.equal({ field_id: 501, type: 'string', label: 'Title', value: 'Crash' });
  });

  it('takes what it holds, although its maximum is lower by now', () => {
    expect(written(title, { value: 'Crashes' }, 'Crashes')).to.equal('Crashes');
    expect(refusal(title, { value: 'Crashed' }, 'Crashes')).to.have.length(1);
  });

  it('is cleared by null and by an empty string alike, and read as an empty string', () => {
    expect(written(title, { value: null }, 'Crash')).to.equal(null);
    expect(written(title, { value: '' }, 'Crash')).to.equal(null);
    expect(read(title, null)).to.include({ value: '' });
  });

  it('counts characters, not the units that hold them', () => {
    expect(written(title, { value: '🚀🚀🚀🚀🚀' })).to.equal('🚀🚀🚀🚀🚀');
    expect(refusal(title, { value: '🚀🚀🚀🚀🚀🚀' })[0]).to.deep.equal({
      pointer: '/value',
      message: 'Title: takes at most 5 characters',
    });
    expect(refusal(title, { value: 'x'.repeat(100) })).to.have.length(1);
  });

  it('takes 65535 bytes and not one more where its definition names no maximum', () => {
    expect(written(anyLength, { value: `${'é'.repeat(32_767)}x` })).to.have.length(32_768);
    expect(refusal(anyLength, { value: 'é'.repeat(32_768) })[0]).to.have.property('pointer', '/value');
  });

  it('that is longer in an older log may be sent back and shrink', () => {
    expect(written(anyLength, { value: 'x'.repeat(80_000) }, 'y'.repeat(80_000))).to.have.length(80_000);
    expect(pointers(refusal(anyLength, { value: 'x'.repeat(80_001) }, 'y'.repeat(80_000)))).to.deep.equal(['/value']);
  });

  for (const value of ['a\nb', 'a\rb', 'a\0b', '\ud800', 'x\udc00y', 5, true, [], { content: 'x' }]) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(pointers(refusal(title, { value }))).to.deep.equal(['/value']);
    });
  }

  it('is refused without a value', () => {
    expect(refusal(title, {})).to.deep.equal([{ pointer: '', message: 'Title: the member "value" is missing' }]);
  });
});

describe('A text field', () => {
  it('takes a string as Markdown', () => {
    expect(written(description, { value: '**a**\nb' })).to.deep.equal({ text: '**a**\nb', format: 'commonmark' });
  });

  for (const format of ['text', 'html', 'commonmark']) {
    it(`takes ${format} when that is its format`, () => {
      expect(written(description, { value: { content: 'a', format } })).to.deep.equal({ text: 'a', format });
    });
  }

  it('takes a format that it does not know for Markdown', () => {
    for (const format of ['wiki', 7, null, undefined]) {
      expect(written(description, { value: { content: 'a', format } })).to.deep.equal({
        text: 'a',
        format: 'commonmark',
      });
    }
  });

  it('keeps its format where the text that it holds is sent without a known one', () => {
    for (const format of ['text', 'html', 'commonmark'] as const) {
      const held = { text: '# 1 of *2*', format };
      for (const unknown of [undefined, null, 'wiki']) {
        expect(written(description, { value: held.text, format: unknown }, held)).to.deep.equal(held);
        expect(written(description, { value: { content: held.text, format: unknown } }, held)).to.deep.equal(held);
      }
    }
  });

  it('takes another text without a format, or the same one with its own, as it is said', () => {
    const held = { text: '# 1', format: 'text' } as const;
    expect(written(description, { value: '# 2' }, held)).to.deep.equal({ text: '# 2', format: 'commonmark' });
    for (const format of ['html', 'commonmark'] as const) {
      const wanted = { text: '# 1', format };
      expect(written(description, { value: '# 1', format }, held)).to.deep.equal(wanted);
      expect(written(description, { value: { content: '# 1', format } }, held)).to.deep.equal(wanted);
    }
  });

  it('is cleared by null and by an empty text, and read as an empty text', () => {
    expect(written(description, { value: null }, 'x')).to.equal(null);
    expect(written(description, { value: { content: '', format: 'html' } }, 'x')).to.equal(null);
    expect(read(description, null)).to.include({ value: '', post_processed_value: '', format: 'text' });
  });

  it('takes 65535 bytes and not one more', () => {
    expect(written(description, { value: `${'é'.repeat(32_767)}x` })).to.be.an('object');
    expect(pointers(refusal(description, { value: 'é'.repeat(32_768) }))).to.deep.equal(['/value']);
  });

  it('refuses what is no text', () => {
    expect(pointers(refusal(description, { value: 5 }))).to.deep.equal(['/value']);
    expect(pointers(refusal(description, { value: ['a'] }))).to.deep.equal(['/value']);
    expect(pointers(refusal(description, { value: '\ud800' }))).to.deep.equal(['/value']);
    expect(pointers(refusal(description, { value: { format: 'text' } }))).to.deep.equal(['/value/content']);
    expect(pointers(refusal(description, {}))).to.deep.equal(['']);
  });

  it('is read as text with its characters escaped', () => {
    expect(read(description, { text: '<b> & "c"', format: 'text' })).to.deep.equal({
      field_id: 502,
      type: 'text',
      label: 'Description',
      value: '<b> & "c"',
      post_processed_value: '&lt;b&gt; &amp; &quot;c&quot;',
      format: 'text',
    });
  });

  it('is read as HTML that can do no harm', () => {
    const html = '<p onclick="x()">a<script>y()</script> <a href="javascript:z()">b</a></p>';
    expect(read(description, { text: html, format: 'html' })).to.include({
      value: html,
      post_processed_value: '<p>a <a>b</a></p>',
      format: 'html',
    });
  });

  it('is read as the HTML of its Markdown, with the source beside it', () => {
    const html = '<p><strong>a</strong> &lt;i&gt;</p>\n';
    expect(read(description, { text: '**a** <i>', format: 'commonmark' })).to.deep.equal({
      field_id: 502,
      type: 'text',
      label: 'Description',
      value: html,
      post_processed_value: html,
      format: 'html',
      commonmark: '**a** <i>',
    });
    expect(read(description, { text: '[a](javascript:b)', format: 'commonmark' })).to.have.property(
      'value',
      '<p>[a](javascript:b)</p>\n',
    );
  });

  it('is the same when what was read is sent back, and HTML when that was edited', () => {
    for (const format of ['text', 'html', 'commonmark'] as const) {
      const value = { text: '**a** & <b>c</b>', format };
      const shown = { ...read(description, value) };
      for (const held of [undefined, value]) {
        expect(written(description, shown, held)).to.deep.equal(value);
        expect(written(description, { ...shown, bind_value_ids: null }, held)).to.deep.equal(value);
      }
    }
    const readElement = read(description, { text: '**a**', format: 'commonmark' });
    expect(written(description, { ...readElement, value: '<p>b</p>' })).to.deep.equal({
      text: '<p>b</p>',
      format: 'html',
    });
  });
});
