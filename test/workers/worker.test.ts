// A worker process ends with its primary, and not before.
import { afterEach, expect, test, vi } from 'vitest';
import { endWithPrimary } from '../../src/workers/worker.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a worker whose primary is gone ends within a second, one whose primary lives does not', () => {
  vi.useFakeTimers();
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const connected = vi.spyOn(process, 'connected', 'get').mockReturnValue(true);
  endWithPrimary();
  vi.advanceTimersByTime(60_000);
  expect(exit).not.toHaveBeenCalled();
  connected.mockReturnValue(false);
  vi.advanceTimersByTime(1000);
  expect(exit).toHaveBeenCalled();
});
