/** The part of the configuration that says which servers keep the log and the read models. */

/** All: the API and the projections in one process. */
export const ROLES = ['all', 'api', 'worker'] as const;
export type Role = (typeof ROLES)[number];

export interface Servers {
  /** Connection strings, with what opens the door: not for a log. */
  readonly eventStoreDbUrl: string;
  readonly mongoDbUrl: string;
  /** Precedes every stream name; ends in ".". */
  readonly prefix: string;
  /** Shared by all processes, for the bytes of files; undefined: they are kept in MongoDB. */
  readonly filesDir: string | undefined;
}

export interface Given {
  /** The variable that said it. */
  readonly name: string;
  readonly text: string;
}

interface Source {
  readonly text: (name: string) => string | undefined;
  readonly secret: (name: string) => Given | undefined;
  readonly role: Role;
  readonly hasJwtSecret: boolean;
}

const DEFAULT_PREFIX = 'ledger.';
/**
 * No `$`, which is the server's own, and no hyphen, where a category ends. The dot at the end tells the streams of
 * `ledger.` from those of `ledger.staging.` and of `ledger2.`.
 */
const PREFIX = /^(?!\$)[^\s-]{1,63}\.$/;

/** Undefined for the embedded stores. Names everything that is wrong. */
export function servers({ text, secret, role, hasJwtSecret }: Source, faults: string[]): Servers | undefined {
  const eventStoreDb = url(secret('EVENTSTOREDB_URL'), /^esdb(\+discover)?:\/\//, 'esdb://', faults);
  const mongoDb = url(secret('MONGODB_URL'), /^mongodb(\+srv)?:\/\//, 'mongodb://', faults);
  const prefix = text('EVENTSTOREDB_PREFIX') ?? DEFAULT_PREFIX;
  if (!PREFIX.test(prefix))
    faults.push('EVENTSTOREDB_PREFIX must be a word that ends in ".", without "-", and must not begin with "$"');
  const filesDir = text('FILES_DIR');
  if (eventStoreDb === undefined && mongoDb === undefined) {
    faults.push(...notEmbedded(role, filesDir));
    return undefined;
  }
  if (eventStoreDb === undefined || mongoDb === undefined) {
    faults.push('EVENTSTOREDB_URL and MONGODB_URL must both be set; one of them is missing');
    return undefined;
  }
  if (!hasJwtSecret)
    faults.push(
      'JWT_SECRET or JWT_SECRET_FILE must be set with EVENTSTOREDB_URL, because all processes share the secret',
    );
  return { eventStoreDbUrl: eventStoreDb, mongoDbUrl: mongoDb, prefix, filesDir };
}

function notEmbedded(role: Role, filesDir: string | undefined): readonly string[] {
  return [
    ...(role === 'all'
      ? []
      : [
          `ROLE=${role} needs EVENTSTOREDB_URL and MONGODB_URL; without servers, unset ROLE, and set WORKERS for more reading processes`,
        ]),
    ...(filesDir === undefined ? [] : ['FILES_DIR is only for a service with EVENTSTOREDB_URL and MONGODB_URL']),
  ];
}

/** The error about a URL does not repeat it. */
function url(given: Given | undefined, scheme: RegExp, example: string, faults: string[]): string | undefined {
  if (given === undefined) return undefined;
  const text = given.text.trim();
  if (!scheme.test(text)) faults.push(`${given.name} must be a connection string that begins with ${example}`);
  return text;
}
