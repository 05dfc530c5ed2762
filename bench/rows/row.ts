import { type Stage } from '../stage.js';
import { type Measured } from '../table.js';

export interface Row {
  readonly name: string;
  measure(stage: Stage): Promise<readonly Measured[]>;
}
