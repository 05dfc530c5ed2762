import { type SchemaObject } from 'ajv';
import { type Context } from 'koa';
import { isoDate } from '../../artifacts/fields/dates.js';
import { Problem } from '../../core/problem.js';
import { type Viewer } from '../../authorization/viewer.js';
import { setLocation } from '../../http/location.js';
import { pageQuery, setPage, type PageQuery } from '../../http/pagination.js';
import { route, type Nothing, type Route } from '../../http/route.js';
import { idParam } from '../../http/validate.js';
import { type UserView } from '../../users/user-view.js';
import { type AccessKey } from '../../users/access-key.js';
import { changeAccessKey, type AccessKeyPorts } from './commands.js';
import { hashOf, identifierOf, newSecret, parseIdentifier } from './identifier.js';

const PAGE = 10;
const MAX_PAGE = 50;
const LAST_YEAR = 9999;

interface SelfOrId {
  readonly id: string;
}

interface NewKey {
  readonly description?: string;
  readonly expiration_date?: string | null;
}

const selfOrId: SchemaObject = {
  type: 'object',
  properties: { id: { type: 'string', pattern: '^(self|[0-9]+)$' } },
  required: ['id'],
};

/** Every key is of the one scope that clients know for the whole API. */
const SCOPE = { key: 'write:rest', name: 'REST API', description: 'All that its user may read and write' };

const newKeySchema: SchemaObject = {
  type: 'object',
  properties: {
    description: { type: 'string', maxLength: 1000 },
    expiration_date: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'ISO-8601 with offset, in the future; the key does not expire without one',
    },
    scopes: {
      type: 'array',
      minItems: 1,
      items: { enum: [SCOPE.key, 'all'] },
      nullable: true,
      description: 'Every key reaches what its user does: there is no narrower scope',
    },
  },
};

const identifierSchema: SchemaObject = {
  type: 'object',
  properties: { identifier: { type: 'string', description: 'Goes into the X-Auth-AccessKey header; shown only now' } },
  required: ['identifier'],
};

export const accessKeyRoutes = (ports: AccessKeyPorts): readonly Route<Viewer>[] => [
  create(ports),
  list(),
  one(),
  revoke(ports),
];

const create = (ports: AccessKeyPorts): Route<Viewer> =>
  route<Viewer, Nothing, Nothing, NewKey>({
    method: 'POST',
    path: '/access_keys',
    access: 'protected',
    summary: 'Makes a key that can be used in place of a token, by scripts for instance. It is shown once.',
    body: newKeySchema,
    responses: { 201: { description: 'The key', schema: identifierSchema } },
    async handle({ ctx, viewer, body: { description = '', expiration_date: expiration = null } }) {
      const user = signedIn(viewer);
      const now = ports.clock();
      const expiresAt = expiration === null ? null : futureInstant(expiration, now);
      const identifier = { accessKeyId: await ports.nextAccessKeyId(), secret: newSecret() };
      const { accessKeyId, secret } = identifier;
      const key = { accessKeyId, secretHash: hashOf(secret), description, expiresAt, at: now.toISOString() };
      await changeAccessKey(ports, user, { type: 'CreateAccessKey', userId: user.id, ...key }, ctx.state.requestId);
      ctx.status = 201;
      setLocation(ctx, `access_keys/${accessKeyId}`);
      ctx.body = { identifier: identifierOf(identifier) };
    },
  });

const list = (): Route<Viewer> =>
  route<Viewer, SelfOrId, PageQuery>({
    method: 'GET',
    path: '/users/:id/access_keys',
    access: 'protected',
    summary: 'The keys of the user who asks, without their secrets.',
    params: selfOrId,
    query: pageQuery(PAGE, MAX_PAGE),
    responses: { 200: { description: 'A page of keys' } },
    handle({ ctx, viewer, params: { id }, query: { limit, offset } }) {
      const user = signedIn(viewer);
      if (id !== 'self' && Number(id) !== user.id) throw new Problem('forbidden', 'these are the keys of another user');
      setPage(ctx, { limit, offset, total: user.accessKeys.length, max: MAX_PAGE });
      ctx.body = user.accessKeys.slice(offset, offset + limit).map(representation);
    },
  });

const one = (): Route<Viewer> =>
  route<Viewer, SelfOrId>({
    method: 'GET',
    path: '/access_keys/:id',
    access: 'protected',
    summary: 'A key of the user who asks, or as `self` the one that the request is made with; without its secret.',
    params: selfOrId,
    responses: { 200: { description: 'The key' } },
    handle({ ctx, viewer, params: { id } }) {
      ctx.body = representation(ownKey(signedIn(viewer), id === 'self' ? idInUse(ctx) : Number(id)));
    },
  });

const revoke = (ports: AccessKeyPorts): Route<Viewer> =>
  route<Viewer, { readonly id: number }>({
    method: 'DELETE',
    path: '/access_keys/:id',
    access: 'protected',
    summary: 'Revokes a key of the user who asks, at once.',
    params: idParam(),
    responses: { 200: { description: 'Revoked; no body' } },
    async handle({ ctx, viewer, params: { id } }) {
      const user = signedIn(viewer);
      const { id: accessKeyId } = ownKey(user, id);
      await changeAccessKey(
        ports,
        user,
        { type: 'RevokeAccessKey', userId: user.id, accessKeyId },
        ctx.state.requestId,
      );
    },
  });

function futureInstant(written: string, now: Date): string {
  const instant = new Date(written);
  const isKnown = instant.getUTCFullYear() <= LAST_YEAR;
  if (isKnown && instant > now) return instant.toISOString();
  const message = isKnown ? 'has to be in the future' : `is no instant of a year up to ${LAST_YEAR}`;
  const pointer = '/expiration_date';
  throw new Problem('invalid', `${pointer} ${message}`, { details: [{ pointer, message }] });
}

/** The header is looked at before all others, so that what it holds is good by now. */
const idInUse = (ctx: Context): number | undefined => parseIdentifier(ctx.get('X-Auth-AccessKey'))?.accessKeyId;

function ownKey({ accessKeys }: UserView, wanted: number | undefined): AccessKey {
  const key = accessKeys.find(({ id }) => id === wanted);
  if (key === undefined) throw new Problem('not-found', 'you have no such access key');
  return key;
}

function representation({ id, description, createdAt, expiresAt, lastUsedAt }: AccessKey): object {
  return {
    id,
    creation_date: isoDate(createdAt),
    expiration_date: expiresAt && isoDate(expiresAt),
    description,
    last_used_on: lastUsedAt && isoDate(lastUsedAt),
    // From which address is not kept: the log is for ever.
    last_used_by: null,
    scopes: [SCOPE],
  };
}

function signedIn({ user }: Viewer): UserView {
  if (user === null) throw new Problem('unauthenticated', 'this needs a signed-in user');
  return user;
}
