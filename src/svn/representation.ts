import { type Viewer } from '../authorization/viewer.js';
import { type Definitions } from '../definitions/definitions.js';
import { jsonOfEach } from '../http/json-of-each.js';
import { aroundMember, jsonList, type Parts } from '../http/send-json.js';
import { type ProjectView } from '../projects/project-view.js';
import { minimalProject, userGroups } from '../projects/representation.js';
import { minimalUser } from '../users/representation.js';
import { type SvnRepository } from './repository.js';
import { type Notification, type SvnSettings } from './repository-events.js';

export interface RepositoryReading {
  readonly definitions: Definitions;
  readonly viewer: Viewer;
  /** Under which the reader reached the service. */
  readonly origin: string;
}

type NamedRepository = Pick<SvnRepository, 'name'> & { readonly id: number };

/** What every reader of the project sees. */
export function svnRepository({ id, name }: NamedRepository, project: ProjectView, origin: string) {
  return {
    id,
    project: minimalProject(project),
    uri: `svn/${id}`,
    name,
    svn_url: `${origin}/svnplugin/${encodeURIComponent(project.shortname)}/${name}`,
  };
}

/** JSON that is made while it is taken. Only administrators of the project see the settings. */
export async function* repositoryTexts(
  { settings, ...repository }: NamedRepository & Pick<SvnRepository, 'settings'>,
  project: ProjectView,
  { origin, definitions, isAdmin }: Pick<RepositoryReading, 'origin' | 'definitions'> & { readonly isAdmin: boolean },
): AsyncGenerator<Parts, void, void> {
  const whatAllSee = JSON.stringify(svnRepository(repository, project, origin));
  if (!isAdmin) {
    yield [whatAllSee];
    return;
  }
  const [open, close] = aroundNotifications(settings);
  const notifications = jsonOfEach(settings.emailNotifications, (one) => recipients(one, project, definitions));
  yield* jsonList(notifications, [`${whatAllSee.slice(0, -1)},"settings":${open}`, `${close}}`]);
}

function aroundNotifications({ commitRules, immutableTags, accessFile, hasDefaultPermissions }: SvnSettings) {
  const before = {
    commit_rules: {
      is_reference_mandatory: commitRules.isReferenceMandatory,
      is_commit_message_change_allowed: commitRules.isCommitMessageChangeAllowed,
    },
    immutable_tags: immutableTags,
    access_file: accessFile,
  };
  return aroundMember(before, 'email_notifications', { has_default_permissions: hasDefaultPermissions });
}

/** Groups that the project has no more are left out. */
function recipients({ path, emails, users, groups }: Notification, project: ProjectView, definitions: Definitions) {
  return {
    user_groups: userGroups(project, groups),
    users: users.flatMap((id) => definitions.user(id) ?? []).map(minimalUser),
    emails,
    path,
  };
}
