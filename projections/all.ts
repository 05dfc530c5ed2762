import { type AnyProjection } from './engine/generation-progress.js';
import { artifacts } from './artifacts.js';
import { files } from './files.js';
import { pendingDeletions } from './pending-deletions.js';
import { pendingLinks } from './pending-links.js';
import { pendingNames } from './pending-names.js';
import { platform } from './platform.js';
import { projects } from './projects.js';
import { svn } from './svn.js';
import { trackers } from './trackers.js';
import { users } from './users.js';

export const all: readonly AnyProjection[] = [
  artifacts,
  files,
  pendingDeletions,
  pendingLinks,
  pendingNames,
  platform,
  projects,
  svn,
  trackers,
  users,
];
