import { type Revision } from '../core/event-log.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { type Project } from './project.js';

export interface ProjectView extends Project, Document {
  readonly id: number;
  readonly revision: Revision;
}

export const PROJECTS = 'projects';

export const projectViews: ReadModel<ProjectView> = { name: PROJECTS, category: 'project' };
