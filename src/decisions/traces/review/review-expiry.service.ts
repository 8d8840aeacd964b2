// The timed job that ends reviews whose time is over; organisations take turns, so that none waits for another.
import type { Types } from 'mongoose';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import { isHalted } from '../../../ledger/halts/halted-error.ts';
import { isLimitError } from '../../../ledger/spending/limit-error.ts';
import { perInstance } from '../../../platform/per-instance.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { TraceDocument } from '../traces.model.ts';
import { openSubject, prepareExpiryAmendment } from './review-amendment.ts';
import { findOver, HELD_MEMBERS, isOver } from './review-time.ts';

/** Reviews of one turn: as many as the appender takes into a batch. */
const TURN = 64;
/** Organisations that have their turn at the same time. */
const LANES = 4;
/** After this time a run looks which organisations have something due, so that new ones get their turn. */
const RUN_MS = 1_000;
/** Rest of an organisation whose reviews could not be ended. */
const REST_MS = 30_000;

const DUE_MEMBERS = `traceId ${HELD_MEMBERS} content generation`;

interface Turn {
  organizationId: string;
  /** Reviews that stay the first: they could not be ended in this run, or their time stands still. */
  passed: number;
}

/** When an organisation's rest ends, in milliseconds. */
const openRests = perInstance(() => new Map<string, number>());

/** Ends what is due, for about a second; the next run goes on. Resolves with the number of turns. */
export async function expireDueReviews(platform: Platform): Promise<number> {
  const now = platform.clock.now();
  const ends = performance.now() + RUN_MS;
  const organizations = await listDueOrganizations(platform, now);
  const turns: Turn[] = organizations.map((organizationId) => ({ organizationId, passed: 0 }));
  let taken = 0;
  const takeTurns = async (): Promise<void> => {
    for (let turn = turns.shift(); turn; turn = turns.shift()) {
      taken += 1;
      const next = await takeTurn(platform, turn, now);
      if (next && performance.now() < ends) turns.push(next);
    }
  };
  await Promise.all(Array.from({ length: LANES }, takeTurns));
  return taken;
}

const buildFilter = (now: Date) =>
  ({ 'review.status': 'pending', 'review.expiresAt': { $lte: now } }) as const;

async function listDueOrganizations(platform: Platform, now: Date): Promise<string[]> {
  const rests = openRests(platform);
  const found = await platform.models.traces
    .aggregate<{ _id: Types.ObjectId }>([
      { $match: buildFilter(now) },
      { $group: { _id: '$organizationId' } },
    ])
    .option({ crossTenant: true, hint: 'review-expiry' });
  for (const [organizationId, until] of rests)
    if (until <= now.getTime()) rests.delete(organizationId);
  return found.map(({ _id }) => _id.toHexString()).filter((each) => !rests.has(each));
}

/**
 * Ends one review, unless something else has ended it. A deleted decision's review ends, too. False: it stays, since
 * under a watch no lapse of time approves.
 */
async function expireReview(
  platform: Platform,
  organizationId: string,
  traceId: string,
): Promise<boolean> {
  const end = async (as?: 'reject'): Promise<void> => {
    const expire = prepareExpiryAmendment(organizationId, platform.draw16Bytes, as);
    const decide = async (about: Subject<TraceDocument>): Promise<Amendment | null> => {
      const { review } = about.trace;
      if (!review || !(await isOver(platform, about.trace))) return null;
      return expire(await openSubject(platform.contents, about));
    };
    await platform.ledger.amendments.append(organizationId, traceId, decide);
  };
  try {
    // No lapse of time passes a limit.
    await end().catch((error: unknown) =>
      isLimitError(error) ? end('reject') : Promise.reject(error),
    );
    return true;
  } catch (error) {
    if (isHalted(error)) return false;
    throw error;
  }
}

/** Returns the turn that follows, or null when nothing is due any more. */
async function takeTurn(platform: Platform, turn: Turn, now: Date): Promise<Turn | null> {
  const { organizationId, passed } = turn;
  const due = await findDue(platform, turn, now);
  const over = await selectOver(platform, organizationId, due);
  const ends = over.map(({ traceId }) => expireReview(platform, organizationId, traceId));
  const results = await Promise.allSettled(ends);
  const failures = results.filter((end) => end.status === 'rejected');
  const ended = results.filter((end) => end.status === 'fulfilled' && end.value).length;
  const [failed] = failures;
  if (failed) {
    const about = { err: failed.reason, organizationId, count: failures.length };
    platform.logger.error(about, 'reviews could not be ended');
    openRests(platform).set(organizationId, now.getTime() + REST_MS);
  }
  const isBlocked = failures.length > 0 && failures.length === over.length;
  if (due.length < TURN || isBlocked) return null;
  return { organizationId, passed: passed + due.length - ended };
}

const findDue = (
  { models }: Platform,
  { organizationId, passed }: Turn,
  now: Date,
): Promise<TraceDocument[]> =>
  models.traces
    .find({ organizationId, ...buildFilter(now) }, DUE_MEMBERS)
    .sort({ 'review.expiresAt': 1 })
    .skip(passed)
    .limit(TURN)
    .lean<TraceDocument[]>();

/** Leaves out those whose time stands still. */
async function selectOver(
  platform: Platform,
  organizationId: string,
  due: readonly TraceDocument[],
): Promise<TraceDocument[]> {
  const opened = await platform.contents.decryptDocuments(organizationId, due);
  const over = await findOver(platform, opened);
  return due.filter((_, index) => over[index]);
}
