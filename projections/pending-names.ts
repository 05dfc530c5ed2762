import { type Recorded } from '../src/core/event-log.js';
import { type NameEvent, type UniqueName } from '../src/core/name-reservation.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';
import {
  PENDING_NAMES,
  pendingNameId,
  pendingNamesViews,
  type PendingNameView,
} from '../src/names/pending-names-view.js';
import { type ProjectEvent } from '../src/projects/project-events.js';
import { type SvnEvent } from '../src/svn/repository-events.js';
import { type TrackerEvent } from '../src/trackers/tracker-events.js';
import { type UserEvent } from '../src/users/user-events.js';

type PendingNameEvent = NameEvent | UserEvent | ProjectEvent | TrackerEvent | SvnEvent;

/** Names without their bearer: what a recovery has to finish. A tracker's name is given back by the next platform file. */
export const pendingNames: Projection<PendingNameEvent> = {
  name: PENDING_NAMES,
  version: 1,
  models: [pendingNamesViews.name],
  when: {
    NameReserved: (event) => pending(event, event.data, { step: 'create', bearer: event.data.id }),
    NameReleased: ({ data }) => settled(data.kind, data.id),
    UserRegistered: ({ data }) => settled('user', data.userId),
    ProjectRegistered: ({ data }) => settled('project', data.projectId),
    TrackerDefined: ({ data }) => settled('tracker', data.trackerId),
    SvnRepositoryCreated: ({ data }) => settled('svn', data.repositoryId),
    SvnRepositoryDeleted: (event) => {
      const { projectId: scope, name, repositoryId: bearer } = event.data;
      return pending(event, { kind: 'svn', scope, name }, { step: 'release', bearer });
    },
  },
};

function pending(
  { metadata: { actor, at } }: Recorded,
  { kind, scope, name }: UniqueName,
  next: Pick<PendingNameView, 'step' | 'bearer'>,
): readonly Effect[] {
  const id = pendingNameId(kind, next.bearer);
  return [effect(pendingNamesViews, id, () => ({ id, kind, scope, name, ...next, actor, at }))];
}

const settled = (kind: UniqueName['kind'], bearer: number): readonly Effect[] => [
  effect(pendingNamesViews, pendingNameId(kind, bearer), () => null),
];
