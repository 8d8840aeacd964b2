// Writes the audit log: rows are stored with their change, then sealed; other events at once (document 3, section 4.4).
import type { Platform } from '../../platform/platform.ts';
import { type AuditEvent, ORGANIZATION_DELETED } from '../../domain/record/audit-event.ts';
import { AppError } from '../../errors.ts';
import type { AuditEntryDocument, AuditRowDocument } from './audit.model.ts';
import { toAuditDraft } from './audit-draft.ts';

/** A row that is written and not yet sealed. */
export interface AuditRow {
  auditId: string;
  event: AuditEvent;
}

/** After this time an unsealed row counts as left behind by a crash. */
const LEFT_BEHIND_MS = 5000;
const SWEEP_BATCH = 500;
/** Attempts after which a row that cannot be sealed is set aside. */
const ATTEMPTS_MAX = 8;
/** Pause of an organisation whose chain or database is unavailable. */
const PAUSE_MS = 60_000;
const COUNTED_MAX = 10_000;
const anywhere = { crossTenant: true } as const;

/** Stores the row; inside a transaction it is committed with the change. */
export async function recordAudit(platform: Platform, event: AuditEvent): Promise<AuditRow> {
  const row = { auditId: platform.generateId(), event };
  await storeRow(platform, row);
  return row;
}

/** Seals a written row. A row that cannot be sealed now is sealed by the sweep: its change is committed already. */
export async function sealAuditRow(platform: Platform, row: AuditRow): Promise<void> {
  await append(platform, row).catch((error: unknown) => noteWaiting(platform, row, error));
}

/** Seals an event that belongs to no transaction; a row is stored only if it cannot be sealed now. */
export async function writeAudit(platform: Platform, event: AuditEvent): Promise<void> {
  const row = { auditId: platform.generateId(), event };
  try {
    await toChain(platform, row);
  } catch (error) {
    await storeRow(platform, row);
    noteWaiting(platform, row, error);
  }
}

/** Seals rows that a crash left behind. Sealing twice is harmless: the audit id is unique in the chain. */
export async function sweepAuditRows(platform: Platform): Promise<void> {
  const rows = await platform.models.auditRows
    .find({ dueAt: { $lte: platform.clock.now() } }, null, {
      crossTenant: true,
      sort: { dueAt: 1 },
      limit: SWEEP_BATCH,
    })
    .lean<AuditRowDocument[]>();
  const paused = new Set<string>();
  for (const row of rows) {
    const organizationId = row.organizationId.toHexString();
    if (!paused.has(organizationId) && !(await sealLeftBehind(platform, row)))
      paused.add(organizationId);
  }
}

/** Counts unsealed rows, each kind up to 10,000. */
export async function countAuditBacklog({
  models,
}: Platform): Promise<{ waiting: number; setAside: number }> {
  const count = (dueAt: object | null): Promise<number> =>
    models.auditRows.countDocuments({ dueAt }, anywhere).limit(COUNTED_MAX);
  const [waiting, setAside] = await Promise.all([count({ $ne: null }), count(null)]);
  return { waiting, setAside };
}

/** Erases personal data in the log of a deleted organisation; false while a row of it is not sealed. */
export async function eraseAuditLog(
  { models, auditChain }: Platform,
  organizationId: string,
): Promise<boolean> {
  await models.auditRows.deleteMany({ organizationId, dueAt: null });
  const where = { organizationId, action: ORGANIZATION_DELETED, status: 'success' } as const;
  const deletion = await models.auditEntries.findOne(where).lean<AuditEntryDocument>();
  if (!deletion) return false;
  await auditChain.emptyEntries(organizationId, deletion.sequence);
  return (await models.auditRows.exists({ organizationId })) === null;
}

async function toChain({ auditChain, draw16Bytes }: Platform, row: AuditRow): Promise<void> {
  await auditChain.appender.append(toAuditDraft(row, draw16Bytes));
}

async function append(platform: Platform, row: AuditRow): Promise<void> {
  await toChain(platform, row);
  const { organizationId } = row.event;
  await platform.models.auditRows.deleteOne({ _id: row.auditId, organizationId });
}

const toDueTime = ({ clock }: Platform, ms: number): Date => new Date(clock.now().getTime() + ms);

async function storeRow(platform: Platform, { auditId, event }: AuditRow): Promise<void> {
  const { organizationId } = event;
  const dueAt = toDueTime(platform, LEFT_BEHIND_MS);
  const row = { _id: auditId, organizationId, event, createdAt: platform.clock.now(), dueAt };
  await platform.models.auditRows.create([row]);
}

const noteWaiting = ({ logger }: Platform, { auditId }: AuditRow, error: unknown): void =>
  logger.error({ err: error, auditId }, 'audit row waits to be sealed');

/** Postpones all rows of an organisation that cannot seal now, so that they delay no other organisation. */
async function pause(platform: Platform, { organizationId }: AuditRowDocument): Promise<void> {
  const due = { organizationId, dueAt: { $lte: platform.clock.now() } };
  await platform.models.auditRows.updateMany(due, {
    $set: { dueAt: toDueTime(platform, PAUSE_MS) },
  });
}

/** Schedules another attempt; after the last one the row is set aside for an operator. */
async function retryLater(
  platform: Platform,
  row: AuditRowDocument,
  error: unknown,
): Promise<void> {
  const { _id, organizationId } = row;
  const attempts = (row.attempts ?? 0) + 1;
  const isLast = attempts >= ATTEMPTS_MAX;
  const dueAt = isLast ? null : toDueTime(platform, LEFT_BEHIND_MS * 2 ** attempts);
  await platform.models.auditRows.updateOne({ _id, organizationId }, { $set: { attempts, dueAt } });
  const details = { err: error, auditId: _id.toHexString(), organizationId };
  if (isLast) platform.logger.error(details, 'an audit row cannot be sealed: set aside');
  else platform.logger.warn(details, 'an audit row cannot be sealed yet');
}

/** False when nothing of its organisation can be sealed now. */
async function sealLeftBehind(platform: Platform, row: AuditRowDocument): Promise<boolean> {
  try {
    await append(platform, { auditId: row._id.toHexString(), event: row.event });
    return true;
  } catch (error) {
    const isTransient = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE';
    await (isTransient ? pause(platform, row) : retryLater(platform, row, error));
    return !isTransient;
  }
}
