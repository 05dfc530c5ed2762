import { invalidIn } from '../../core/problem.js';
import { metadataOf, signedIn, type Caller } from '../../authorization/caller.js';
import { changeUser } from '../../users/commands.js';
import { type AccountPorts } from '../../users/ports.js';
import { type TokenPorts } from './ports.js';

export function signOutEverywhere(caller: Caller, ports: AccountPorts): Promise<void> {
  const user = signedIn(caller.viewer);
  return changeUser(user, { type: 'RevokeAllTokens', userId: user.id }, ports, metadataOf(caller, ports.clock()));
}

export async function signOut(caller: Caller, token: string, ports: TokenPorts): Promise<void> {
  const user = signedIn(caller.viewer);
  const owned = ports.tokens.ownedBy(user, token);
  if (owned === null) throw invalidIn('token', 'This user has no such token');
  const expiresAt = new Date(owned.expiresAt * 1000).toISOString();
  const command = { type: 'RevokeToken', userId: user.id, tokenId: owned.id, expiresAt } as const;
  await changeUser(user, command, ports, metadataOf(caller, ports.clock()));
}
