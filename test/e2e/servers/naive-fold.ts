/** The read models as they have to be: every event of the log, one after the other, with no batches and no guards. */
import { expect } from 'chai';
import { type Db } from 'mongodb';
import { all } from '../../../projections/all.js';
import { PROJECTION_IDS } from '../../../src/composition/server-projections.js';
import { type EventReader, type Recorded } from '../../../src/core/event-log.js';
import { type Effect, type Lookup } from '../../../src/core/projection.js';
import { type Document, type ReadModel } from '../../../src/core/read-models.js';
import { projectionDocuments } from '../../../src/stores/mongodb/projection-documents.js';
import { documentIn, documentsOf, rowsIn } from '../../../src/stores/mongodb/read-models/documents.js';
import { sortable } from '../../../src/stores/mongodb/read-models/entries.js';
import { eventually } from './eventually.js';

/** By read model and id, as JSON data. */
type Documents = ReadonlyMap<string, unknown>;

type Handlers = Readonly<Record<string, (event: Recorded) => readonly Effect[]>>;

const nameOf = (model: string, id: string): string => `${model} ${id}`;

/** Waits until the read models have all of the log, then holds them to it. */
export async function agreesWithLog(db: Db, log: EventReader): Promise<void> {
  await caughtUp(db, log);
  const [wanted, found] = [await folded(log), await kept(db)];
  expect([...found.keys()].sort(), 'documents').to.deep.equal([...wanted.keys()].sort());
  for (const [name, document] of wanted) expect(found.get(name), name).to.deep.equal(document);
}

/** Every projection has saved that it is at the end of the log. */
export async function caughtUp(db: Db, log: EventReader, patienceMs = 20_000): Promise<void> {
  await eventually(
    'all read models are up to date',
    async () => {
      const end = await log.end();
      const states = await projectionDocuments(db).find().toArray();
      return PROJECTION_IDS.all.every((id) => {
        const { serving = null, runs = {} } = states.find(({ _id }) => _id === id) ?? {};
        return serving !== null && runs[serving]?.position === end;
      });
    },
    patienceMs,
  );
}

async function folded(log: EventReader): Promise<Documents> {
  const documents = new Map<string, Document>();
  for await (const { events } of log.readAll(null, [])) {
    for (const event of events) evolve(documents, event);
  }
  return new Map([...documents].map(([name, document]) => [name, JSON.parse(JSON.stringify(document)) as unknown]));
}

function evolve(documents: Map<string, Document>, event: Recorded): void {
  const lookup: Lookup = <D extends Document>({ name }: ReadModel<D>, id: D['id']): D | null =>
    (documents.get(nameOf(name, sortable(id))) ?? null) as D | null;
  for (const effect of all.flatMap(({ when }) => (when as Handlers)[event.type]?.(event) ?? [])) {
    const name = nameOf(effect.into.name, sortable(effect.id));
    const document = effect.evolve(documents.get(name) ?? null, lookup);
    if (document === null) documents.delete(name);
    else documents.set(name, document);
  }
}

/** What the runs that are served hold, without what is gone. */
async function kept(db: Db): Promise<Documents> {
  const states = await projectionDocuments(db).find().toArray();
  const served = states.flatMap(({ serving, runs }) =>
    runs[serving!]!.models.map((model) => ({ model, run: serving! })),
  );
  const documents = new Map<string, unknown>();
  for (const { model, run } of served) {
    const rows = await rowsIn(documentsOf(db, model, run), {}).toArray();
    for (const row of rows) if ('body' in row) documents.set(nameOf(model, row._id), documentIn(row.body));
  }
  return documents;
}
