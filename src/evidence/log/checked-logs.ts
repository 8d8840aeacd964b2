// The logs as answers are made of them: a row that was altered is none. Signing and its release read them as they are.
import { requireWhole } from '../../ledger/log/guard-rows.ts';
import { isLogRow } from '../../ledger/log/stored-rows.ts';
import type { Platform } from '../../platform/platform.ts';
import type { LogChain, LogDocument } from './logs.model.ts';
import {
  findHeadsLog,
  findLog,
  findLogById,
  findLogByOrigin,
  openHeadsLog,
} from './logs.service.ts';

/** @throws AppError `HASH_CHAIN_BROKEN` for a row that was altered, as all below */
export async function findCheckedLog(
  platform: Platform,
  organizationId: string,
  chain: LogChain,
): Promise<LogDocument | null> {
  return checkLog(await findLog(platform, organizationId, chain));
}

export async function findCheckedLogById(
  platform: Platform,
  logId: string,
): Promise<LogDocument | null> {
  return checkLog(await findLogById(platform, logId));
}

export async function findCheckedLogByOrigin(
  platform: Platform,
  organizationId: string,
  name: Pick<LogDocument, 'chain' | 'origin'>,
): Promise<LogDocument | null> {
  return checkLog(await findLogByOrigin(platform, organizationId, name));
}

export async function findCheckedHeadsLog(platform: Platform): Promise<LogDocument | null> {
  return checkLog(await findHeadsLog(platform));
}

export async function openCheckedHeadsLog(platform: Platform): Promise<LogDocument> {
  return checkLog(await openHeadsLog(platform));
}

const checkLog = <T extends LogDocument | null>(log: T): T => log && requireWhole(log, isLogRow);
