/** What settings are judged by. */
import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { type ProjectView } from '../projects/project-view.js';
import { type SvnSettings } from './repository-events.js';

export interface SettingsContext {
  readonly project: ProjectView;
  readonly definitions: Definitions;
  readonly viewer: Viewer;
  /** Those that are replaced. */
  readonly stored?: SvnSettings;
}
