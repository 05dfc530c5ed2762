import { invalidAt } from '../../core/problem.js';
import { type AccessKey } from '../../users/access-key.js';
import { changeUser } from '../../users/commands.js';
import { type AccountPorts } from '../../users/ports.js';
import { type UserView } from '../../users/user-view.js';
import { hashOf, newSecret, type KeyIdentifier } from './identifier.js';
import { type AccessKeyPorts } from './ports.js';
import { type NewKey } from './schemas.js';

const LAST_YEAR = 9999;

/** What the key is called by from then on: its secret is not kept. */
export async function createAccessKey(
  user: UserView,
  { description = '', expiration_date: expiration = null }: NewKey,
  ports: AccessKeyPorts,
  requestId: string,
): Promise<KeyIdentifier> {
  const now = ports.clock();
  const expiresAt = expiration === null ? null : futureInstant(expiration, now);
  const identifier = { accessKeyId: await ports.nextAccessKeyId(), secret: newSecret() };
  const { accessKeyId, secret } = identifier;
  const key = { accessKeyId, secretHash: hashOf(secret), description, expiresAt, at: now.toISOString() };
  await changeUser(user, { type: 'CreateAccessKey', userId: user.id, ...key }, ports, requestId);
  return identifier;
}

export function revokeAccessKey(
  user: UserView,
  { id: accessKeyId }: AccessKey,
  ports: AccountPorts,
  requestId: string,
): Promise<void> {
  return changeUser(user, { type: 'RevokeAccessKey', userId: user.id, accessKeyId }, ports, requestId);
}

function futureInstant(written: string, now: Date): string {
  const instant = new Date(written);
  const isKnown = instant.getUTCFullYear() <= LAST_YEAR;
  if (isKnown && instant > now) return instant.toISOString();
  const message = isKnown ? 'must be in the future' : `is no instant of a year up to ${LAST_YEAR}`;
  throw invalidAt('/expiration_date', message);
}
