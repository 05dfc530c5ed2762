/** Counts long sentences and vague words in Markdown and in the comments of TypeScript. */
import MarkdownIt, { type Token } from 'markdown-it';
import ts from 'typescript';

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface Figures {
  readonly sentences: number;
  readonly words: number;
  readonly long: readonly Finding[];
  readonly vague: readonly Finding[];
  readonly references: readonly Finding[];
}

/** Text of one block: a paragraph, a list item, a heading or a table cell. */
interface Block {
  readonly line: number;
  readonly text: string;
}

interface Comment extends Block {
  readonly isLine: boolean;
}

const MOST_WORDS = 25;
/** Words in the place of a noun, wherever they stand. */
const NO_NOUN =
  /\b(?:who(?:m)?ever|whatever|whichever|(?:no|some|every|any)body|(?:some|any|every)one|no one|the (?:former|latter)|(?<!\b(?:no|one|any|of|for|\d+) )such(?! (?:an?|as)\b))\b/gi;
const SOFTWARE = [
  'adapters?|caches?|checkpoints?|commands?|databases?|deciders?|documents?|drivers?|engines?|events?|generations?|index(?:es)?',
  'leases?|logs?|modules?|notices?|process(?:es)?|programs?|projections?|projectors?|proxy|queries|query|read models?|recovery',
  'releases?|requests?|routes?|runners?|servers?|services?|specs?|states?|stores?|streams?|threads?|workers?',
  'EventStoreDB|FerretDB|Koa|MongoDB|Node|SQLite|code',
].join('|');
const AUXILIARY = '(?:never|always|only|also|still|cannot|(?:does|do|did|can|may|must|will|has|have)(?: not)?|is|are)';
/** What software does not do. */
const OF_PEOPLE = [
  `\\b(?:${SOFTWARE}) (?:${AUXILIARY} ){0,2}(?:says?|said|tells?|told|asks?|asked|hears?|heard|looks?(?! like)|looked|wants?|wanted|knows?|knew|finds? out|found out)\\b`,
  '\\b(?:is|are|was|were|be|been|being|gets?) told\\b',
  '\\bg(?:ives?|ave|iven|iving) up\\b',
].join('|');
const VAGUE = new RegExp(`${NO_NOUN.source}|${OF_PEOPLE}`, 'gi');
/** Words that refer across the boundary of a clause, where the noun may be near enough: reported, not held to a limit. */
const ACROSS_CLAUSES =
  /(?<=[,;:] (?:(?:and|but|so|or|because|if|as|for|that) )?)(?:it|what|those)\b|\bthose(?= (?:that|which|who|whose)\b)/gi;
const DIRECTIVE = /^\s*(?:eslint|@ts-|c8 |global|<reference)/;

const markdown = new MarkdownIt();
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

export function measureMarkdown(file: string, text: string): Figures {
  return figures(file, blocksOf(text, 1));
}

export function measureTypeScript(file: string, text: string): Figures {
  return figures(
    file,
    commentsOf(file, text).flatMap((comment) => blocksOf(comment.text, comment.line)),
  );
}

export function sum(all: readonly Figures[]): Figures {
  return {
    sentences: all.reduce((total, each) => total + each.sentences, 0),
    words: all.reduce((total, each) => total + each.words, 0),
    long: all.flatMap(({ long }) => long),
    vague: all.flatMap(({ vague }) => vague),
    references: all.flatMap(({ references }) => references),
  };
}

function figures(file: string, blocks: readonly Block[]): Figures {
  return sum(blocks.flatMap(({ line, text }) => sentencesOf(text).map((sentence) => judged(file, line, sentence))));
}

function judged(file: string, line: number, sentence: string): Figures {
  const words = wordsOf(sentence);
  const found = (pattern: RegExp): readonly Finding[] =>
    (sentence.match(pattern) ?? []).map((word) => ({ file, line, text: `"${word}": ${sentence}` }));
  const isLong = words > MOST_WORDS;
  return {
    sentences: words > 0 ? 1 : 0,
    words,
    long: isLong ? [{ file, line, text: `${words} words: ${sentence}` }] : [],
    vague: found(VAGUE),
    references: found(ACROSS_CLAUSES),
  };
}

const sentencesOf = (text: string): readonly string[] =>
  [...sentences.segment(text)].map(({ segment }) => segment.trim());

const wordsOf = (sentence: string): number => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

function blocksOf(text: string, first: number): readonly Block[] {
  let line = first;
  return markdown.parse(text, {}).flatMap((token) => {
    if (token.map) line = first + token.map[0];
    return token.type === 'inline' ? [{ line, text: plain(token.children ?? []) }] : [];
  });
}

/** Code is one word, without the signs in it. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content }) => (type === 'code_inline' ? 'code' : type === 'softbreak' ? ' ' : content))
    .join('');
}

function commentsOf(file: string, text: string): readonly Block[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const ranges = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    const found = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const range of found) ranges.set(range.pos, range);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  const found = [...ranges.values()].sort((one, other) => one.pos - other.pos);
  const comments = found.map(({ pos, end, kind }) => ({
    line: source.getLineAndCharacterOfPosition(pos).line + 1,
    text: bare(text.slice(pos, end)),
    isLine: kind === ts.SyntaxKind.SingleLineCommentTrivia,
  }));
  return joined(comments.filter((comment) => !DIRECTIVE.test(comment.text)));
}

const bare = (comment: string): string => comment.replace(/^\/\/ ?|^\/\*\*?|\*\/$/g, '').replace(/^[ \t]*\*? ?/gm, '');

/** Line comments below each other are one text. */
function joined(comments: readonly Comment[]): readonly Block[] {
  const blocks: (Comment & { readonly next: number })[] = [];
  for (const comment of comments) {
    const last = blocks.at(-1);
    const next = comment.line + 1;
    if (comment.isLine && last?.isLine === true && last.next === comment.line)
      blocks[blocks.length - 1] = { ...last, text: `${last.text}\n${comment.text}`, next };
    else blocks.push({ ...comment, next });
  }
  return blocks;
}
