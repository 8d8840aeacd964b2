// Compares secrets.
import { hash, timingSafeEqual } from 'node:crypto';

/** Whether two texts are the same, in a time that tells nothing of either. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
