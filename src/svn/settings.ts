/** From the settings of a request to those of the log: judged whole, in one form that compares. */
import { inPieces } from '../core/concurrency/others-turn.js';
import { Problem, type Violation } from '../core/problem.js';
import { foldText } from '../core/text/spelling.js';
import { accessFileFaults } from './access-file.js';
import { checkedNotifications } from './notifications.js';
import { type SvnSettings } from './repository-events.js';
import { type OptionalSettings, type SettingsBody } from './schemas.js';
import { type SettingsContext } from './settings-context.js';
import { svnPathFault } from './svn-path.js';

const MAX_ACCESS_FILE_BYTES = 262_144;
/** Of one list, with a line break between two paths. */
const MAX_TAGS_BYTES = 65_535;
const MAX_DETAILS = 100;

const NEW_REPOSITORY: Required<SettingsBody> = {
  commit_rules: { is_reference_mandatory: false, is_commit_message_change_allowed: false },
  immutable_tags: { paths: [], whitelist: [] },
  access_file: '',
  email_notifications: [],
  has_default_permissions: true,
};

/** What is not given is as in a new repository. Throws when anything is wrong, naming all that is. */
export async function checkedSettings(given: OptionalSettings, context: SettingsContext): Promise<SvnSettings> {
  const rules = given.commit_rules ?? NEW_REPOSITORY.commit_rules;
  const tags = given.immutable_tags ?? NEW_REPOSITORY.immutable_tags;
  const accessFile = given.access_file ?? NEW_REPOSITORY.access_file;
  const notified = given.email_notifications ?? NEW_REPOSITORY.email_notifications;
  const { notifications, faults } = await inPieces(checkedNotifications(notified, context));
  refuse([...tagFaults(tags), ...(await fileFaults(accessFile, context)), ...faults]);
  return {
    commitRules: {
      isReferenceMandatory: rules.is_reference_mandatory,
      isCommitMessageChangeAllowed: rules.is_commit_message_change_allowed,
    },
    immutableTags: { paths: tags.paths, whitelist: tags.whitelist },
    accessFile,
    emailNotifications: notifications,
    hasDefaultPermissions: given.has_default_permissions ?? NEW_REPOSITORY.has_default_permissions,
  };
}

function refuse(faults: readonly Violation[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const details = faults.slice(0, MAX_DETAILS).map(({ pointer, message }): Violation => ({ pointer, message }));
  throw new Problem('invalid', `${first.pointer} ${first.message}`, { details });
}

function tagFaults({ paths: tagPaths, whitelist }: SettingsBody['immutable_tags']): readonly Violation[] {
  return Object.entries({ paths: tagPaths, whitelist }).flatMap(([name, paths]) => {
    const pointer = `/settings/immutable_tags/${name}`;
    const faults = paths.flatMap((path, index) => svnPathFault(path, `${pointer}/${index}`));
    const isTooBig = Buffer.byteLength(paths.join('\n')) > MAX_TAGS_BYTES;
    return isTooBig ? [...faults, { pointer, message: `takes ${MAX_TAGS_BYTES} bytes at most` }] : faults;
  });
}

/**
 * Beside those of the file, a rule may name the groups that the platform keeps for the project. An unchanged file is taken
 * back, though a group may be gone since, or a rule of this service may be new.
 */
async function fileFaults(text: string, { project, stored }: SettingsContext): Promise<readonly Violation[]> {
  if (text === stored?.accessFile) return [];
  const pointer = '/settings/access_file';
  if (Buffer.byteLength(text) > MAX_ACCESS_FILE_BYTES) {
    return [{ pointer, message: `takes ${MAX_ACCESS_FILE_BYTES} bytes at most` }];
  }
  const kept = new Set(['members', 'admins', ...project.groups.map(({ shortName }) => foldText(shortName))]);
  const faults = await accessFileFaults(text, (name) => kept.has(foldText(name)), MAX_DETAILS);
  return faults.map(({ line, message }) => ({ pointer, message: `line ${line} ${message}` }));
}
