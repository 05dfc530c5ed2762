import { messageOf } from './concurrency/retry.js';
import { type Change } from './projection.js';

/** A document that no other try would write: it is too large for its store, or JSON cannot express it. */
export class UnwritableDocument extends Error {
  override readonly name = 'UnwritableDocument';
  readonly model: string;
  readonly id: Change['id'];

  constructor({ model, id }: Pick<Change, 'model' | 'id'>, reason: unknown) {
    super(`the document ${id} of ${model.name} cannot be written: ${messageOf(reason)}`, { cause: reason });
    this.model = model.name;
    this.id = id;
  }
}

/** What makes the stored form of a change; what that throws is the document's fault. */
export function serialized<T>(change: Pick<Change, 'model' | 'id'>, express: () => T): T {
  try {
    return express();
  } catch (reason) {
    throw new UnwritableDocument(change, reason);
  }
}
