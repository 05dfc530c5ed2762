/** Entries by value, kept like those by document by the database itself. */
import { type ReadModelFile } from '../file.js';
import { type Tables } from '../schema.js';

type Names = Pick<Tables, 'entries' | 'entries_by_id'>;

const added = ({ entries_by_id: byId }: Names): string => `${byId}_added`;
const removed = ({ entries_by_id: byId }: Names): string => `${byId}_removed`;

/** What is written to the entries by document is in the entries by value then, too. A filling does without it. */
export function mirrorEntries(file: ReadModelFile, names: Names): void {
  const { entries, entries_by_id: byId } = names;
  const create = (trigger: string, event: string, statement: string): void => {
    file.sql(`CREATE TRIGGER ${trigger} AFTER ${event} ON ${byId} BEGIN ${statement}; END`).run();
  };
  create(added(names), 'INSERT', `INSERT INTO ${entries} VALUES (new.key, new.value, new.id)`);
  create(removed(names), 'DELETE', `DELETE FROM ${entries} WHERE (key, value, id) = (old.key, old.value, old.id)`);
}

export function endMirroring(file: ReadModelFile, names: Names): void {
  for (const trigger of [added(names), removed(names)]) file.sql(`DROP TRIGGER IF EXISTS ${trigger}`).run();
}

/** Without entries and texts, as before a filling. */
export function emptyIndex(file: ReadModelFile, names: Tables): void {
  const { entries, entries_by_id: byId, texts, grams, text_counts: textCounts } = names;
  endMirroring(file, names);
  for (const table of [entries, byId, texts, textCounts]) file.sql(`DELETE FROM ${table}`).run();
  file.sql(`INSERT INTO ${grams} (${grams}) VALUES ('delete-all')`).run();
}
