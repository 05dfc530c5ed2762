/** What the commands of artifacts work with. */
import { type BlobStore } from '../core/blob-store.js';
import { type Clock } from '../core/clock.js';
import { type EventLog } from '../core/event-log.js';
import { type Current } from '../core/folded-streams.js';
import { type ReadModels } from '../core/read-models.js';
import { type Definitions } from '../definitions/definitions.js';
import { type Caller } from '../authorization/caller.js';
import { type CompiledTracker } from '../trackers/compiled-tracker.js';
import { type Artifact } from './artifact.js';
import { type TextRendering } from './rendering/text-rendering.js';

export interface ArtifactPorts {
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly blobs: BlobStore;
  readonly texts: TextRendering;
  readonly nextArtifactId: () => Promise<number>;
  /** Where no other process answers reads. */
  readonly early?: EarlyAnswers;
}

/** Writes that are answered before the read models show them. */
export interface EarlyAnswers {
  /** Does a write that may be answered so. */
  readonly writing: (write: () => Promise<void>) => Promise<void>;
  /** Resolves once a write to these streams may be answered. `show` begins the wait for the read models at once. */
  readonly answer: (streams: readonly string[], show: () => Promise<unknown>) => Promise<void>;
  /** Resolves once the read models show what was answered; undefined if they do. */
  readonly shown: () => Promise<unknown> | undefined;
}

/** Who writes to which artifact. */
export interface ArtifactWrite {
  readonly tracker: CompiledTracker;
  readonly caller: Caller;
  /** As it stands before; left out for a new one. */
  readonly artifact?: Artifact;
}

/** Whether what the client last saw is what the stream holds. */
export type Precondition = (current: Pick<Current<unknown>, 'revision' | 'lastModified'>) => boolean;
