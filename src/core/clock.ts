/** The time of the service: injected, because the rules about 24 hours are tested from outside. */
export type Clock = () => Date;
