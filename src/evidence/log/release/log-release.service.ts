// Closes logs that cannot go on, and opens the next one of each chain; the audit log names both (evidence.md).
import type { Platform } from '../../../platform/platform.ts';
import { createSystemAuditEvent } from '../../../domain/record/audit-event.ts';
import type { ChainName } from '../../../domain/record/bundle.ts';
import { recordAudit, sealAuditRow } from '../../../identity/audit/audit.service.ts';
import { hasOrganization } from '../../../identity/organization/organization-facts.service.ts';
import type { LogDocument } from '../logs.model.ts';
import { findHeadsLog, findLog, replaceLog } from '../logs.service.ts';
import { readLeaves } from '../signing/leaves.ts';

/** A log that cannot go on. */
export interface BrokenLog {
  origin: string;
  size: number;
  /** Why it cannot. */
  why: string;
}

/** A log that was closed, and the one that has followed it. */
export interface ReleasedLog extends BrokenLog {
  successor: string;
}

/** A chain, and the operator's reason. */
export interface LogReleaseRequest {
  organizationId: string;
  chain: ChainName;
  reason: string;
}

const RESTORED = 'the database was set back';

/** Finds the log of a chain if it cannot go on. */
export async function findBrokenLog(
  platform: Platform,
  request: Omit<LogReleaseRequest, 'reason'>,
): Promise<BrokenLog | null> {
  const found = await findBroken(platform, request);
  return found && { origin: found.origin, size: found.size, why: found.why };
}

/** Replaces the log of a chain; null, without writing anything, where it can go on. */
export async function releaseLog(
  platform: Platform,
  { reason, ...chain }: LogReleaseRequest,
): Promise<ReleasedLog | null> {
  const found = await findBroken(platform, chain);
  return found && replaceAndRecord(platform, found.log, found.why, reason);
}

/** Counts the logs that have signed something: what a restored database may have signed otherwise before. */
export async function describeHeads(
  platform: Platform,
): Promise<{ frozen: string | null; logs: number }> {
  const heads = await findHeadsLog(platform);
  const signed = await listSigned(platform);
  return { frozen: heads?.frozen?.why ?? null, logs: signed.length };
}

/**
 * Replaces every log that has signed something, the heads log last: no tree head is signed while that is frozen. A run that
 * was interrupted is continued by the next one.
 */
export async function releaseAll(platform: Platform, reason: string): Promise<ReleasedLog[]> {
  const heads = await findHeadsLog(platform);
  if (!heads?.frozen) return [];
  const released: ReleasedLog[] = [];
  for (const log of await listSigned(platform))
    released.push(await replaceAndRecord(platform, log, log.frozen?.why ?? RESTORED, reason));
  // What witnesses know of the closed log says nothing of the next one.
  await platform.models.witnessStates.deleteMany({});
  released.push(await replaceAndRecord(platform, heads, heads.frozen.why, reason));
  return released;
}

/** Says why a log cannot go on; null: it can. */
async function findBreak(platform: Platform, log: LogDocument): Promise<string | null> {
  if (log.frozen) return log.frozen.why;
  if (log.size === 0) return null;
  const organizationId = log.organizationId.toHexString();
  const place = { organizationId, chain: log.chain, from: log.size - 1, limit: 1 };
  const [leaf] = await readLeaves(platform, place);
  return leaf?.data.toString('hex') === log.head
    ? null
    : `the chain no longer has entry ${log.size} as it was signed`;
}

async function findBroken(
  platform: Platform,
  { organizationId, chain }: Omit<LogReleaseRequest, 'reason'>,
): Promise<(BrokenLog & { log: LogDocument }) | null> {
  const log = await findLog(platform, organizationId, chain);
  const why = log && (await findBreak(platform, log));
  return why ? { log, origin: log.origin, size: log.size, why } : null;
}

/** Replaces a log, and records it in the audit log of its organisation, if that is still there. */
async function replaceAndRecord(
  platform: Platform,
  log: LogDocument,
  why: string,
  reason: string,
): Promise<ReleasedLog> {
  const { origin, size, chain } = log;
  const organizationId = log.organizationId.toHexString();
  const isOwned = await hasOrganization(platform, organizationId);
  const { opened, row } = await platform.transaction(async () => {
    const next = await replaceLog(platform, log, why);
    const event = createSystemAuditEvent({
      organizationId,
      action: 'log.release',
      resource: 'log',
      resourceId: log._id,
      detail: `${chain}: the log ${origin} is closed, and ${next.origin} follows it: ${reason}`,
      metadata: { chain, closed: { origin, size, why }, opened: next.origin, reason },
    });
    return { opened: next, row: isOwned ? await recordAudit(platform, event) : null };
  });
  if (row) await sealAuditRow(platform, row);
  return { origin, size, why, successor: opened.origin };
}

/** Lists the newest log of each chain that has signed something. */
async function listSigned({ models }: Platform): Promise<LogDocument[]> {
  const newest = new Map<string, LogDocument>();
  const rows = models.logs
    .find({ chain: { $ne: 'heads' } })
    .setOptions({ crossTenant: true })
    .sort({ organizationId: 1, chain: 1, generation: 1 })
    .lean<LogDocument[]>();
  for (const log of await rows) newest.set(`${log.organizationId.toHexString()} ${log.chain}`, log);
  return [...newest.values()].filter(({ headId }) => headId !== null);
}
