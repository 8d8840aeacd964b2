// Whether this instance should be sent requests: the database answers, the clock agrees, it is not draining.
import type { Platform } from '../../platform/platform.ts';
import { AppError } from '../../errors.ts';

type Deps = Pick<Platform, 'checkDatabase' | 'clockAgrees'>;

export function createReadiness({ checkDatabase: ping, clockAgrees }: Deps) {
  let draining = false;
  return {
    /** Marks this instance as not ready. */
    drain(): void {
      draining = true;
    },

    /** @throws AppError `SERVICE_UNAVAILABLE`; only the log names the failed check */
    async check(): Promise<void> {
      const failed = [draining && 'draining', !clockAgrees() && 'clock'].filter(Boolean);
      const database = await ping().then(
        () => null,
        (error: unknown) => error,
      );
      if (database === null && failed.length === 0) return;
      throw new AppError('SERVICE_UNAVAILABLE', 'Not ready', {
        cause: database ?? new Error(failed.join(', ')),
      });
    },
  };
}
export type Readiness = ReturnType<typeof createReadiness>;
