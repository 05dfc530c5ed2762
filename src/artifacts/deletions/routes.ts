import { signedIn } from '../../authorization/caller.js';
import { type Viewer } from '../../authorization/viewer.js';
import { statedPrecondition } from '../../http/etag.js';
import { route, type Route } from '../../http/route.js';
import { idParam, type IdParams } from '../../http/validate.js';
import { header, NUMBER, optionalHeader } from '../../http/openapi/response-schema.js';
import { CONDITIONS, TAG } from '../schemas.js';
import { deleteArtifact } from './commands.js';
import { type DeletionPorts } from './ports.js';

const LIMIT = 'How many artifacts a user may delete in 24 hours';
const REMAINING = 'How many of these deletions are left to the user';

const ALLOWANCE = { 'X-RateLimit-Limit': header(LIMIT, NUMBER), 'X-RateLimit-Remaining': header(REMAINING, NUMBER) };

const UNLESS_EARLY = 'A request that is refused before the deletions are counted has none.';
const REFUSED = {
  'X-RateLimit-Limit': optionalHeader(`${LIMIT}. ${UNLESS_EARLY}`, NUMBER),
  'X-RateLimit-Remaining': optionalHeader(`${REMAINING}. ${UNLESS_EARLY}`, NUMBER),
};

export const deletionRoutes = (ports: DeletionPorts): readonly Route<Viewer>[] => [
  route<Viewer, IdParams>({
    method: 'DELETE',
    path: '/artifacts/:id',
    access: 'protected',
    tag: TAG,
    summary: 'Delete an artifact.',
    description:
      'Administrators of its tracker, of its project and of the site may do this. In any 24 hours, a user deletes as many artifacts as the platform allows.',
    params: idParam('artifact'),
    headers: CONDITIONS,
    responses: { 200: { description: 'The artifact is deleted. There is no body.', schema: null, headers: ALLOWANCE } },
    errors: {
      403: 'The user may not delete the artifact, or the platform allows no deletions.',
      412: 'A condition of the headers is false, as when the artifact has changed since the client read it.',
      429: 'The user has no deletion left, or too many sign-ins have failed. Retry-After gives the seconds to wait.',
    },
    errorHeaders: { 403: REFUSED, 404: REFUSED, 412: REFUSED, 429: REFUSED, 500: REFUSED, 503: REFUSED },
    async handle({ ctx, params, viewer }) {
      const caller = { viewer, user: signedIn(viewer), requestId: ctx.state.requestId };
      await deleteArtifact(
        { artifactId: params.id, precondition: statedPrecondition(ctx) },
        ports,
        caller,
        ({ limit, left }) => {
          ctx.set({ 'X-RateLimit-Limit': String(limit), 'X-RateLimit-Remaining': String(left) });
        },
      );
    },
  }),
];
