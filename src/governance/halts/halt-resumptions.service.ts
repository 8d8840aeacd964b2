// Lets what is halted go on, once a second person has confirmed it (decisions: halts).
import { canonicalize } from '@assay/json';
import type { z } from 'zod';
import {
  type ControlRequest,
  findPendingView,
  type PendingView,
} from '../../domain/dual-control/second-word.ts';
import { isBinding, type Stop } from '../../domain/halt/stops.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError } from '../../errors.ts';
import type { SecondWords } from '../../identity/organization/second-words.service.ts';
import type { Context, UserContext } from '../../platform/context.ts';
import type { HaltResumptionDocument } from './halts.model.ts';
import type { HaltView, resumeInput } from './halts.schemas.ts';

/** After this time the owner who asked may confirm alone. */
const OWNER_WAIT = { ms: 15 * 60_000, words: '15 minutes' };

type Resumption = NonNullable<HaltView['resumption']>;

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
  {
    input: { to, confirm },
    secondWords,
  }: { input: z.output<typeof resumeInput>; secondWords: SecondWords },
): Promise<Resumed> {
  const { platform, tenant, user } = ctx;
  const { organizationId } = tenant;
  requireLoosening(stop, to);
  const where = { organizationId, haltId: stop.id };
  const row = await platform.models.haltResumptions.findOne(where).lean<HaltResumptionDocument>();
  const pending = row && row.to === to && toPending(row, stop, platform.clock.now());
  const isConfirming = pending && confirm === pending.digest;
  if (confirm !== undefined && !isConfirming)
    throw new AppError(
      'INVALID_OPERATION',
      'confirm: the request has changed, read the halt again',
    );
  if (pending && !isConfirming && pending.requestedBy !== user.userId) return 'waits';
  const word = await secondWords.requestSecondWord(ctx, {
    what: `${to === 'resumed' ? 'Resume' : 'Watch'} ${stop.name ?? stop.scope}`,
    link: `/console/halts/${stop.id}`,
    asked: pending && row ? toRequest(row) : null,
    ownerWait: OWNER_WAIT,
  });
  if (word === 'given') await platform.models.haltResumptions.deleteOne(where);
  if (word === 'asked')
    await platform.models.haltResumptions.updateOne(
      where,
      { $set: { to, sequence: stop.sequence, by: user.userId, at: platform.clock.now() } },
      { upsert: true },
    );
  return word === 'given' ? 'given' : 'waits';
}

/** @throws AppError `INVALID_OPERATION` */
function requireLoosening(stop: Stop, to: 'watched' | 'resumed'): void {
  if (!isBinding(stop))
    throw new AppError('INVALID_OPERATION', 'It was resumed already: nothing is halted');
  if (stop.state === to) throw new AppError('INVALID_OPERATION', `It is ${to} already`);
}
