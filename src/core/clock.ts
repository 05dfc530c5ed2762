/** The time of the service: injected, because the rules about 24 hours are tested from outside. */
export type Clock = () => Date;

/** For how long something lasts: no change of the machine's time moves it. */
export const steadyClock: Clock = () => new Date(performance.timeOrigin + performance.now());

/** NaN, which equals nothing, for a text that is no date. */
export const epochSeconds = (instant: string | Date): number => Math.floor(new Date(instant).getTime() / 1000);

const MAX_OFFSET_HOURS = 14;

/** Of a time zone as dates name it. Undefined for one that no place on earth has. */
export function offsetMinutes(zone = 'Z'): number | undefined {
  if (/^[a-z]/i.test(zone)) return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (minutes > 59 || hours * 60 + minutes > MAX_OFFSET_HOURS * 60) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
