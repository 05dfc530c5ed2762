import { type Context } from 'koa';
import { signedIn } from '../../authorization/caller.js';
import { type Viewer } from '../../authorization/viewer.js';
import { LOCATION, setLocation } from '../../http/location.js';
import { listOf } from '../../http/openapi/response-schema.js';
import { listPage } from '../../http/pages/list-page.js';
import { setPage, type PageQuery } from '../../http/pages/pagination.js';
import { route, type Nothing, type Route } from '../../http/route.js';
import { idParam, type IdParams } from '../../http/validate.js';
import { selfOrId, type SelfOrId } from '../../users/schemas.js';
import { createAccessKey, revokeAccessKey } from './commands.js';
import { type AccessKeyPorts } from './ports.js';
import { identifierOf, parseIdentifier } from './identifier.js';
import { ownKey, ownKeys } from './queries.js';
import { accessKeyRepresentation } from './representation.js';
import * as schemas from './schemas.js';

export const accessKeyRoutes = (ports: AccessKeyPorts): readonly Route<Viewer>[] => [
  create(ports),
  list(),
  one(),
  revoke(ports),
];

const create = (ports: AccessKeyPorts): Route<Viewer> =>
  route<Viewer, Nothing, Nothing, schemas.NewKey>({
    method: 'POST',
    path: '/access_keys',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Create an access key.',
    description:
      'A key replaces a token in scripts. The answer shows it once, because the service keeps only a hash of it.',
    body: schemas.newKey,
    responses: { 201: { description: 'The key', schema: schemas.identifierSchema, headers: LOCATION } },
    errors: { 409: 'The user has as many keys as a user may have.' },
    async handle({ ctx, viewer, body }) {
      const identifier = await createAccessKey({ viewer, requestId: ctx.state.requestId }, body, ports);
      ctx.status = 201;
      setLocation(ctx, `access_keys/${identifier.accessKeyId}`);
      ctx.body = { identifier: identifierOf(identifier) };
    },
  });

const list = (): Route<Viewer> =>
  route<Viewer, SelfOrId, PageQuery>({
    method: 'GET',
    path: '/users/:id/access_keys',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'List the access keys of the caller.',
    params: selfOrId,
    query: schemas.listQuery,
    responses: { 200: { description: 'A page of keys', schema: listOf(schemas.keySchema) } },
    handle({ ctx, viewer, params: { id }, query }) {
      const keys = ownKeys(signedIn(viewer), id);
      const page = listPage(keys, query, (key) => key.id);
      setPage(ctx, { ...query, ...page, max: schemas.LIST_MAX });
      ctx.body = page.items.map(accessKeyRepresentation);
    },
  });

const one = (): Route<Viewer> =>
  route<Viewer, SelfOrId>({
    method: 'GET',
    path: '/access_keys/:id',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Get an access key of the caller.',
    description: 'The id `self` is the key that the request carries.',
    params: selfOrId,
    responses: { 200: { description: 'The key, without its secret', schema: schemas.keySchema } },
    handle({ ctx, viewer, params: { id } }) {
      ctx.body = accessKeyRepresentation(ownKey(signedIn(viewer), id === 'self' ? idInUse(ctx) : Number(id)));
    },
  });

const revoke = (ports: AccessKeyPorts): Route<Viewer> =>
  route<Viewer, IdParams>({
    method: 'DELETE',
    path: '/access_keys/:id',
    access: 'protected',
    tag: schemas.TAG,
    summary: 'Revoke an access key of the caller.',
    params: idParam('access key'),
    responses: { 200: { description: 'The key is void. There is no body.', schema: null } },
    async handle({ ctx, viewer, params: { id } }) {
      await revokeAccessKey({ viewer, requestId: ctx.state.requestId }, ownKey(signedIn(viewer), id), ports);
    },
  });

/** The header is looked at before all others, so that what it holds is good by now. */
const idInUse = (ctx: Context): number | undefined => parseIdentifier(ctx.get('X-Auth-AccessKey'))?.accessKeyId;
