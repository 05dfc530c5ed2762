import { NO_STREAM, type Recorded } from '../src/core/event-log.js';
import { effect, type Effect, type Projection } from '../src/core/projection.js';
import { DEFAULT_PLATFORM, platformDecider } from '../src/platform/platform.js';
import { type PlatformEvent } from '../src/platform/platform-events.js';
import { PLATFORM, platformViews, type PlatformView } from '../src/platform/platform-view.js';
import { assertNoRevisionGap } from './revision-gap.js';

export const platform: Projection<PlatformEvent> = {
  name: PLATFORM,
  version: 2,
  models: [platformViews.name],
  when: {
    DeletionLimitSet: evolved,
    AnonymousAccessSet: evolved,
    ArchivingSet: evolved,
    LinkTypeAdded: evolved,
    LinkTypeRelabelled: evolved,
  },
};

function evolved(event: Recorded<PlatformEvent>): readonly Effect[] {
  return [
    effect(platformViews, 1, (document): PlatformView => {
      assertNoRevisionGap(document ?? { revision: NO_STREAM }, event, 'platform');
      const platform = platformDecider.evolve(document ?? DEFAULT_PLATFORM, event);
      return { ...platform, id: 1, revision: event.revision };
    }),
  ];
}
