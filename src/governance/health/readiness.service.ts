// Whether this instance should be sent requests: the database answers, the clock agrees, it is not draining.
import { AppError } from '../../errors.ts';
import { perInstance } from '../../platform/per-instance.ts';
import type { Platform } from '../../platform/platform.ts';

const openDraining = perInstance(() => ({ isDraining: false }));

/** Marks this instance as not ready. */
export function drainInstance(platform: Platform): void {
  openDraining(platform).isDraining = true;
}

/** @throws AppError `SERVICE_UNAVAILABLE`; only the log names the failed check */
export async function requireReady(platform: Platform): Promise<void> {
  const { isDraining } = openDraining(platform);
  const failed = [isDraining && 'draining', !platform.clockAgrees() && 'clock'].filter(Boolean);
  const database = await platform.checkDatabase().then(
    () => null,
    (error: unknown) => error,
  );
  if (database === null && failed.length === 0) return;
  throw new AppError('SERVICE_UNAVAILABLE', 'Not ready', {
    cause: database ?? new Error(failed.join(', ')),
  });
}
