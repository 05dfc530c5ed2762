import { signedIn } from '../../authorization/caller.js';
import { type Viewer } from '../../authorization/viewer.js';
import { route, type Route } from '../../http/route.js';
import { idParam } from '../../http/validate.js';
import { deleteArtifact } from './commands.js';
import { type DeletionPorts } from './ports.js';

export const deletionRoutes = (ports: DeletionPorts): readonly Route<Viewer>[] => [
  route<Viewer, { readonly id: number }>({
    method: 'DELETE',
    path: '/artifacts/:id',
    access: 'protected',
    summary:
      'Deletes an artifact, for administrators of its tracker. X-RateLimit-Limit and X-RateLimit-Remaining tell how many deletions a user has in 24 hours; 429 with Retry-After once they are used up.',
    params: idParam(),
    responses: { 200: { description: 'Deleted; no body' } },
    async handle({ ctx, params, viewer }) {
      const caller = { viewer, user: signedIn(viewer), requestId: ctx.state.requestId };
      await deleteArtifact(params.id, ports, caller, ({ limit, left }) => {
        ctx.set({ 'X-RateLimit-Limit': String(limit), 'X-RateLimit-Remaining': String(left) });
      });
    },
  }),
];
