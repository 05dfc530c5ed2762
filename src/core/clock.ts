/** The time of the service: injected, because the rules about 24 hours are tested from outside. */
export type Clock = () => Date;

/** For how long something lasts: no change of the machine's time moves it. */
export const steadyClock: Clock = () => new Date(performance.timeOrigin + performance.now());

/** NaN, which equals nothing, for a text that is no date. */
export const epochSeconds = (instant: string | Date): number => Math.floor(new Date(instant).getTime() / 1000);

/** Clocks differ and are set back, but the times of a stream's events never decrease. */
export function notBefore(last: string | undefined, at: string): string {
  return last !== undefined && Date.parse(last) > Date.parse(at) ? last : at;
}
