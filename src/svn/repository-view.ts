import { type Revision } from '../core/event-log.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { foldText } from '../core/text/spelling.js';
import { type SvnRepository } from './repository.js';

/** A deleted repository has no document. */
export interface SvnRepositoryView extends Omit<SvnRepository, 'deleted'>, Document {
  readonly id: number;
  readonly revision: Revision;
}

/** Its id puts the repositories of a project in the order of their names, in which they are listed. */
export interface SvnNameView extends Document {
  readonly id: string;
  readonly repositoryId: number;
  readonly projectId: number;
  readonly name: string;
}

export const SVN = 'svn';

export const svnRepositoryViews: ReadModel<SvnRepositoryView> = {
  name: 'svn-repositories',
  category: 'svn',
};

export const svnNameViews: ReadModel<SvnNameView> = {
  name: 'svn-names',
  entries: ({ projectId, name }) => [
    { key: 'project', value: projectId, counted: true },
    { key: 'name', value: name },
  ],
};

/** A space sorts before every character of a name. */
export const svnNameId = (projectId: number, name: string): string => `${projectId} ${foldText(name)} ${name}`;
