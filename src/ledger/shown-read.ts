// Reads what a majority has acknowledged, until a majority shows it: after an election it may show less than it did.
import { computeBackoff, retryRead } from '../platform/concurrency/backoff.ts';
import { sleep, type Timer } from '../platform/concurrency/timer.ts';
import { createUnavailableError } from './append/unavailable.ts';

/** About a second. */
const READS_MAX = 12;

/** Repeats `read` while it returns null. `what`: is read, as an error says it. @throws AppError `SERVICE_UNAVAILABLE` */
export async function readShown<T>(
  timer: Timer,
  what: string,
  read: () => Promise<T | null>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    await sleep(timer, computeBackoff(attempt));
    const found = await retryRead(timer, read);
    if (found !== null) return found;
    if (attempt === READS_MAX) throw createUnavailableError(`${what} cannot be read`);
  }
}
