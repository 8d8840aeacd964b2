// How much of a thread throttled work takes, by how busy the thread is with everything else.

/** The share on an idle instance; the rests show whether it still is idle. */
export const MOST_SHARE = 0.9;
/** The share on an instance that is never idle, for work without a waiting caller: it ends there, too. */
export const LEAST_SHARE = 0.04;
/** Busy for this share of its time with other things, an instance leaves no more than the least. */
const BUSY = 0.2;
const REST_MIN_MS = 1;
const REST_MAX_MS = 250;
/** Time that tells how busy an instance is: briefly more is believed sooner than briefly less. */
const RISE_MS = 10;
const FALL_MS = 100;

/** @param busy share of its time that the instance is busy with other things */
export function shareBeside(busy: number, least = LEAST_SHARE): number {
  return Math.max(least, MOST_SHARE * (1 - busy / BUSY));
}

/** How long to rest after some work, so that it takes its share. */
export function restMs(workedMs: number, busy: number, least = LEAST_SHARE): number {
  const share = shareBeside(busy, least);
  return Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, (workedMs * (1 - share)) / share));
}

/** How busy the instance is, after it was busy for `seen.share` of a rest of `seen.ms` milliseconds. */
export function busyAfter(busy: number, seen: { share: number; ms: number }): number {
  const weight = seen.ms / (seen.share > busy ? RISE_MS : FALL_MS);
  return busy + (seen.share - busy) * Math.min(1, weight);
}
