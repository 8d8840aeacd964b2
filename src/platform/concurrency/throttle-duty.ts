// The duty of throttled work, the part of a thread that it takes, by how busy the thread is with everything else.

/** The duty on an idle instance; the rests show whether it still is idle. */
export const MOST_DUTY = 0.9;
/** The duty on an instance that is never idle, for work without a waiting caller: it ends there, too. */
export const LEAST_DUTY = 0.04;
/** Busy for this part of its time with other things, an instance leaves no more than the least. */
const BUSY = 0.2;
const REST_MIN_MS = 1;
const REST_MAX_MS = 250;
/** Time that tells how busy an instance is: briefly more is believed sooner than briefly less. */
const RISE_MS = 10;
const FALL_MS = 100;

/** @param busy part of its time that the instance is busy with other things */
export function computeDuty(busy: number, least = LEAST_DUTY): number {
  return Math.max(least, MOST_DUTY * (1 - busy / BUSY));
}

/** How long to rest after some work, so that it keeps its duty. */
export function restMs(workedMs: number, busy: number, least = LEAST_DUTY): number {
  const duty = computeDuty(busy, least);
  return Math.min(REST_MAX_MS, Math.max(REST_MIN_MS, (workedMs * (1 - duty)) / duty));
}

/** How busy the instance is, after it was busy for `seen.busy` of a rest of `seen.ms` milliseconds. */
export function busyAfter(busy: number, seen: { busy: number; ms: number }): number {
  const weight = seen.ms / (seen.busy > busy ? RISE_MS : FALL_MS);
  return busy + (seen.busy - busy) * Math.min(1, weight);
}
