import { OwnedByAnother } from '../../shared/owned-by-another.js';
import { openReadModelFile, type ReadModelFile } from './file.js';

/**
 * Throws if the read models of a directory were made from another log. `firstEvent` is the id of the log's first event,
 * null for an empty log. Read models that name no log yet belong to this one from now on.
 */
export function readModelsOwnedByLog(directory: string, firstEvent: string | null): void {
  const file = openReadModelFile(directory, 'write');
  try {
    file.transaction('IMMEDIATE', () => {
      const owner = file.sql('SELECT first_event FROM log').get()?.['first_event'];
      if (firstEvent === null ? owner !== undefined || isFilled(file) : (owner ?? firstEvent) !== firstEvent) {
        throw new OwnedByAnother(refusal(directory, firstEvent));
      }
      if (owner === undefined && firstEvent !== null) file.sql('INSERT INTO log VALUES (?)').run(firstEvent);
    });
  } finally {
    file.close();
  }
}

function isFilled(file: ReadModelFile): boolean {
  return file.sql('SELECT 1 FROM runs WHERE position IS NOT NULL LIMIT 1').get() !== undefined;
}

function refusal(directory: string, firstEvent: string | null): string {
  const what = firstEvent === null ? 'log.sqlite is empty' : 'log.sqlite is another log';
  return (
    `The read models in ${directory} were made from another log: ${what}. ` +
    'Restore its log; or, to fill the read models from this log, remove that directory'
  );
}
