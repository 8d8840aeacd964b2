// Reads and verifies the operations audit log (document 3, section 4.4); `audit.service.ts` writes it.
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AUDIT, isSequence, SEQUENCES } from '../../ledger/chains.ts';
import { readHeadSequence } from '../../ledger/heads/head-sequence.ts';
import { readErasedUntil } from '../../ledger/verify/erased-until.ts';
import type { Break, BrokenReason } from '../../ledger/verify/report.ts';
import { findOr404, type Listed, listPage } from '../../platform/mongo/queries.ts';
import { type AuditFilter, toAuditConditions } from './audit-filter.ts';
import type { AuditEntryDocument } from './audit.model.ts';
import { toAuditEntryView } from './audit.view.ts';
import type { AuditEntryView, AuditVerification } from './audit.schemas.ts';
import type { Context } from '../../platform/context.ts';
import { getUpperRooms } from '../upper-rooms.ts';

/** Newest first. */
export async function listAuditEntries(
  { platform: { models }, tenant: { organizationId } }: Context,
  filter: AuditFilter,
  page: Page,
): Promise<Listed<AuditEntryView>> {
  const where = { organizationId, sequence: SEQUENCES, ...toAuditConditions(filter) };
  const sort = { sequence: -1 } as const;
  const { items, total } = await listPage(models.auditEntries, where, { ...page, sort });
  return {
    items: items.filter(({ sequence }) => isSequence(sequence)).map(toAuditEntryView),
    total,
  };
}

/** @throws AppError `NOT_FOUND` */
export async function loadAuditEntry(
  { platform: { models }, tenant: { organizationId } }: Context,
  auditId: string,
): Promise<AuditEntryView> {
  const where = { organizationId, auditId };
  return toAuditEntryView(
    await findOr404(models.auditEntries.findOne(where).lean<AuditEntryDocument>()),
  );
}

/** Replays the organisation's chain. */
export async function verifyAuditLog(
  platform: Platform,
  { organizationId, signal }: Pick<Tenant, 'organizationId' | 'signal'>,
): Promise<AuditVerification> {
  const known = {
    now: platform.clock.now(),
    reached: 0,
    after: null,
    signal,
    erasedUntil: await readErasedUntil(organizationId, {
      models: platform.models,
      clock: platform.clock,
    }),
  };
  const found = await getUpperRooms(platform).logKeys.judgeByKeys((keys) =>
    platform.verificationWorker.verify(AUDIT, organizationId, { ...known, logKeys: keys }),
  );
  const { verified, totalChecked: totalEntries, lastHash, broken } = found;
  if (broken)
    platform.logger.error({ organizationId, broken }, 'an audit chain is not what was sealed');
  return { verified, totalEntries, lastHash, ...(broken && { error: describe(broken) }) };
}

/** The number of entries, without a verification. */
export const readAuditLength = ({ models }: Platform, organizationId: string): Promise<number> =>
  readHeadSequence(models.auditEntries, organizationId);

const BREAKS = {
  'prev-hash-mismatch': 'previous-hash mismatch',
  'chain-hash-mismatch': 'altered entry',
  'sequence-gap': 'missing entry',
} as const satisfies Record<BrokenReason, string>;

function describe({ sequence, reason, what }: Break): string {
  return `${BREAKS[reason]} at sequence ${sequence}: ${what}`;
}
