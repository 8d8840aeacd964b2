// Verifies the heads log of the installation, beside the daily verification of every chain.
import type { Platform } from '../../../platform/platform.ts';
import { findHeadsBreak } from '../../../ledger/log/heads-log.ts';
import type { Break } from '../../../ledger/verify/report.ts';
import { judgeByLogKeys } from '../keys/log-keys.service.ts';

/** Verifies the heads log. Logs and returns the first mismatch; null: none. */
export async function checkHeads(platform: Platform): Promise<Break | null> {
  const { db } = platform.connection;
  if (!db) return null;
  const { broken } = await judgeByLogKeys(platform, async (logKeys) => ({
    broken: logKeys.length === 0 ? null : await findHeadsBreak({ db, logKeys }),
  }));
  if (broken) platform.logger.error({ broken }, 'the heads log is not what was signed');
  return broken;
}
