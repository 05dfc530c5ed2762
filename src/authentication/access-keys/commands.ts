import { invalidAt } from '../../core/problem.js';
import { metadataOf, signedIn, type Caller } from '../../authorization/caller.js';
import { type AccessKey } from '../../users/access-key.js';
import { changeUser } from '../../users/commands.js';
import { type AccountPorts } from '../../users/ports.js';
import { hashOf, newSecret, type KeyIdentifier } from './identifier.js';
import { type AccessKeyPorts } from './ports.js';
import { type NewKey } from './schemas.js';

const LAST_YEAR = 9999;

/** What the key is called by from then on: its secret is not kept. */
export async function createAccessKey(
  caller: Caller,
  { description, expiration_date: expiration = null }: NewKey,
  ports: AccessKeyPorts,
): Promise<KeyIdentifier> {
  const user = signedIn(caller.viewer);
  const now = ports.clock();
  const expiresAt = expiration === null ? null : futureInstant(expiration, now);
  const identifier = { accessKeyId: await ports.nextAccessKeyId(), secret: newSecret() };
  const { accessKeyId, secret } = identifier;
  const key = {
    accessKeyId,
    secretHash: hashOf(secret),
    description: description ?? '',
    expiresAt,
    at: now.toISOString(),
  };
  await changeUser(user, { type: 'CreateAccessKey', userId: user.id, ...key }, ports, metadataOf(caller, now));
  return identifier;
}

export function revokeAccessKey(caller: Caller, { id: accessKeyId }: AccessKey, ports: AccountPorts): Promise<void> {
  const user = signedIn(caller.viewer);
  const command = { type: 'RevokeAccessKey', userId: user.id, accessKeyId } as const;
  return changeUser(user, command, ports, metadataOf(caller, ports.clock()));
}

function futureInstant(written: string, now: Date): string {
  const instant = new Date(written);
  const isKnown = instant.getUTCFullYear() <= LAST_YEAR;
  if (isKnown && instant > now) return instant.toISOString();
  const message = isKnown ? 'must be in the future' : `is no instant of a year up to ${LAST_YEAR}`;
  throw invalidAt('/expiration_date', message);
}
