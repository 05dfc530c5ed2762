/** The time of the service: injected, because the rules about 24 hours are tested from outside. */
export type Clock = () => Date;

/** For how long something lasts: no change of the machine's time moves it. */
export const steadyClock: Clock = () => new Date(performance.timeOrigin + performance.now());

/** NaN, which equals nothing, for a text that is no date. */
export const epochSeconds = (instant: string | Date): number => Math.floor(new Date(instant).getTime() / 1000);

/**
 * The instant of an event after the last one of its stream. Clocks differ and are set back, but the times of a stream
 * never decrease. Where they are ahead of the clock, each is one second later: Last-Modified has whole seconds, and
 * clients send it back as a precondition.
 */
export function notBefore(last: string | undefined, at: string): string {
  const behindMs = Date.parse(last ?? at) - Date.parse(at);
  if (behindMs > 1000) return new Date(Date.parse(at) + behindMs + 1000).toISOString();
  return behindMs > 0 && last !== undefined ? last : at;
}
