// The clock that services take as a dependency, and the machine's clocks that show whether it was set.
import { uptime } from 'node:os';

/** Wall clock; tests and the simulation pass their own. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** All in milliseconds. */
export interface MachineClocks {
  /** Since the epoch; may be set. */
  wall(): number;
  /** Cannot be set; stands still while the machine sleeps. */
  elapsed(): number;
  /** Cannot be set, and counts while the machine sleeps; slower to read. */
  sinceBoot(): number;
}

export const machineClocks: MachineClocks = {
  wall: () => Date.now(),
  elapsed: () => performance.now(),
  sinceBoot: () => uptime() * 1000,
};
