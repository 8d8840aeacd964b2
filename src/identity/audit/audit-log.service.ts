// Reads and verifies the operations audit log (document 3, section 4.4); `audit.service.ts` writes it.
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AUDIT, isSequence, SEQUENCES } from '../../ledger/chains.ts';
import { readErasedUntil } from '../../ledger/verify/erased-until.ts';
import type { Break, BrokenReason } from '../../ledger/verify/report.ts';
import { findOr404, type Listed, listPage } from '../../platform/mongo/queries.ts';
import { type AuditFilter, toAuditConditions } from './audit-filter.ts';
import type { AuditEntryDocument } from './audit.model.ts';
import { toAuditEntryView } from './audit.view.ts';
import type { AuditEntryView, AuditVerification } from './audit.schemas.ts';

type Deps = Pick<Platform, 'models' | 'verificationWorker' | 'clock' | 'logger'>;

/** The public keys that sign checkpoints of the chain. */
interface LogKeys {
  /** Judges by these keys, and once more when another one has begun to sign since. */
  judgeByKeys<T extends { broken: unknown }>(judge: (keys: string[]) => Promise<T>): Promise<T>;
}

export function createAuditLogService(
  { models, verificationWorker, clock, logger }: Deps,
  { logKeys }: { logKeys: LogKeys },
) {
  return {
    /** Newest first. */
    async listEntries(
      { organizationId }: Tenant,
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
    },

    /** @throws AppError `NOT_FOUND` */
    async loadEntry({ organizationId }: Tenant, auditId: string): Promise<AuditEntryView> {
      const where = { organizationId, auditId };
      return toAuditEntryView(
        await findOr404(models.auditEntries.findOne(where).lean<AuditEntryDocument>()),
      );
    },

    /** Replays the organisation's chain. */
    async verify({
      organizationId,
      signal,
    }: Pick<Tenant, 'organizationId' | 'signal'>): Promise<AuditVerification> {
      const known = {
        now: clock.now(),
        reached: 0,
        after: null,
        signal,
        erasedUntil: await readErasedUntil(organizationId, { models, clock }),
      };
      const found = await logKeys.judgeByKeys((keys) =>
        verificationWorker.verify(AUDIT, organizationId, { ...known, logKeys: keys }),
      );
      const { verified, totalChecked: totalEntries, lastHash, broken } = found;
      if (broken) logger.error({ organizationId, broken }, 'an audit chain is not what was sealed');
      return { verified, totalEntries, lastHash, ...(broken && { error: describe(broken) }) };
    },
  };
}
export type AuditLogService = ReturnType<typeof createAuditLogService>;

const BREAKS = {
  'prev-hash-mismatch': 'previous-hash mismatch',
  'chain-hash-mismatch': 'altered entry',
  'sequence-gap': 'missing entry',
} as const satisfies Record<BrokenReason, string>;

function describe({ sequence, reason, what }: Break): string {
  return `${BREAKS[reason]} at sequence ${sequence}: ${what}`;
}
