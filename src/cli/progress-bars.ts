import { MultiBar, Presets } from 'cli-progress';

/** Parts of a bar. */
export const WHOLE = 1000;

export const progressBars = (format: string): MultiBar =>
  new MultiBar({ format, noTTYOutput: true, hideCursor: true }, Presets.legacy);

/** Null is not known yet. */
export function timeLeft(seconds: number | null): string {
  if (seconds === null) return '?';
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
