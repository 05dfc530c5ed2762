import { type UserDefinitions } from '../users/user-definitions.js';
import { type ProjectView } from './project-view.js';

/** Projects by what names them, and their users. Each throws `unavailable` for a project that is out of date. */
export interface ProjectDefinitions extends UserDefinitions {
  project(id: number): ProjectView | undefined;
  projectNamed(shortname: string): ProjectView | undefined;
  /** Of the project's own groups. */
  projectOfGroup(id: number): ProjectView | undefined;
  /** By id. Throws if one of them is marked: for one project, ask for that one. */
  projects(): readonly ProjectView[];
}
