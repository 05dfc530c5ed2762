/**
 * What the documents of a generation have to come to, by the changes that were written: the check on what the store
 * keeps.
 */
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Change, type ReadModelStore } from '../../../src/core/projection.js';
import { type Document } from '../../../src/core/read-models.js';

/** Of the documents of one read model, in any order. */
export interface Total {
  readonly documents: number;
  /** The sum of their digests. */
  readonly digest: bigint;
}

export const NOTHING: Total = { documents: 0, digest: 0n };

export interface Account {
  /** Keeps the account of what is loaded and committed through it. For one generation, from its first document on. */
  readonly store: ReadModelStore;
  readonly of: (model: string) => Total;
}

/** Of digests, between which others have their turn. */
const SLICE = 200;

const MODULUS_BITS = 128;
const HALF = 64n;

export function plus(total: Total, other: Total): Total {
  return {
    documents: total.documents + other.documents,
    digest: BigInt.asUintN(MODULUS_BITS, total.digest + other.digest),
  };
}

function minus(total: Total, other: Total): Total {
  return plus(total, { documents: -other.documents, digest: -other.digest });
}

/** `body` is the document as JSON. */
export function totalOf(id: Document['id'], body: string): Total {
  const name = typeof id === 'string' ? `s${wellFormed(id)}` : `n${id}`;
  const bytes = hash('sha256', `${name}\n${body}`, 'buffer');
  return { documents: 1, digest: (bytes.readBigUInt64BE(0) << HALF) + bytes.readBigUInt64BE(HALF_BYTES) };
}

const HALF_BYTES = 8;

/** As stores keep ids. */
function wellFormed(id: string): string {
  return id.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}

function totalOfDocument(id: Document['id'], document: Document | null): Total {
  return document === null ? NOTHING : totalOf(id, JSON.stringify(document));
}

/**
 * A commit that fails may have been done in part. What became of its documents is seen when they are loaded again, which
 * a worker that repeats the commit does.
 */
export function accountOf(store: ReadModelStore): Account {
  const totals = new Map<string, Total>();
  const doubtful = new Map<string, Total>();
  const add = (model: string, before: Total, after: Total): void => {
    totals.set(model, plus(minus(totals.get(model) ?? NOTHING, before), after));
  };
  const nameOf = (model: string, id: Document['id']): string => `${model} ${typeof id} ${id}`;
  /** As it is in the totals. */
  const counted = ({ model, id, before }: Change): Total =>
    doubtful.get(nameOf(model.name, id)) ?? totalOfDocument(id, before?.document ?? null);
  return {
    of: (model) => totals.get(model) ?? NOTHING,
    store: {
      ...store,
      load: async (generation, model, ids) => {
        const found = await store.load(generation, model, ids);
        for (const id of doubtful.size === 0 ? [] : ids) {
          const name = nameOf(model.name, id);
          const before = doubtful.get(name);
          if (before !== undefined) add(model.name, before, totalOfDocument(id, found.get(id)?.document ?? null));
          doubtful.delete(name);
        }
        return found;
      },
      commit: async (projection, generation, changes, checkpoint, marks) => {
        try {
          await store.commit(projection, generation, changes, checkpoint, marks);
          for (const [index, change] of changes.entries()) {
            add(change.model.name, counted(change), totalOfDocument(change.id, change.document));
            doubtful.delete(nameOf(change.model.name, change.id));
            if (index % SLICE === SLICE - 1) await setImmediate();
          }
        } catch (error) {
          for (const change of changes) doubtful.set(nameOf(change.model.name, change.id), counted(change));
          throw error;
        }
      },
    },
  };
}
