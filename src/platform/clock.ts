// The clock that everything takes as an argument.

/** Tests and the simulation pass their own. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
