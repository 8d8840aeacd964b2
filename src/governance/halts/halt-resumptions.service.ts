// Lets what is halted go on, once a second person has confirmed it (decisions: halts).
import { canonicalize } from '@assay/json';
import type { z } from 'zod';
import {
  type Confirmation,
  type ControlRequest,
  findPendingView,
  type PendingView,
} from '../../domain/dual-control/second-word.ts';
import { isBinding } from '../../domain/halt/halt.ts';
import type { Stop } from '../../domain/halt/stops.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import { requestSecondWord } from '../../identity/organization/second-words.service.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import type { HaltResumptionDocument } from './halts.model.ts';
import type { HaltView, resumptionInput } from './halts.schemas.ts';

/** After this time the owner who asked may confirm alone. */
const OWNER_WAIT = { ms: 15 * 60_000, words: '15 minutes' };

type Resumption = PendingView & Pick<NonNullable<HaltView['resumption']>, 'to' | 'digest'>;

/** The pending requests of stops, by the id of the stop. */
export async function listResumptions(
  { platform, tenant }: Context,
  stops: readonly Stop[],
): Promise<Map<string, Resumption>> {
  const haltIds = stops.filter(isBinding).map(({ id }) => id);
  if (haltIds.length === 0) return new Map();
  const { organizationId } = tenant;
  const rows = await platform.models.haltResumptions
    .find({ organizationId, haltId: { $in: haltIds } })
    .lean<HaltResumptionDocument[]>();
  const now = platform.clock.now();
  return new Map(
    rows.flatMap((row) => {
      const stop = stops.find(({ id }) => id === row.haltId);
      const view = stop && toPending(row, stop, now);
      return view ? [[row.haltId, view] as const] : [];
    }),
  );
}

/** The pending request of a stop; null: there is none. */
export async function findResumption(ctx: Context, stop: Stop): Promise<Resumption | null> {
  return (await listResumptions(ctx, [stop])).get(stop.id) ?? null;
}

function toPending(row: HaltResumptionDocument, stop: Stop, now: Date): Resumption | null {
  if (row.sequence !== stop.sequence) return null;
  const { to } = row;
  const view: PendingView | null = findPendingView(toRequest(row), now, OWNER_WAIT.ms);
  return view && { ...view, to, digest: computeDigest(row, stop) };
}

const toRequest = ({ by, at }: HaltResumptionDocument): ControlRequest => ({
  by: by.toHexString(),
  at,
});

/** Names what is confirmed: the halt as it stands, where it goes, and who asked. */
function computeDigest({ to, by }: HaltResumptionDocument, { id, sequence }: Stop): string {
  return sha256Hex(canonicalize({ haltId: id, sequence, to, by: by.toHexString() }));
}

/** Whether the request took effect, or waits for a second person. */
export type Resumed = 'given' | 'waits';

/**
 * Requests a resumption, or confirms the pending one.
 * @throws AppError `INVALID_OPERATION` when nothing is halted, or another request was confirmed than the pending one
 */
export async function requestResumption(
  ctx: UserContext,
  stop: Stop,
  { to, confirm }: z.output<typeof resumptionInput>,
): Promise<Resumed> {
  requireLoosening(stop, to);
  const pending = await findResumption(ctx, stop);
  const asked = pending?.to === to ? pending : null;
  const isConfirming = asked !== null && confirm === asked.digest;
  if (confirm !== undefined && !isConfirming)
    throw new AppError(
      'INVALID_OPERATION',
      'confirm: the request has changed, read the halt again',
    );
  // Without the digest another person confirms nothing: they may not know what was asked.
  if (asked && !isConfirming && asked.requestedBy !== ctx.user.userId) return 'waits';
  const word = await requestSecondWord(ctx, {
    what: `${to === 'resumed' ? 'Resume' : 'Watch'} ${stop.name ?? stop.scope}`,
    link: `/console/halts/${stop.id}`,
    asked: asked && { by: asked.requestedBy, at: asked.requestedAt },
    ownerWait: OWNER_WAIT,
  });
  await keepRequest(ctx, stop, { to, word });
  return word === 'given' ? 'given' : 'waits';
}

/** Writes a new request, or removes the one that took effect. */
async function keepRequest(
  { platform: { models, clock }, tenant, user }: UserContext,
  { id: haltId, sequence }: Stop,
  { to, word }: { to: HaltResumptionDocument['to']; word: Confirmation },
): Promise<void> {
  const where = { organizationId: tenant.organizationId, haltId };
  if (word === 'given') await models.haltResumptions.deleteOne(where);
  if (word !== 'asked') return;
  const request = { to, sequence, by: user.userId, at: clock.now() };
  await models.haltResumptions.updateOne(where, { $set: request }, { upsert: true });
}

/** @throws AppError `INVALID_OPERATION` */
function requireLoosening(stop: Stop, to: 'watched' | 'resumed'): void {
  if (!isBinding(stop))
    throw new AppError('INVALID_OPERATION', 'It was resumed already: nothing is halted');
  if (stop.state === to) throw new AppError('INVALID_OPERATION', `It is ${to} already`);
}
