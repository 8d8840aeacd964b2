// Writing the operations audit log: rows are written with their change and sealed onto the chain (document 3, section 4.4).
import type { Platform } from '../../composition/platform.ts';
import { type AuditEvent, ORGANIZATION_DELETED } from '../../domain/record/audit-event.ts';
import type { AuditEntryDocument, AuditRowDocument } from './audit.model.ts';
import { auditDraft } from './audit-draft.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'newId' | 'random16' | 'logger' | 'auditChain'>;

/** A row that is written and not yet sealed. */
export interface AuditRow {
  auditId: string;
  event: AuditEvent;
}

/** A row that its request has not sealed by then was left behind by a crash. */
const LEFT_BEHIND_MS = 5000;
const SWEEP_BATCH = 500;

export function createAuditService(deps: Deps) {
  const { models, auditChain, clock, newId, random16, logger } = deps;

  async function append({ auditId, event }: AuditRow): Promise<void> {
    await auditChain.appender.append(auditDraft({ auditId, event }, random16));
    await models.auditRows.deleteOne({ _id: auditId, organizationId: event.organizationId });
  }

  /** Writes the row; inside a transaction it stands or falls with it. */
  async function record(event: AuditEvent): Promise<AuditRow> {
    const auditId = newId();
    await models.auditRows.create([
      { _id: auditId, organizationId: event.organizationId, event, createdAt: clock.now() },
    ]);
    return { auditId, event };
  }

  /** Seals a written row. A row that cannot be sealed now is sealed by the sweep: its change is committed already. */
  async function seal(row: AuditRow): Promise<void> {
    await append(row).catch((error: unknown) =>
      logger.error({ err: error, auditId: row.auditId }, 'audit row waits to be sealed'),
    );
  }

  return {
    record,
    seal,

    async write(event: AuditEvent): Promise<void> {
      await seal(await record(event));
    },

    /** Seals what a crash left behind. Sealing twice is harmless, for the audit id is unique in the chain. */
    async sweep(): Promise<void> {
      const before = new Date(clock.now().getTime() - LEFT_BEHIND_MS);
      const rows = await models.auditRows
        .find({ createdAt: { $lt: before } }, null, {
          crossTenant: true,
          sort: { createdAt: 1 },
          limit: SWEEP_BATCH,
        })
        .lean<AuditRowDocument[]>();
      for (const row of rows) await append({ auditId: row._id.toHexString(), event: row.event });
    },

    /** Erases what the log of a deleted organisation says of people; false while the entry of its deletion is not sealed. */
    async erase(organizationId: string): Promise<boolean> {
      const where = { organizationId, action: ORGANIZATION_DELETED, status: 'success' } as const;
      const deletion = await models.auditEntries.findOne(where).lean<AuditEntryDocument>();
      if (!deletion) return false;
      await auditChain.emptyEntries(organizationId, deletion.sequence);
      return true;
    },
  };
}
export type AuditService = ReturnType<typeof createAuditService>;
