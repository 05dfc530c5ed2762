import { expect } from 'chai';
import { phraseOf } from '../../src/artifacts/comment-view.js';

describe('The words of a comment', () => {
  const words = (text: string, format: 'text' | 'html' | 'commonmark' = 'html') => phraseOf({ text, format });

  it('are folded, and stand between blanks', () => {
    expect(words('The PUMP, again!', 'text')).to.equal(' the pump again ');
    expect(words('  …  ', 'text')).to.equal(null);
  });

  it('are those that HTML shows', () => {
    expect(words('<p>Gr&ouml;&szlig;e&nbsp;&#233;t&#xE9;</p>')).to.equal(' größe été ');
    expect(words('f<b>e</b>tt <EM class="x">a</EM>b<wbr/>c')).to.equal(' fett abc ');
    expect(words('one<br>two<p>three</p>four<button>five</button>six')).to.equal(' one two three four five six ');
    expect(words('one<script>var hidden</script>two<style>p { color: red }')).to.equal(' one two ');
    expect(words('Donau&shy;dampf<wbr>schiff')).to.equal(' donaudampfschiff ');
    expect(words('<a href="http://hidden.example">shown</a>')).to.equal(' shown ');
  });

  it('are no markup where HTML shows markup', () => {
    expect(words('&lt;b&gt;bold&lt;/b&gt; &amp;ouml;')).to.equal(' b bold b ouml ');
    expect(words('a < b & c')).to.equal(' a b c ');
  });

  it('are whole where a soft hyphen may break them, in every format', () => {
    for (const format of ['text', 'html', 'commonmark'] as const) {
      expect(words('Ko\u00adope\u00adration \u00ad today', format), format).to.equal(' kooperation today ');
    }
    expect(words('\u00ad', 'text')).to.equal(null);
  });

  it('are as written in other formats', () => {
    for (const format of ['text', 'commonmark'] as const) {
      expect(words('x&ouml;y <b>z</b>', format)).to.equal(' x ouml y b z b ');
    }
  });
});
