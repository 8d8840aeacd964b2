// When a failed delivery is retried (docs/decisions.md: webhook retries).

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays in milliseconds after the first, second ... failure; after the last one the row is a dead letter. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const JITTER = 0.1;

/**
 * Milliseconds until the next attempt after `failures` failures; null: give up.
 * @param chance 0 to 1, spreads attempts by a tenth either way
 */
export function retryDelay(failures: number, chance: number): number | null {
  const delay = RETRY_DELAYS[failures - 1];
  return delay === undefined ? null : Math.round(delay * (1 - JITTER + 2 * JITTER * chance));
}
