import { type Directory } from '../definitions/definitions.js';
import { type ProjectView } from '../projects/project-view.js';
import { userGroups } from '../projects/representation.js';
import { minimalUser } from '../users/representation.js';
import { type Notification, type SvnRepository, type SvnSettings } from './repository.js';

export type NamedRepository = Pick<SvnRepository, 'name'> & { readonly id: number };

/** What every reader of the project sees. `origin`: under which the reader reached the service. */
export function svnRepository({ id, name }: NamedRepository, project: ProjectView, origin: string) {
  return {
    id,
    project: projectOfRepository(project),
    uri: `svn/${id}`,
    name,
    svn_url: `${origin}/svnplugin/${encodeURIComponent(project.shortname)}/${name}`,
  };
}

function projectOfRepository({ id, label, shortname, status, access }: ProjectView) {
  const heading = { id, uri: `projects/${id}`, label, label_without_icon: label };
  return { ...heading, shortname, status, access, is_template: false };
}

/** For the administrators of the project. */
export function fullSvnRepository(
  repository: NamedRepository & Pick<SvnRepository, 'settings'>,
  project: ProjectView,
  { origin, directory }: { readonly origin: string; readonly directory: Directory },
) {
  return {
    ...svnRepository(repository, project, origin),
    settings: settingsRepresentation(repository.settings, project, directory),
  };
}

function settingsRepresentation(settings: SvnSettings, project: ProjectView, directory: Directory) {
  const { commitRules, immutableTags, accessFile, emailNotifications, hasDefaultPermissions } = settings;
  return {
    commit_rules: {
      is_reference_mandatory: commitRules.isReferenceMandatory,
      is_commit_message_change_allowed: commitRules.isCommitMessageChangeAllowed,
    },
    immutable_tags: immutableTags,
    access_file: accessFile,
    email_notifications: emailNotifications.map((notification) => recipients(notification, project, directory)),
    has_default_permissions: hasDefaultPermissions,
  };
}

/** Groups that the project has no more are left out. */
function recipients({ path, emails, users, groups }: Notification, project: ProjectView, directory: Directory) {
  return {
    user_groups: userGroups(project, groups),
    users: users.flatMap((id) => directory.user(id) ?? []).map(minimalUser),
    emails,
    path,
  };
}
