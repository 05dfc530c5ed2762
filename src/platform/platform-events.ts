import { type Event, type StreamName } from '../core/event-log.js';
import { type EventTypes } from '../core/event-types.js';

export interface LinkType {
  readonly shortname: string;
  readonly forwardLabel: string;
  readonly reverseLabel: string;
}

/** Stored for ever: extend, never rename. All in one stream, platform-1. */
export type PlatformEvent =
  | Event<'DeletionLimitSet', { limit: number }>
  | Event<'AnonymousAccessSet', { allowed: boolean }>
  | Event<'ArchivingSet', { enabled: boolean }>
  | Event<'LinkTypeAdded', LinkType>
  | Event<'LinkTypeRelabelled', LinkType>;

export const platformEventTypes: EventTypes<PlatformEvent> = {
  DeletionLimitSet: [],
  AnonymousAccessSet: [],
  ArchivingSet: [],
  LinkTypeAdded: [],
  LinkTypeRelabelled: [],
};

export const PLATFORM_STREAM: StreamName = 'platform-1';
