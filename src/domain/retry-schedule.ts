// The schedule of retries after a failed delivery (docs/internals/decisions/events.md).

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export interface RetrySchedule {
  /** Milliseconds after the first, second ... failure. */
  delays: readonly number[];
  /** Whether the last delay repeats without end; otherwise the row becomes a dead letter. */
  isEndless: boolean;
}

/** Retries to external receivers, which may be down for days. */
export const RECEIVER_RETRIES: RetrySchedule = {
  delays: [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  isEndless: false,
};

/** Retries of internal work: only a fault of Assay or its database can delay it, and nothing may be lost. */
export const PROMPT_RETRIES: RetrySchedule = {
  delays: [1, 2, 5, 10, 20, 30].map((seconds) => seconds * SECOND),
  isEndless: true,
};
const JITTER = 0.1;

/**
 * Milliseconds until the next attempt after `failures` failures; null: give up.
 * @param chance 0 to 1, spreads attempts by a tenth in either direction
 */
export function computeRetryDelay(
  { delays, isEndless }: RetrySchedule,
  failures: number,
  chance: number,
): number | null {
  const delay = delays[failures - 1] ?? (isEndless ? delays.at(-1) : undefined);
  return delay === undefined ? null : Math.round(delay * (1 - JITTER + 2 * JITTER * chance));
}
