// Reserves the effects of actions while these are claimed, and settles them with the outcome.
// A reservation is a fence: its claim is decided on it, and who gives it back first ends the claims that rest on it.
import type { Types } from 'mongoose';
import type { ExecutionPayload, ExecutionState } from '../../../domain/record/payload.ts';
import { AppError, isDuplicateKey } from '../../../errors.ts';
import type { Subject } from '../../../ledger/amend/amendments.ts';
import type { Sealed } from '../../../ledger/entry.ts';
import { DURABLE } from '../../../platform/mongo/concerns.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { EffectDocument } from './effects.model.ts';
import { buildGivenBackEntry } from './execution-amendment.ts';

/** A claim that reserves effects. */
export interface EffectClaim {
  organizationId: string;
  traceId: string;
  executionId: string;
}

/** The reservation of a claim was given back before its entry stood: nothing was recorded. */
export class ReservationLost extends AppError {
  constructor() {
    super('SERVICE_UNAVAILABLE', 'The claim took too long; nothing was claimed, try again', {
      headers: { 'Retry-After': '1' },
    });
  }
}

/** Reservations younger than this are left alone, since their claims are mostly still being appended. */
const GRACE_MS = 60_000;
/** Maximum number of reservations per run; the rest waits for the next. */
const BATCH = 500;

export async function releaseEffects(
  platform: Platform,
  { organizationId, executionId }: EffectClaim,
): Promise<void> {
  await platform.models.effects.deleteMany({ organizationId, executionId }, DURABLE);
}

export async function settleEffects(
  platform: Platform,
  claim: EffectClaim,
  state: ExecutionState,
): Promise<void> {
  const { models, clock } = platform;
  if (state === 'failed') return releaseEffects(platform, claim);
  const { organizationId, executionId } = claim;
  const change = { $set: { state, checkedAt: clock.now() }, $unset: { isEnding: 1 } } as const;
  const where = { organizationId, executionId, state: { $ne: 'succeeded' } } as const;
  await models.effects.updateMany(where, change, DURABLE);
}

/**
 * Reserves all effects, or none. The unique index decides between claims at the same time.
 * @throws AppError `EFFECT_RESERVED`, `EFFECT_DONE`; `SERVICE_UNAVAILABLE` while the decision is being claimed
 */
export async function reserveEffects(
  platform: Platform,
  claim: EffectClaim,
  keys: readonly string[],
): Promise<void> {
  const { models, clock } = platform;
  const { organizationId, traceId, executionId } = claim;
  for (const key of new Set(keys)) {
    const reservation = { organizationId, key, traceId, executionId };
    try {
      const checkedAt = clock.now();
      await insertOne(models.effects, { ...reservation, state: 'claimed', checkedAt });
    } catch (error) {
      await releaseEffects(platform, claim);
      throw isDuplicateKey(error) ? await createReservedError(platform, claim, key) : error;
    }
  }
}

/** Each claim MUST ask while it is decided, after it has read its decision. @throws ReservationLost */
export async function requireReservedEffects(
  platform: Platform,
  { organizationId, executionId }: EffectClaim,
  keys: readonly string[],
): Promise<void> {
  const own = { organizationId, executionId, isEnding: { $ne: true } } as const;
  const reserved = keys.length === 0 ? 0 : await platform.models.effects.countDocuments(own);
  if (reserved !== new Set(keys).size) throw new ReservationLost();
}

/** Settles what a crash has left between a claim or an outcome and its reservations. */
export async function reconcileReservations(platform: Platform): Promise<void> {
  const { models, clock, logger } = platform;
  const before = new Date(clock.now().getTime() - GRACE_MS);
  const found = await models.effects
    .find({ state: { $in: ['claimed', 'unknown'] }, checkedAt: { $lt: before } }, null, {
      crossTenant: true,
      sort: { checkedAt: 1 },
      limit: BATCH,
    })
    .lean<(EffectDocument & { organizationId: Types.ObjectId })[]>();
  for (const reservation of found)
    await checkReservation(platform, reservation).catch((error: unknown) =>
      logger.error({ err: error, traceId: reservation.traceId }, 'an effect was not settled'),
    );
}

async function createReservedError(
  { models }: Platform,
  { organizationId, traceId }: EffectClaim,
  key: string,
): Promise<AppError> {
  const owner = await models.effects.findOne({ organizationId, key }).lean<EffectDocument>();
  const { state = 'claimed' } = owner ?? {};
  if (owner?.traceId === traceId)
    return new AppError('SERVICE_UNAVAILABLE', 'Another claim of this decision is under way', {
      headers: { 'Retry-After': '1' },
    });
  return new AppError(state === 'succeeded' ? 'EFFECT_DONE' : 'EFFECT_RESERVED', undefined, {
    data: { state },
  });
}

/**
 * Gives back what came to no claim, though its instance may only have been stopped. First no claim may begin with it;
 * then an entry takes the place after which a claim that has begun would stand. Where a claim was first, it is kept.
 */
async function giveBack(platform: Platform, claim: EffectClaim): Promise<void> {
  const { organizationId, traceId, executionId } = claim;
  const $set = { isEnding: true, checkedAt: platform.clock.now() } as const;
  await platform.models.effects.updateMany({ organizationId, executionId }, { $set }, DURABLE);
  const by = { organizationId, actor: { kind: 'system', id: null } } as const;
  const entry = await platform.ledger.amendments.append(organizationId, traceId, (about) =>
    (about.trace as TraceDocument).execution?._id
      ? null
      : buildGivenBackEntry(by, about as Subject<TraceDocument>),
  );
  if (entry) await releaseEffects(platform, claim);
}

/** Compares a reservation with its execution; one without a claim is given back. */
async function checkReservation(platform: Platform, reservation: EffectDocument): Promise<void> {
  const organizationId = reservation.organizationId.toHexString();
  const { traceId } = reservation;
  const claim = { organizationId, traceId, executionId: reservation.executionId.toHexString() };
  // The chain is asked, since columns follow it.
  const newest = await platform.models.ledger
    .findOne({ organizationId, traceId, kind: 'execution' }, 'view')
    .sort({ sequence: -1 })
    .lean<Pick<Sealed, 'view'>>();
  const { executionId, state } = newest ? (JSON.parse(newest.view) as ExecutionPayload) : {};
  if (state === undefined) await giveBack(platform, claim);
  else if (executionId === claim.executionId) await settleEffects(platform, claim, state);
  else await releaseEffects(platform, claim);
}
