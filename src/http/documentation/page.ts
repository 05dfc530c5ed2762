/** Markdown of this project as a page without scripts. */
import { createHash } from 'node:crypto';
import { scrolled, STYLE } from '../front-page/page.js';

const PAGE_STYLE = `${STYLE}
body { max-width: 60rem; } img { max-width: 100%; }
.table { overflow-x: auto; } table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
`;
const STYLE_HASH = createHash('sha256').update(PAGE_STYLE).digest('base64');

export const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** `known` are the files that can be linked: others are shown as text. The parser is loaded at the first page. */
export async function pageOf(file: string, text: string, known: ReadonlySet<string>): Promise<string> {
  const { default: MarkdownIt } = await import('markdown-it');
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const isLinked: boolean[] = [];
  markdown.renderer.rules['link_open'] = (tokens, index, options, _, self) => {
    const leads = leadsSomewhere(String(tokens[index]?.attrGet('href')), file, known);
    isLinked.push(leads);
    return leads ? self.renderToken(tokens, index, options) : '';
  };
  markdown.renderer.rules['link_close'] = () => (isLinked.pop() === true ? '</a>' : '');
  markdown.renderer.rules['table_open'] = () => `<div class="table" ${scrolled('Table')}><table>`;
  markdown.renderer.rules['table_close'] = () => '</table></div>';
  for (const rule of ['fence', 'code_block']) {
    const rendered = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (...code) =>
      String(rendered?.(...code)).replace('<pre>', `<pre ${scrolled('Code')}>`);
  }
  markdown.renderer.rules['heading_open'] = (tokens, index) => {
    const { tag } = tokens[index] ?? { tag: 'h2' };
    return `<${tag} id="${anchorOf(tokens[index + 1]?.content ?? '')}">`;
  };
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${markdown.utils.escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<p><a href="/">Tracker Ledger</a></p>
${markdown.render(text)}
</main>
</body>
</html>
`;
}

/** As Markdown on the web has them: lower case, words joined by hyphens. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

function leadsSomewhere(link: string, file: string, known: ReadonlySet<string>): boolean {
  if (/^https:\/\//.test(link)) return true;
  if (link.startsWith('#')) return true;
  const { pathname, origin } = new URL(link, `http://here/${file}`);
  return origin === 'http://here' && known.has(pathname.slice(1));
}
