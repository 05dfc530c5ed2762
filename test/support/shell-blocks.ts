/** The blocks of code of the README and of docs, as the specs run them. */
import { readdirSync, readFileSync } from 'node:fs';

export interface CodeBlock {
  readonly file: string;
  /** Behind the language: which spec runs the block. */
  readonly label: string;
  readonly text: string;
}

const ROOT = new URL('../../', import.meta.url);
const FENCED = /^( *)```(\w*) *(\w*)\n([\s\S]*?)^\1```$/gm;

export const DOCUMENTS: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(new URL('docs', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export const documentText = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

export function fencedBlocks(...languages: readonly string[]): readonly CodeBlock[] {
  return DOCUMENTS.flatMap((file) =>
    [...documentText(file).matchAll(FENCED)]
      .filter(([, , given = '']) => languages.includes(given))
      .map(([, indent = '', , label = '', text = '']) => ({
        file,
        label,
        text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      })),
  );
}

/** The blocks of one spec, in one script. */
export function scriptOf(label: string): string {
  const blocks = fencedBlocks('sh', 'js').filter((block) => block.label === label);
  if (blocks.length === 0) throw new Error(`No block is labelled ${label}`);
  return blocks.map(({ text }) => text).join('\n');
}

/** What stands outside the blocks. */
export const proseOf = (file: string): string => documentText(file).replaceAll(FENCED, '');
