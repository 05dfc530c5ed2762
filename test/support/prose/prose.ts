/**
 * `npm run prose`: fails if too many sentences are long, too many words vague, or a decision record lacks its form.
 * `--list` prints each finding.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureMarkdown, measureTypeScript, sum, type Figures, type Finding } from './measure.js';
import { faultsOfRecord } from './records.js';

const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const FOLDERS = ['docs', 'src', 'projections', 'test', 'bench'];
const RECORDS = 'docs/decisions';
const GENERATED = /node_modules|\/(?:generated\/.*|parser\.ts)$/;

const MOST_LONG_PER_CENT = 6;
const MOST_VAGUE_PER_THOUSAND = 3;

interface Verdict {
  readonly passes: boolean;
  readonly summary: string;
}

export function judge({ sentences, words, long, vague, references }: Figures): Verdict {
  const longShare = (long.length / Math.max(1, sentences)) * 100;
  const vagueShare = (vague.length / Math.max(1, words)) * 1000;
  return {
    passes: longShare <= MOST_LONG_PER_CENT && vagueShare <= MOST_VAGUE_PER_THOUSAND,
    summary:
      `${long.length} of ${sentences} sentences are long: ${longShare.toFixed(2)} %, at most ${MOST_LONG_PER_CENT}\n` +
      `${vague.length} of ${words} words are vague: ${vagueShare.toFixed(2)} in 1,000, at most ${MOST_VAGUE_PER_THOUSAND}\n` +
      `${references.length} words refer across a clause, such as "it" and "those": no limit\n`,
  };
}

export function measureProject(root: string): Figures {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const files = [...PAGES, ...inFolders.filter((file) => /\.(?:md|ts)$/.test(file) && !GENERATED.test(file)).sort()];
  return sum(files.map((file) => measure(file, readFileSync(join(root, file), 'utf8'))));
}

export function faultsOfRecords(root: string): readonly string[] {
  return readdirSync(join(root, RECORDS))
    .sort()
    .flatMap((name) => faultsOfRecord(join(RECORDS, name), readFileSync(join(root, RECORDS, name), 'utf8')));
}

const measure = (file: string, text: string): Figures =>
  file.endsWith('.md') ? measureMarkdown(file, text) : measureTypeScript(file, text);

export const lineOf = ({ file, line, text }: Finding): string => `${file}:${line} ${text}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const figures = measureProject(root);
  const { passes, summary } = judge(figures);
  const faults = faultsOfRecords(root);
  if (process.argv.includes('--list'))
    process.stdout.write([...figures.long, ...figures.vague, ...figures.references].map(lineOf).join(''));
  process.stdout.write(summary);
  if (!passes) process.stderr.write('npm run prose -- --list names each finding\n');
  process.stderr.write(faults.join(''));
  process.exitCode = passes && faults.length === 0 ? 0 : 1;
}
