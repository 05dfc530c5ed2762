import { setImmediate } from 'node:timers/promises';
import { type Run } from '../core/projection.js';
import { tables, type ReadModelFile, type Tables } from './sqlite-read-file.js';

/** Each finds rows that must not exist, and says so of their number. */
const CHECKS: readonly { readonly finding: string; readonly rows: (names: Tables) => string }[] = [
  {
    finding: 'index entries without a document',
    rows: ({ entries, documents }) =>
      `SELECT id FROM (SELECT DISTINCT id FROM ${entries}) e WHERE NOT EXISTS (SELECT 1 FROM ${documents} d WHERE d.id = e.id)`,
  },
  {
    finding: 'texts without a document',
    rows: ({ texts, documents }) =>
      `SELECT id FROM (SELECT DISTINCT id FROM ${texts}) t WHERE NOT EXISTS (SELECT 1 FROM ${documents} d WHERE d.id = t.id)`,
  },
  {
    finding: 'documents both there and gone',
    rows: ({ gone, documents }) => `SELECT g.id FROM ${gone} g JOIN ${documents} d ON d.id = g.id`,
  },
  {
    finding: 'wrong counts of entries',
    rows: ({ entries, counts }) => `
      SELECT 1 FROM (SELECT key, value, count(*) AS n FROM ${entries} GROUP BY key, value) e
      FULL JOIN ${counts} c ON c.key = e.key AND c.value = e.value WHERE e.n IS NOT c.n`,
  },
  {
    finding: 'wrong counts of texts',
    rows: ({ texts, text_counts: counts }) => `
      SELECT 1 FROM (SELECT key, count(*) AS n FROM ${texts} GROUP BY key) t
      FULL JOIN ${counts} c ON c.key = t.key WHERE coalesce(t.n, 0) <> coalesce(c.n, 0)`,
  },
];

/** Each check of a big model takes a while: other work of the thread comes in between. */
export async function verifyModel(file: ReadModelFile, run: Run, model: string): Promise<readonly string[]> {
  const names = tables(run, model);
  const findings: string[] = [];
  const numberOf = (sql: string): number => Number(file.sql(sql).get()?.['n']);
  for (const { finding, rows } of CHECKS) {
    const n = numberOf(`SELECT count(*) AS n FROM (${rows(names)})`);
    if (n > 0) findings.push(`${model}: ${n} ${finding}`);
    await setImmediate();
  }
  const counted = Number(
    file.sql('SELECT documents FROM models WHERE run = ? AND model = ?').get(run, model)?.['documents'],
  );
  const there = numberOf(`SELECT count(*) AS n FROM ${names.documents}`);
  if (counted !== there) findings.push(`${model}: ${there} documents, but ${counted} counted`);
  return findings;
}
