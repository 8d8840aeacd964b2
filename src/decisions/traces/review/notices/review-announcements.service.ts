// Announces held decisions to those who may decide them now: where several approve, to those whose step is open.
import type { mongo } from 'mongoose';
import { groupBy } from '../../../../domain/group-by.ts';
import type { Audience } from '../../../../domain/events/announcement.ts';
import { REVIEWERS } from '../../../../domain/identity/roles.ts';
import { listOpenVoters } from '../../../../domain/review/approval-votes.ts';
import { notify } from '../../../../events/notifications/notices/notices.service.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { TraceDocument } from '../../traces.model.ts';
import { type AskedBallot, loadAskedBallots } from '../approvals/approvals.service.ts';
import { toAskedState } from '../approvals/approvals.view.ts';
import { toHeldSource } from '../self-review/self-review.service.ts';
import { type NoticedTrace, toHeldAbout } from './review-notice.ts';

const MEMBERS =
  'organizationId sequence traceId workspaceId agentId agentName answer review sealed.facts sealed.actor content generation';

/** A decision that waits for the approvals of several people. */
export interface AskedReview extends AskedBallot {
  trace: TraceDocument;
}

/** The map is by `traceId`; decisions that one person approves, or that do not wait, are missing. */
export async function loadAskedReviews(
  platform: Platform,
  organizationId: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, AskedReview>> {
  if (traceIds.length === 0) return new Map();
  const where = {
    organizationId,
    traceId: { $in: [...traceIds] },
    deletedAt: null,
    'review.status': 'pending',
    'review.approvals': { $exists: true },
  } as const;
  const found = await platform.models.traces.find(where, MEMBERS).lean<TraceDocument[]>();
  const traces = await platform.contents.decryptDocuments(organizationId, found);
  const items = traces.map((trace) => ({ ...toHeldSource(trace), review: trace.review }));
  const asked = await loadAskedBallots(platform, organizationId, items);
  return new Map(
    traces.flatMap((trace) => {
      const found = asked.get(trace.traceId);
      return found ? [[trace.traceId, { ...found, trace }]] : [];
    }),
  );
}

/** A decision, and the members who are to hear of it; null: all who decide. */
export interface HeardReview {
  trace: NoticedTrace;
  asked: AskedReview | null;
  userIds: readonly string[] | null;
}

/** The members who may approve now; null: there is none of them, so that all who decide are to hear of it. */
export function listAskedUsers({ approvals, ballot }: AskedReview): string[] | null {
  const userIds = listOpenVoters(approvals, ballot);
  return userIds.length === 0 ? null : userIds;
}

/** Announces each decision to those who are to hear of it. */
export async function announceReviews(
  platform: Platform,
  { organizationId, event, at, heard }: ReviewAnnouncement,
  session?: mongo.ClientSession,
): Promise<void> {
  for (const group of groupBy(heard, ({ userIds }) => userIds?.join() ?? null).values()) {
    const userIds = group[0]?.userIds ?? null;
    const audience: Audience = userIds === null ? { roles: REVIEWERS } : { userIds };
    const about = group.map(({ trace, asked }) =>
      toHeldAbout(trace, asked && toAskedState(asked, 'pending')),
    );
    await notify(platform, { organizationId, event, audience, about, ...(at && { at }) }, session);
  }
}

interface ReviewAnnouncement {
  organizationId: string;
  event: 'review.held' | 'review.due' | 'review.overdue';
  /** Absent: now. */
  at?: Date;
  heard: readonly HeardReview[];
}
