import { type Directory } from '../directory/directory.js';
import { route, type Route } from '../http/route.js';
import { idParam } from '../http/validate.js';
import { trackerStructure } from './representation.js';
import { trackerSchema } from './schemas.js';
import { visibleTracker } from './visible-tracker.js';

interface Id {
  readonly id: number;
}

interface Ports {
  readonly directory: Directory;
}

export function trackerRoutes({ directory }: Ports): readonly Route[] {
  return [
    route<Id>({
      method: 'GET',
      path: '/trackers/:id',
      access: 'hybrid',
      summary: 'The structure of a tracker: its fields, their values, and what the reader may do with them.',
      params: idParam(),
      responses: { 200: { description: 'The tracker', schema: trackerSchema } },
      handle({ ctx, params, viewer }) {
        ctx.body = trackerStructure(visibleTracker(directory, viewer, params.id), directory, viewer);
      },
    }),
  ];
}
