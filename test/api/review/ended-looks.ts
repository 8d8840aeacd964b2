// Ends the looks at the database of requests that wait for a verdict, so that signals alone wake them.
import { onTestFinished, vi } from 'vitest';
import { LOOK_EVERY_MS } from '../../../src/decisions/traces/review/callers/review-waiting.service.ts';

const NEVER_MS = 2 ** 31 - 1;

/** Waits that begin in this test are not looked at every few seconds. */
export function endLooks(): void {
  const { setInterval: repeat } = globalThis;
  const repeatOther = (run: () => void, ms?: number): NodeJS.Timeout =>
    repeat(run, ms === LOOK_EVERY_MS ? NEVER_MS : ms);
  const spy = vi.spyOn(globalThis, 'setInterval').mockImplementation(repeatOther as never);
  onTestFinished(() => spy.mockRestore());
}
