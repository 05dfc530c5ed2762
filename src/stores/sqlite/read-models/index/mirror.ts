/** Entries by value, kept like those by document by the database itself. */
import { type ReadModelFile } from '../file.js';
import { triggersOf } from '../removal.js';
import { type Tables } from '../schema.js';

/** What is written to the entries by document is in the entries by value then, too. A filling does without it. */
export function mirrorEntries(file: ReadModelFile, { entries, entries_by_id: byId }: Tables): void {
  const [added, removed] = triggersOf({ entries_by_id: byId });
  const columns = 'key, value, id';
  const both = (row: string): string => `${row}.key, ${row}.value, ${row}.id`;
  file
    .sql(
      `CREATE TRIGGER ${added} AFTER INSERT ON ${byId} BEGIN
    INSERT INTO ${entries} VALUES (${both('new')}); END`,
    )
    .run();
  file
    .sql(
      `CREATE TRIGGER ${removed} AFTER DELETE ON ${byId} BEGIN
    DELETE FROM ${entries} WHERE (${columns}) = (${both('old')}); END`,
    )
    .run();
}

/** Without entries, texts and counts, as before a filling. */
export function emptyIndex(file: ReadModelFile, names: Tables): void {
  const { entries, entries_by_id: byId, texts, grams, counts, text_counts: textCounts } = names;
  for (const trigger of triggersOf(names)) file.sql(`DROP TRIGGER IF EXISTS ${trigger}`).run();
  for (const table of [entries, byId, texts, grams, counts, textCounts]) file.sql(`DELETE FROM ${table}`).run();
}
