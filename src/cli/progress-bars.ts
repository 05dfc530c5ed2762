import { MultiBar, Presets } from 'cli-progress';

/** Parts of a bar. */
export const WHOLE = 1000;

export const progressBars = (format: string): MultiBar =>
  new MultiBar({ format, noTTYOutput: true, hideCursor: true }, Presets.legacy);
