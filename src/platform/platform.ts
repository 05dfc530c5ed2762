/** The rules of the platform's settings. A file of its own because the read model folds the same events. */
import { isDeepStrictEqual } from 'node:util';
import { type Decider } from '../core/decider.js';
import { type LinkType, type PlatformEvent } from './platform-events.js';

export type PlatformCommand =
  | { readonly type: 'SetDeletionLimit'; readonly limit: number }
  | { readonly type: 'SetAnonymousAccess'; readonly allowed: boolean }
  | { readonly type: 'SetArchiving'; readonly enabled: boolean }
  /** Adds it, or gives new labels to the one with its shortname. */
  | { readonly type: 'SetLinkType'; readonly linkType: LinkType };

export interface Platform {
  readonly anonymousAccess: boolean;
  readonly artifactDeletionLimit: number;
  readonly archiveDeletedArtifacts: boolean;
  /** Besides the built-in ones. */
  readonly linkTypes: readonly LinkType[];
}

/** The defaults before the first event. */
export const DEFAULT_PLATFORM: Platform = {
  anonymousAccess: true,
  artifactDeletionLimit: 0,
  archiveDeletedArtifacts: false,
  linkTypes: [],
};

export const platformDecider: Decider<Platform, PlatformCommand, PlatformEvent> = {
  initialState: DEFAULT_PLATFORM,

  decide(command, { linkTypes, ...platform }) {
    switch (command.type) {
      case 'SetDeletionLimit': {
        const { limit } = command;
        return limit === platform.artifactDeletionLimit ? [] : [{ type: 'DeletionLimitSet', data: { limit } }];
      }
      case 'SetAnonymousAccess': {
        const { allowed } = command;
        return allowed === platform.anonymousAccess ? [] : [{ type: 'AnonymousAccessSet', data: { allowed } }];
      }
      case 'SetArchiving': {
        const { enabled } = command;
        return enabled === platform.archiveDeletedArtifacts ? [] : [{ type: 'ArchivingSet', data: { enabled } }];
      }
      case 'SetLinkType':
        return linkTypeSet(command.linkType, linkTypes);
    }
  },

  evolve(platform, { type, data }) {
    switch (type) {
      case 'DeletionLimitSet':
        return { ...platform, artifactDeletionLimit: data.limit };
      case 'AnonymousAccessSet':
        return { ...platform, anonymousAccess: data.allowed };
      case 'ArchivingSet':
        return { ...platform, archiveDeletedArtifacts: data.enabled };
      case 'LinkTypeAdded':
        return { ...platform, linkTypes: [...platform.linkTypes, data] };
      case 'LinkTypeRelabelled':
        return { ...platform, linkTypes: platform.linkTypes.map((known) => (isSameType(known, data) ? data : known)) };
    }
  },
};

const isSameType = (a: LinkType, b: LinkType): boolean => a.shortname === b.shortname;

function linkTypeSet(data: LinkType, linkTypes: readonly LinkType[]): readonly PlatformEvent[] {
  const known = linkTypes.find((linkType) => isSameType(linkType, data));
  if (known === undefined) return [{ type: 'LinkTypeAdded', data }];
  return isDeepStrictEqual(known, data) ? [] : [{ type: 'LinkTypeRelabelled', data }];
}
