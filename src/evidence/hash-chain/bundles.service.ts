// Evidence bundles: the range of entries, and who may disclose committed values in them (document 2, section 4.5).
import type { Platform } from '../../platform/platform.ts';
import { MANAGERS } from '../../domain/identity/roles.ts';
import type { Tenant, User } from '../../domain/identity/tenant.ts';
import { type AuditEvent, createSystemAuditEvent } from '../../domain/record/audit-event.ts';
import type { ChainName } from '../../domain/record/bundle.ts';
import { formatChainTime } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { AUDIT, DECISIONS, findFirstInChain, NEWEST_MAX, SEQUENCES } from '../../ledger/chains.ts';
import type { LedgerEntryDocument } from '../../ledger/ledger.model.ts';
import type { BundleMeasure } from '../../ledger/verify/verification-thread.ts';
import { writeAudit } from '../../identity/audit/audit.service.ts';
import type { BundleQuery } from './hash-chain.schemas.ts';
import type { Context } from '../../platform/context.ts';

/** The chain whose entries are exported. */
interface ExportedChain {
  organizationId: string;
  chain: ChainName;
}

/** The caller that exports a bundle; `user` is null for a key. */
export interface BundleCaller {
  user: User | null;
  ip: string;
  userAgent: string | null;
}

export interface BundleDownload {
  filename: string;
  body: AsyncIterable<Uint8Array>;
}

/** The text of a bundle; generating it again gives the same text, unless values were erased in between. */
export interface BundleText {
  /** Measures the text by generating it once. */
  measure(signal: AbortSignal | undefined): Promise<BundleMeasure>;
  pieces(): AsyncIterable<Uint8Array>;
}

interface Range {
  first: number;
  last: number;
}
type Position = Pick<LedgerEntryDocument, 'sequence' | 'chainHash' | 'createdAt'>;

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 30;

/** `first` is greater than `last` for a bundle without entries. */
export async function prepareText(
  platform: Platform,
  exported: ExportedChain,
  { first, last, names }: Range & { names: readonly string[] },
): Promise<BundleText> {
  const { organizationId, chain } = exported;
  const source = chain === 'audit' ? AUDIT : DECISIONS;
  const head = await findNewest(platform, exported);
  const count = Math.max(0, last - first + 1);
  if (names.length > 0 && chain === 'ledger') await finishErasures(platform, organizationId, last);
  const bundle = {
    chain,
    organizationId,
    exportedAt: formatChainTime(platform.clock.now()),
    range: toSequences({ first, last }),
    head: head && { sequence: head.sequence, chainHash: head.chainHash },
    count,
    disclosed: names,
  };
  return {
    measure: (signal) => platform.verificationWorker.measure(source, { ...bundle, signal }),
    pieces: () => platform.verificationWorker.bundle(source, bundle),
  };
}

/** The entries of a period. @throws AppError `VALIDATION_ERROR` for one that ends before it begins */
export async function findRange(
  platform: Platform,
  exported: ExportedChain,
  period: { from: Date; to: Date },
): Promise<Range> {
  const head = await findNewest(platform, exported);
  return resolveRange(platform, exported, period, head?.sequence ?? 0);
}

/** @throws AppError `VALIDATION_ERROR`, `FORBIDDEN` */
export async function openBundle(
  ctx: Context,
  { chain, ...query }: BundleQuery & Pick<ExportedChain, 'chain'>,
  caller: BundleCaller,
): Promise<BundleDownload> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const exported = { organizationId, chain };
  const head = await findNewest(platform, exported);
  const range = await resolveRange(platform, exported, query, head?.sequence ?? 0);
  const { fromSequence, toSequence } = toSequences(range);
  const { disclose: names = [] } = query;
  if (names.length > 0)
    await requireDisclosure(ctx, caller, { chain, names, fromSequence, toSequence });
  return {
    filename: `assay-${chain === 'audit' ? 'audit-' : ''}${organizationId}-${fromSequence ?? 0}-${toSequence ?? 0}.json`,
    body: (await prepareText(platform, exported, { ...range, names })).pieces(),
  };
}

/** Reads where entries stand in the chain. */
function readPositions(
  { models }: Platform,
  { organizationId, chain }: ExportedChain,
  sequence: object,
  options: { sort: { sequence: 1 | -1 }; limit: number },
): Promise<Position[]> {
  const where = { organizationId, sequence };
  const members = 'sequence chainHash createdAt';
  return chain === 'audit'
    ? models.auditEntries.find(where, members, options).lean<Position[]>()
    : models.ledger.find(where, members, options).lean<Position[]>();
}

async function findNewest(platform: Platform, exported: ExportedChain): Promise<Position | null> {
  const newest = await readPositions(platform, exported, SEQUENCES, {
    sort: { sequence: -1 },
    limit: NEWEST_MAX,
  });
  return findFirstInChain(newest);
}

/** The lowest sequence at or after a moment, else one beyond the head. Times never decrease along a chain. */
async function findFirstSequence(
  platform: Platform,
  exported: ExportedChain,
  moment: Date,
  head: number,
): Promise<number> {
  let [low, high] = [1, head + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const later = { $gte: middle };
    const [entry] = await readPositions(platform, exported, later, {
      sort: { sequence: 1 },
      limit: 1,
    });
    if (!entry || entry.createdAt >= moment) high = middle;
    else low = entry.sequence + 1;
  }
  return low;
}

/** @throws AppError `VALIDATION_ERROR` for a range that ends before it begins */
async function resolveRange(
  platform: Platform,
  exported: ExportedChain,
  query: Partial<BundleQuery>,
  head: number,
): Promise<Range> {
  const { fromSequence, toSequence } = query;
  if (fromSequence !== undefined || toSequence !== undefined) {
    const [first, last] = [fromSequence ?? 1, toSequence ?? Infinity];
    if (first > last)
      throw new AppError('VALIDATION_ERROR', 'fromSequence: must not be beyond toSequence');
    return { first, last: Math.min(last, head) };
  }
  const to = query.to ?? platform.clock.now();
  const from = query.from ?? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS);
  if (from > to) throw new AppError('VALIDATION_ERROR', 'from: must not be after to');
  const first = await findFirstSequence(platform, exported, from, head);
  const beyond = await findFirstSequence(platform, exported, new Date(to.getTime() + 1), head);
  return { first, last: beyond - 1 };
}

/** Only managers may disclose values; each attempt is an entry of the audit log. @throws AppError `FORBIDDEN` */
async function requireDisclosure(
  { platform, tenant }: Context,
  caller: BundleCaller,
  disclosure: Disclosure,
): Promise<void> {
  const isAllowed = caller.user !== null && MANAGERS.includes(caller.user.role);
  await writeAudit(platform, toDisclosureEvent(tenant, caller, { disclosure, isAllowed }));
  if (!isAllowed) throw new AppError('FORBIDDEN', 'Only owners and admins may disclose values');
}

/** A bundle with an erasure must not show the erased value, which after a crash may still be stored for a moment. */
async function finishErasures(
  { models, ledger }: Platform,
  organizationId: string,
  last: number,
): Promise<void> {
  const folded = await models.cursors
    .findOne({ organizationId, consumer: 'fold' }, 'sequence')
    .lean<{ sequence: number }>();
  const sequence = { $gt: folded?.sequence ?? 0, $lte: last };
  const erasures = await models.ledger
    .find({ organizationId, kind: 'erasure', sequence }, 'sequence')
    .lean<Position[]>();
  const sequences = erasures.map((erasure) => erasure.sequence);
  if (sequences.length > 0) await ledger.fold.applyFolds(organizationId, sequences);
}

/** The range as the bundle's header names it. */
function toSequences({ first, last }: Range) {
  return last < first
    ? { fromSequence: null, toSequence: null }
    : { fromSequence: first, toSequence: last };
}

interface Disclosure {
  chain: ChainName;
  names: readonly string[];
  fromSequence: number | null;
  toSequence: number | null;
}

function toDisclosureEvent(
  { organizationId, workspaceId, actor }: Tenant,
  { user, ip, userAgent }: BundleCaller,
  { disclosure, isAllowed }: { disclosure: Disclosure; isAllowed: boolean },
): AuditEvent {
  return createSystemAuditEvent({
    organizationId,
    workspaceId,
    userId: user?.userId ?? null,
    userEmail: user?.email ?? null,
    userRole: user?.role ?? 'member',
    action: 'hash-chain.disclose',
    resource: 'hash-chain',
    status: isAllowed ? 'success' : 'failure',
    detail: `Bundle with ${disclosure.names.join(', ')}`,
    metadata: { ...disclosure, ...(user ? {} : { actor: `${actor.kind}:${actor.id}` }) },
    ipAddress: ip || null,
    userAgent,
  });
}
