// The logs as answers are made of them: a row that was altered is none. Signing and its release read them as they are.
import { requireWhole } from '../../ledger/log/guard-rows.ts';
import { isLogRow } from '../../ledger/log/stored-rows.ts';
import type { LogDocument } from './logs.model.ts';
import type { LogService } from './logs.service.ts';

/** Each read throws `HASH_CHAIN_BROKEN` for a row that was altered. */
export function createCheckedLogs(logs: LogService): LogService {
  const check = <T extends LogDocument | null>(log: T): T => log && requireWhole(log, isLogRow);
  return {
    ...logs,
    findLog: async (...given) => check(await logs.findLog(...given)),
    findLogById: async (logId) => check(await logs.findLogById(logId)),
    findLogByOrigin: async (...given) => check(await logs.findLogByOrigin(...given)),
    findHeadsLog: async () => check(await logs.findHeadsLog()),
    openHeadsLog: async () => check(await logs.openHeadsLog()),
  };
}
