// Time as an argument: the only reader of the system clock besides the logger.

/** Source of the present moment; tests and the simulation pass their own. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
