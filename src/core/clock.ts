/** The time of the service: injected, because the rules about 24 hours are tested from outside. */
export type Clock = () => Date;

/** NaN, which equals nothing, for a text that is no date. */
export const epochSeconds = (instant: string | Date): number => Math.floor(new Date(instant).getTime() / 1000);
