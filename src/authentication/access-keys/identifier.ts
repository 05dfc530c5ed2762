/** What a client holds of an access key: its id and its secret in one text, opaque to the client. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface KeyIdentifier {
  readonly accessKeyId: number;
  readonly secret: string;
}

const SECRET_BYTES = 32;
const FORM = /^tlp-k1-([1-9]\d{0,14})\.([0-9a-f]{64})$/;

export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('hex');

export const identifierOf = ({ accessKeyId, secret }: KeyIdentifier): string => `tlp-k1-${accessKeyId}.${secret}`;

/** Null for what is no identifier. */
export function parseIdentifier(text: string): KeyIdentifier | null {
  const [, id, secret] = FORM.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { accessKeyId: Number(id), secret };
}

export const hashOf = (secret: string): string => digest(secret).toString('hex');

/** In constant time. */
export function isSecretOf(secret: string, secretHash: string): boolean {
  return timingSafeEqual(digest(secret), Buffer.from(secretHash, 'hex'));
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
