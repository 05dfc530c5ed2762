import { randomUUID } from 'node:crypto';
import { type Clock } from '../../core/clock.js';
import { type EventLog } from '../../core/event-log.js';
import { handle } from '../../core/handle.js';
import { Problem } from '../../core/problem.js';
import { type ReadModels } from '../../core/read-models.js';
import { type Viewer } from '../../authorization/viewer.js';
import { route, type Nothing, type Route } from '../../http/route.js';
import { type Credentials } from '../credentials.js';
import { userDecider, type UserCommand } from '../../users/user.js';
import { userStream } from '../../users/user-events.js';
import { USERS, type UserView } from '../../users/user-view.js';
import { type Tokens } from './token.js';

export interface TokenRoutesOptions {
  readonly log: EventLog;
  readonly readModels: Pick<ReadModels, 'caughtUp'>;
  readonly tokens: Tokens;
  readonly credentials: Credentials;
  readonly clock: Clock;
}

interface SignIn {
  readonly username: string;
  readonly password: string;
}

interface TokenParams {
  readonly token: string;
}

const signInSchema = {
  type: 'object',
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 255 },
    password: { type: 'string', minLength: 1, maxLength: 1024 },
  },
  required: ['username', 'password'],
};

const tokenSchema = {
  type: 'object',
  properties: {
    user_id: { type: 'string', description: 'Goes into the X-Auth-UserId header' },
    token: { type: 'string', description: 'Goes into the X-Auth-Token header; valid for 24 hours' },
    uri: { type: 'string' },
  },
  required: ['user_id', 'token', 'uri'],
};

const tokenParams = {
  type: 'object',
  properties: { token: { type: 'string', minLength: 1, maxLength: 4096 } },
  required: ['token'],
};

const signedOut = { 200: { description: 'Signed out; no body' } };

export function tokenRoutes({
  log,
  readModels,
  tokens,
  credentials,
  clock,
}: TokenRoutesOptions): readonly Route<Viewer>[] {
  /** Resolves when this process knows of it. */
  const change = async (user: UserView, command: UserCommand, requestId: string): Promise<void> => {
    const { position } = await handle(log, userDecider, {
      stream: userStream(user.id),
      commandId: randomUUID(),
      isNew: true,
      metadata: { actor: user.id, at: clock().toISOString(), requestId },
      command: () => command,
    });
    if (position !== null) await readModels.caughtUp(USERS, position);
  };

  return [
    signInRoute(tokens, credentials),
    route<Viewer>({
      method: 'DELETE',
      path: '/tokens',
      access: 'protected',
      summary: 'Sign out everywhere: every token issued to the user so far is void.',
      responses: signedOut,
      async handle({ ctx, viewer }) {
        const user = signedIn(viewer);
        await change(user, { type: 'RevokeAllTokens', userId: user.id }, ctx.state.requestId);
      },
    }),
    route<Viewer, TokenParams>({
      method: 'DELETE',
      path: '/tokens/:token',
      access: 'protected',
      summary: 'Sign out: the token, one of the user who asks, is void. After 1000 in a day, all of them are.',
      params: tokenParams,
      responses: signedOut,
      async handle({ ctx, viewer, params }) {
        const user = signedIn(viewer);
        const token = tokens.ownedBy(user, params.token);
        if (token === null) throw new Problem('invalid', 'there is no such token of this user');
        const expiresAt = new Date(token.expiresAt * 1000).toISOString();
        const command: UserCommand = { type: 'RevokeToken', userId: user.id, tokenId: token.id, expiresAt };
        await change(user, command, ctx.state.requestId);
      },
    }),
  ];
}

function signInRoute(tokens: Tokens, credentials: Credentials): Route<Viewer> {
  return route<Viewer, Nothing, Nothing, SignIn>({
    method: 'POST',
    path: '/tokens',
    access: 'public',
    summary: 'Exchange a name and a password for a token that is valid for 24 hours.',
    body: signInSchema,
    form: true,
    responses: { 200: { description: 'The token', schema: tokenSchema } },
    async handle({ ctx, body: { username, password } }) {
      const user = await credentials.check(username, password, ctx.state.address);
      if (user.status === 'suspended') throw new Problem('forbidden', 'the account is suspended');
      ctx.state.userId = user.id;
      const token = tokens.issue(user);
      ctx.body = { user_id: String(user.id), token, uri: `/api/tokens/${token}` };
    },
  });
}

function signedIn({ user }: Viewer): UserView {
  if (user === null) throw new Problem('unauthenticated', 'this needs a signed-in user');
  return user;
}
