import { platformDecider, type PlatformCommand } from '../settings/settings-decider.js';
import { type PlatformFile } from './file-shape.js';
import { refuseDuplicates, type Resolver } from './resolver.js';
import { type Step } from './step.js';

export function settingsSteps(
  { settings, artifact_link_types: linkTypes }: PlatformFile,
  { present, complain }: Resolver,
): readonly Step[] {
  refuseDuplicates(
    linkTypes.map(({ shortname }) => shortname),
    (index) => `/artifact_link_types/${index}/shortname`,
    complain,
  );
  const { anonymous_access: allowed, artifact_deletion_limit: limit, archive_deleted_artifacts: enabled } = settings;
  const wanted: readonly Step[] = [
    step(`${allowed ? 'open' : 'close'} the platform to anonymous readers`, { type: 'SetAnonymousAccess', allowed }),
    step(`let a user delete ${limit} artifacts in 24 hours`, { type: 'SetDeletionLimit', limit }),
    step(`${enabled ? 'archive' : 'no longer archive'} deleted artifacts`, { type: 'SetArchiving', enabled }),
    ...linkTypes.map(({ shortname, forward_label: forwardLabel, reverse_label: reverseLabel }) =>
      step(`set link type ${shortname}: ${forwardLabel} / ${reverseLabel}`, {
        type: 'SetLinkType',
        linkType: { shortname, forwardLabel, reverseLabel },
      }),
    ),
  ];
  const platform = present.platform();
  return wanted.filter(({ of, command }) => of === 'platform' && platformDecider.decide(command, platform).length > 0);
}

function step(words: string, command: PlatformCommand): Step {
  return { words, of: 'platform', command };
}
