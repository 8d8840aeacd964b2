// The timed job that ends reviews whose time is over; organisations take turns, so that none waits for another.
import type { Types } from 'mongoose';
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

interface Turn {
  organizationId: string;
  /** Reviews that stay the first: they could not be ended in this run, or their time stands still. */
  passed: number;
}

export function createReviewExpiry(
  platform: Pick<Platform, 'models' | 'contents' | 'ledger' | 'draw16Bytes' | 'clock' | 'logger'>,
) {
  const { models, contents, ledger, draw16Bytes: random16, clock, logger } = platform;
  /** When an organisation's rest ends, in milliseconds. */
  const rests = new Map<string, number>();

  const buildFilter = (now: Date) =>
    ({ 'review.status': 'pending', 'review.expiresAt': { $lte: now } }) as const;

  async function listDueOrganizations(now: Date): Promise<string[]> {
    const found = await models.traces
      .aggregate<{ _id: Types.ObjectId }>([
        { $match: buildFilter(now) },
        { $group: { _id: '$organizationId' } },
      ])
      .option({ crossTenant: true, hint: 'review-expiry' });
    for (const [organizationId, until] of rests)
      if (until <= now.getTime()) rests.delete(organizationId);
    return found.map(({ _id }) => _id.toHexString()).filter((each) => !rests.has(each));
  }

  /** Ends one review, unless something else has ended it. A deleted decision's review ends, too: nothing stays held. */
  async function expireReview(organizationId: string, traceId: string): Promise<boolean> {
    const expire = prepareExpiryAmendment(organizationId, random16);
    const entry = await ledger.amendments.append(organizationId, traceId, async (about) => {
      const { review } = about.trace;
      if (!review || !(await isOver({ ledger, clock }, about.trace))) return null;
      return expire(await openSubject(contents, about));
    });
    return entry !== null;
  }

  /** Returns the turn that follows, or null when nothing is due any more. */
  async function takeTurn({ organizationId, passed }: Turn, now: Date): Promise<Turn | null> {
    const due = await models.traces
      .find({ organizationId, ...buildFilter(now) }, `traceId ${HELD_MEMBERS} content generation`)
      .sort({ 'review.expiresAt': 1 })
      .skip(passed)
      .limit(TURN)
      .lean<TraceDocument[]>();
    const over = await selectOver(organizationId, due);
    const ends = over.map(({ traceId }) => expireReview(organizationId, traceId));
    const failures = (await Promise.allSettled(ends)).filter(({ status }) => status === 'rejected');
    if (failures.length > 0) {
      const [{ reason: err }] = failures as [PromiseRejectedResult];
      logger.error({ err, organizationId, count: failures.length }, 'reviews could not be ended');
      rests.set(organizationId, now.getTime() + REST_MS);
    }
    const isBlocked = failures.length > 0 && failures.length === over.length;
    if (due.length < TURN || isBlocked) return null;
    return { organizationId, passed: passed + due.length - over.length + failures.length };
  }

  /** Leaves out those whose time stands still. */
  async function selectOver(
    organizationId: string,
    due: readonly TraceDocument[],
  ): Promise<TraceDocument[]> {
    const opened = await contents.decryptDocuments(organizationId, due);
    const over = await findOver(platform, opened);
    return due.filter((_, index) => over[index]);
  }

  return {
    /** Ends what is due, for about a second; the next run goes on. Resolves with the number of turns. */
    async expireDue(): Promise<number> {
      const now = clock.now();
      const ends = performance.now() + RUN_MS;
      const organizations = await listDueOrganizations(now);
      const turns: Turn[] = organizations.map((organizationId) => ({ organizationId, passed: 0 }));
      let taken = 0;
      const takeTurns = async (): Promise<void> => {
        for (let turn = turns.shift(); turn; turn = turns.shift()) {
          taken += 1;
          const next = await takeTurn(turn, now);
          if (next && performance.now() < ends) turns.push(next);
        }
      };
      await Promise.all(Array.from({ length: LANES }, takeTurns));
      return taken;
    },
  };
}
export type ReviewExpiryService = ReturnType<typeof createReviewExpiry>;
