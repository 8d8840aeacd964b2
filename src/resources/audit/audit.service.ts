// The operations audit log: rows are written with their change, sealed onto the chain, listed and verified (document 3, section 4.4).
import type { Platform } from '../../composition/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { type AuditEvent, ORGANIZATION_DELETED } from '../../domain/record/audit-event.ts';
import { payloadDigest } from '../../domain/record/chain.ts';
import { sealValues } from '../../domain/record/commitments.ts';
import type { Json } from '../../domain/record/json.ts';
import { type Actor, auditPayload } from '../../domain/record/payload.ts';
import { AppError } from '../../errors.ts';
import { AUDIT } from '../../ledger/chains.ts';
import type { Draft } from '../../ledger/entry.ts';
import type { Break, BrokenReason } from '../../ledger/verify/report.ts';
import type { AuditEntryDocument, AuditRowDocument } from './audit.model.ts';

type Deps = Pick<
  Platform,
  'models' | 'verificationWorker' | 'clock' | 'newId' | 'random16' | 'logger' | 'auditChain'
>;

/** A row that is written and not yet sealed. */
export interface AuditRow {
  auditId: string;
  event: AuditEvent;
}

export interface AuditFilter {
  action?: string | undefined;
  userId?: string | undefined;
  resource?: string | undefined;
  resourceId?: string | undefined;
  workspaceId?: string | undefined;
  status?: 'success' | 'failure' | undefined;
  dateFrom?: Date | undefined;
  dateTo?: Date | undefined;
  search?: string | undefined;
}

/** Events that the interface description spells in two ways; a filter for either finds both. */
const SPELLINGS: readonly (readonly string[])[] = [
  ['scim.user.create', 'scim.user.created'],
  ['scim.user.deactivate', 'scim.user.deactivated'],
  ['team.update_role', 'team.member.role_changed'],
];
/** A row that its request has not sealed by then was left behind by a crash. */
const LEFT_BEHIND_MS = 5000;
const SWEEP_BATCH = 500;

export function createAuditService({
  models,
  auditChain,
  verificationWorker,
  clock,
  newId,
  random16,
  logger,
}: Deps) {
  async function append({ auditId, event }: AuditRow): Promise<void> {
    await auditChain.appender.append(draftOf({ auditId, event }, random16));
    await models.auditRows.deleteOne({ _id: auditId, organizationId: event.organizationId });
  }

  const service = {
    /** Writes the row; inside a transaction it stands or falls with it. */
    async record(event: AuditEvent): Promise<AuditRow> {
      const auditId = newId();
      await models.auditRows.create([
        { _id: auditId, organizationId: event.organizationId, event, createdAt: clock.now() },
      ]);
      return { auditId, event };
    },

    /** Seals a written row. What cannot be sealed now stays a row, and the sweep seals it later: the change it tells of has happened. */
    async seal(row: AuditRow): Promise<void> {
      await append(row).catch((error: unknown) =>
        logger.error({ err: error, auditId: row.auditId }, 'audit row waits to be sealed'),
      );
    },

    async write(event: AuditEvent): Promise<void> {
      await service.seal(await service.record(event));
    },

    /** Seals what a crash left behind; twice is as good as once, for the audit id is unique in the chain. */
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

    async list(
      { organizationId }: Tenant,
      filter: AuditFilter,
      page: { skip: number; limit: number },
    ) {
      const where = { organizationId, ...conditionsOf(filter) };
      const [entries, total] = await Promise.all([
        models.auditEntries
          .find(where)
          .sort({ sequence: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .lean<AuditEntryDocument[]>(),
        models.auditEntries.countDocuments(where),
      ]);
      return { items: entries.map(presented), total };
    },

    /** Replays the organisation's chain; the first break is told in words. */
    async verify({ organizationId }: Tenant) {
      const found = await verificationWorker.verify(AUDIT, organizationId, clock.now());
      const { verified, totalChecked, lastHash, broken } = found;
      if (broken) logger.error({ organizationId, broken }, 'an audit chain is not what was sealed');
      return {
        verified,
        totalEntries: totalChecked,
        lastHash,
        ...(broken && { error: describe(broken) }),
      };
    },

    /** Erases what the logger of a deleted organisation says of people; false while the entry of its deletion is not sealed. */
    async erase(organizationId: string): Promise<boolean> {
      const where = { organizationId, action: ORGANIZATION_DELETED, status: 'success' } as const;
      const deletion = await models.auditEntries.findOne(where).lean<AuditEntryDocument>();
      if (!deletion) return false;
      await auditChain.emptyEntries(organizationId, deletion.sequence);
      return true;
    },

    /** @throws AppError `NOT_FOUND` */
    async find({ organizationId }: Tenant, auditId: string) {
      const entry = await models.auditEntries
        .findOne({ organizationId, auditId })
        .lean<AuditEntryDocument>();
      if (!entry) throw new AppError('NOT_FOUND');
      return presented(entry);
    },
  };
  return service;
}
export type AuditService = ReturnType<typeof createAuditService>;

const KINDS = {
  'prev-hash-mismatch': 'previous-hash mismatch',
  'chain-hash-mismatch': 'altered entry',
  'sequence-gap': 'missing entry',
} as const satisfies Record<BrokenReason, string>;

function describe({ sequence, reason, what }: Break): string {
  return `${KINDS[reason]} at sequence ${sequence}: ${what}`;
}

function actorOf({ userId, metadata }: AuditEvent): Actor {
  if (userId !== null) return { kind: 'user', id: userId };
  const [kind, id] = typeof metadata.actor === 'string' ? metadata.actor.split(':') : [];
  return kind === 'workspaceKey' || kind === 'agentKey'
    ? { kind, id: id ?? null }
    : { kind: 'system', id: null };
}

function draftOf({ auditId, event }: AuditRow, random16: () => Buffer): Draft {
  const {
    organizationId,
    workspaceId,
    userId,
    action,
    resource,
    resourceId,
    status,
    detail,
    userEmail,
    userRole,
    ipAddress,
    userAgent,
    metadata,
  } = event;
  // Metadata may hold dates and undefined members; what is committed is what JSON keeps of them.
  const plain = JSON.parse(JSON.stringify(metadata)) as Json;
  const { sealed, commitments } = sealValues(
    { userEmail, userRole, ipAddress, userAgent, detail, metadata: plain },
    random16,
  );
  const view = auditPayload({
    organizationId,
    workspaceId,
    actor: actorOf(event),
    auditId,
    action,
    status,
    resource,
    resourceId,
    commitments,
  });
  return {
    organizationId,
    kind: 'audit',
    traceId: null,
    view,
    payloadDigest: payloadDigest(view),
    fields: { auditId, workspaceId, userId, action, resource, resourceId, status, detail, sealed },
    once: auditId,
    monthlyLimit: null,
  };
}

function conditionsOf({
  action,
  dateFrom,
  dateTo,
  search,
  ...equal
}: AuditFilter): Record<string, unknown> {
  const given = Object.fromEntries(
    Object.entries(equal).filter(([, value]) => value !== undefined),
  );
  const literal =
    search === undefined
      ? undefined
      : new RegExp(search.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  return {
    ...given,
    ...(action !== undefined && {
      action: { $in: SPELLINGS.find((names) => names.includes(action)) ?? [action] },
    }),
    ...((dateFrom ?? dateTo) && {
      createdAt: { ...(dateFrom && { $gte: dateFrom }), ...(dateTo && { $lte: dateTo }) },
    }),
    ...(literal && { $or: [{ detail: literal }, { resourceId: literal }] }),
  };
}

/** An entry as the interface shows it: what is committed is shown from the committed text, not from its copies. */
function presented(entry: AuditEntryDocument) {
  const opened = Object.fromEntries(
    Object.entries(entry.sealed).map(([name, { text }]) => [name, JSON.parse(text) as Json]),
  );
  return {
    _id: entry.auditId,
    organizationId: entry.organizationId,
    workspaceId: entry.workspaceId,
    userId: entry.userId,
    userEmail: (opened.userEmail ?? null) as string | null,
    userRole: (opened.userRole ?? 'member') as string,
    action: entry.action,
    resource: entry.resource,
    resourceId: entry.resourceId,
    status: entry.status,
    detail: entry.detail,
    metadata: (opened.metadata ?? null) as Record<string, Json> | null,
    ipAddress: (opened.ipAddress ?? null) as string | null,
    userAgent: (opened.userAgent ?? null) as string | null,
    sequence: entry.sequence,
    chainHash: entry.chainHash,
    previousChainHash: entry.prevHash,
    createdAt: entry.createdAt,
  };
}
