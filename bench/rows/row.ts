import { type Stage } from '../stage.js';
import { type Measured } from '../table.js';

export interface Row {
  readonly name: string;
  /** Measures nothing of the seeded data directory. */
  readonly ownPlatform?: true;
  /** Only a run that names it measures it. */
  readonly onRequest?: true;
  measure(stage: Stage): Promise<readonly Measured[]>;
}
