import { type LinkType } from '../../platform/platform-events.js';
import { platformDecider, type PlatformCommand, type Platform } from '../../platform/platform.js';
import { DEFAULTS } from '../format/defaults.js';
import { type LinkTypeEntry, type PlatformFile } from '../format/platform-schema.js';
import { inside, desired } from './member.js';
import { refuseDuplicates, refuseFaultyLabel, type Resolver } from './resolver.js';
import { stageOf, type PlanStep } from './plan-step.js';

export function settingsSteps(
  { settings, artifact_link_types: linkTypes = [] }: PlatformFile,
  resolver: Resolver,
): readonly PlanStep[] {
  const { present, complain } = resolver;
  refuseDuplicates(
    linkTypes.map(({ shortname }) => shortname),
    (index) => `/artifact_link_types/${index}/shortname`,
    complain,
  );
  const platform = present.platform();
  linkTypes.forEach((type, index) => {
    const known = platform.linkTypes.find(({ shortname }) => shortname === type.shortname);
    const pointer = `/artifact_link_types/${index}`;
    refuseFaultyLabel(type.forward_label, known?.forwardLabel, `${pointer}/forward_label`, resolver);
    refuseFaultyLabel(type.reverse_label, known?.reverseLabel, `${pointer}/reverse_label`, resolver);
  });
  const { allowed, limit, enabled } = desiredSettings(settings, platform);
  const steps: readonly PlanStep[] = [
    step(
      `${allowed ? 'open' : 'close'} the platform to anonymous readers`,
      { type: 'SetAnonymousAccess', allowed },
      allowed,
    ),
    // A limit of 0 forbids deletions.
    step(
      `let a user delete ${limit} artifacts in 24 hours`,
      { type: 'SetDeletionLimit', limit },
      platform.artifactDeletionLimit === 0,
    ),
    step(`${enabled ? 'archive' : 'no longer archive'} deleted artifacts`, { type: 'SetArchiving', enabled }),
    ...linkTypes.map(linkType).map((type) =>
      step(`set link type ${type.shortname}: ${type.forwardLabel} / ${type.reverseLabel}`, {
        type: 'SetLinkType',
        linkType: type,
      }),
    ),
  ];
  return steps.filter(({ of, command }) => of === 'platform' && platformDecider.decide(command, platform).length > 0);
}

export const linkType = (entry: LinkTypeEntry): LinkType => ({
  shortname: entry.shortname,
  forwardLabel: entry.forward_label,
  reverseLabel: entry.reverse_label,
});

function desiredSettings(settings: PlatformFile['settings'], present: Platform) {
  return {
    allowed: desired<boolean>(inside(settings, 'anonymous_access'), present.anonymousAccess, DEFAULTS.anonymousAccess),
    limit: desired<number>(
      inside(settings, 'artifact_deletion_limit'),
      present.artifactDeletionLimit,
      DEFAULTS.artifactDeletionLimit,
    ),
    enabled: desired<boolean>(
      inside(settings, 'archive_deleted_artifacts'),
      present.archiveDeletedArtifacts,
      DEFAULTS.archiveDeletedArtifacts,
    ),
  };
}

function step(words: string, command: PlatformCommand, widens = false): PlanStep {
  return { words, widens, stage: stageOf(widens), of: 'platform', command };
}
