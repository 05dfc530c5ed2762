/** What settings are judged by, and what is found wrong with them. */
import { type Violation } from '../core/problem.js';
import { type Definitions } from '../definitions/definitions.js';
import { type Viewer } from '../authorization/viewer.js';
import { type ProjectView } from '../projects/project-view.js';

/** `isUnknown`: it names something that does not exist. */
export interface Fault extends Violation {
  readonly isUnknown?: boolean;
}

export interface SettingsContext {
  readonly project: ProjectView;
  readonly definitions: Definitions;
  readonly viewer: Viewer;
}
