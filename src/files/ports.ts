/** What the commands of files work with. */
import { type BlobStore } from '../core/blob-store.js';
import { type Clock } from '../core/clock.js';
import { type EventLog } from '../core/event-log.js';
import { type ExpiringCounters } from '../core/expiring-counters.js';
import { type ReadModels } from '../core/read-models.js';
import { type Viewer } from '../authorization/viewer.js';
import { type Definitions } from '../definitions/definitions.js';
import { type FileView } from './file-view.js';

export interface FilePorts {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly blobs: BlobStore;
  readonly counters: ExpiringCounters;
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly nextFileId: () => Promise<number>;
  /** The files that events of the artifact attach. */
  readonly attachedFiles: (artifactId: number) => Promise<ReadonlySet<number>>;
  /** Whether the viewer may read the file: of one that is attached, every user who may read the field that holds it. */
  readonly isVisible: (file: FileView, viewer: Viewer) => Promise<boolean>;
}
