// Verifies the heads log of the installation, beside the daily verification of every chain.
import type { Platform } from '../../../platform/platform.ts';
import { findHeadsBreak } from '../../../ledger/log/heads-log.ts';
import type { Break } from '../../../ledger/verify/report.ts';
import type { LogKeyService } from '../keys/log-keys.service.ts';

export function createHeadsCheckService(
  { connection, logger }: Pick<Platform, 'connection' | 'logger'>,
  { keys }: { keys: LogKeyService },
) {
  return {
    /** Verifies the heads log. Logs and returns the first mismatch; null: none. */
    async checkHeads(): Promise<Break | null> {
      const { db } = connection;
      if (!db) return null;
      const { broken } = await keys.judgeByKeys(async (logKeys) => ({
        broken: logKeys.length === 0 ? null : await findHeadsBreak({ db, logKeys }),
      }));
      if (broken) logger.error({ broken }, 'the heads log is not what was signed');
      return broken;
    },
  };
}
export type HeadsCheckService = ReturnType<typeof createHeadsCheckService>;
