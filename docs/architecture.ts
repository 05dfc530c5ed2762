/** Puts what is drawn and quoted into ARCHITECTURE.md. With --check it only says whether that is stale. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cruise, format, type ICruiseResult, type IModule } from 'dependency-cruiser';

const PAGE = 'ARCHITECTURE.md';
const PICTURE = /(?<=<!-- picture -->\n)[^]*(?=<!-- \/picture -->)/;
const CODE = /(<!-- code (\S+) (\w+) -->\n)[^]*?(?=<!-- \/code -->)/g;
const FOLDERS = '^(src/[^/]+|projections)';

const page = readFileSync(PAGE, 'utf8');
const drawing = await picture();
const made = page
  .replace(PICTURE, () => fenced('mermaid', drawing))
  .replace(CODE, (_, mark: string, file: string, name: string) => `${mark}${fenced('ts', functionOf(file, name))}`);
if (!process.argv.includes('--check')) writeFileSync(PAGE, made);
else if (made !== page) {
  process.stderr.write(`${PAGE} is stale: npm run architecture\n`);
  process.exitCode = 1;
}

function fenced(language: string, text: string): string {
  return `\n\`\`\`${language}\n${text.trim()}\n\`\`\`\n\n`;
}

function functionOf(file: string, name: string): string {
  const [text] =
    new RegExp(`^(export )?(async )?function ${name}\\b[^]*?^}$`, 'm').exec(readFileSync(file, 'utf8')) ?? [];
  if (text === undefined) throw new Error(`${file} has no function ${name}`);
  return text;
}

/** Which folder imports which, in Mermaid. */
async function picture(): Promise<string> {
  const options = { includeOnly: '^(src|projections)/', collapse: FOLDERS, tsPreCompilationDeps: true };
  const { output } = await cruise(['src', 'projections'], options);
  if (typeof output === 'string') throw new Error(output);
  const { output: mermaid } = await format(reduced(output), { outputType: 'mermaid' });
  if (typeof mermaid !== 'string') throw new Error('dependency-cruiser has drawn nothing');
  return mermaid;
}

/** Without the arrows that a longer way says as well. */
function reduced(result: ICruiseResult): ICruiseResult {
  const imports = new Map(result.modules.map((module) => [module.source, importedBy(module)]));
  const reached = (from: string): ReadonlySet<string> => {
    const found = new Set(imports.get(from));
    for (const folder of found) for (const next of imports.get(folder) ?? []) found.add(next);
    return found;
  };
  const isShort = (from: string, to: string): boolean =>
    (imports.get(from) ?? []).every((between) => between === to || !reached(between).has(to));
  const modules = result.modules.map((module) => ({
    ...module,
    dependencies: module.dependencies.filter(({ resolved }) => isShort(module.source, resolved)),
  }));
  return { ...result, modules };
}

function importedBy({ source, dependencies }: IModule): readonly string[] {
  return dependencies.map(({ resolved }) => resolved).filter((folder) => folder !== source);
}
