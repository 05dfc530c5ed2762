import { invalidIn } from '../../core/problem.js';
import { changeUser } from '../../users/commands.js';
import { type AccountPorts } from '../../users/ports.js';
import { type UserView } from '../../users/user-view.js';
import { type TokenPorts } from './ports.js';

export function signOutEverywhere(user: UserView, ports: AccountPorts, requestId: string): Promise<void> {
  return changeUser(user, { type: 'RevokeAllTokens', userId: user.id }, ports, requestId);
}

export async function signOut(user: UserView, token: string, ports: TokenPorts, requestId: string): Promise<void> {
  const owned = ports.tokens.ownedBy(user, token);
  if (owned === null) throw invalidIn('token', 'This user has no such token');
  const expiresAt = new Date(owned.expiresAt * 1000).toISOString();
  await changeUser(user, { type: 'RevokeToken', userId: user.id, tokenId: owned.id, expiresAt }, ports, requestId);
}
