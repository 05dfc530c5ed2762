import { type Revision } from '../core/event-log.js';
import { type Document, type ReadModel } from '../core/read-models.js';
import { type Platform } from './platform.js';

export interface PlatformView extends Platform, Document {
  readonly id: 1;
  readonly revision: Revision;
}

export const PLATFORM = 'platform';

export const platformViews: ReadModel<PlatformView> = { name: PLATFORM, category: 'platform' };
