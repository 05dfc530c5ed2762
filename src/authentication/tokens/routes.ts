import { suspended } from '../../users/user-rights.js';
import { type Viewer } from '../../authorization/viewer.js';
import { route, type Nothing, type Route } from '../../http/route.js';
import { type Credentials } from '../credentials.js';
import { refuseUnlessFollowed } from '../follows-users.js';
import { signOut, signOutEverywhere } from './commands.js';
import { type TokenPorts } from './ports.js';
import * as schemas from './schemas.js';
import { linked } from '../../http/openapi/links.js';

export interface TokenRoutesOptions extends TokenPorts {
  readonly credentials: Credentials;
  readonly followsUsers: () => boolean;
}

const signedOut = { 200: { description: 'The tokens are void. There is no body.', schema: null } };

export function tokenRoutes(ports: TokenRoutesOptions): readonly Route<Viewer>[] {
  return [
    signInRoute(ports),
    route<Viewer>({
      method: 'DELETE',
      path: '/tokens',
      access: 'protected',
      tag: schemas.TAG,
      summary: 'Sign out everywhere.',
      description: 'Every token of the caller is void.',
      responses: signedOut,
      async handle({ ctx, viewer }) {
        await signOutEverywhere({ viewer, requestId: ctx.state.requestId }, ports);
      },
    }),
    route<Viewer, schemas.TokenParams>({
      method: 'DELETE',
      path: '/tokens/:token',
      access: 'protected',
      tag: schemas.TAG,
      summary: 'Sign out.',
      description:
        'The token, one of the caller, is void. After 1,000 calls in a day, all tokens of the caller are void.',
      params: schemas.tokenParams,
      responses: signedOut,
      async handle({ ctx, viewer, params }) {
        await signOut({ viewer, requestId: ctx.state.requestId }, params.token, ports);
      },
    }),
  ];
}

function signInRoute({ tokens, credentials, followsUsers, unshown }: TokenRoutesOptions): Route<Viewer> {
  return route<Viewer, Nothing, Nothing, schemas.SignIn>({
    method: 'POST',
    path: '/tokens',
    access: 'public',
    tag: schemas.TAG,
    summary: 'Sign in.',
    description: 'The token is valid for 24 hours.',
    body: schemas.signIn,
    form: true,
    responses: {
      200: {
        description: 'The token',
        schema: schemas.tokenSchema,
        links: linked(['deleteTokensToken'], { token: '$response.body#/token' }),
      },
    },
    async handle({ ctx, body: { username, password } }) {
      refuseUnlessFollowed(followsUsers);
      const user = await credentials.check(username, password, ctx.state.address);
      if (user.status === 'suspended') throw suspended();
      ctx.state.userId = user.id;
      // After all tokens have ended, a token of an earlier revision would end with them.
      const token = tokens.issue(unshown.shown(user));
      ctx.body = { user_id: String(user.id), token, uri: `/api/tokens/${token}` };
    },
  });
}
