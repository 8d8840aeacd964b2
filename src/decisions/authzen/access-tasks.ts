// Shows a hold as the task of an access request, with the result of an approved one.
import { type Expiring, isApprovalUsable } from '@assay/policy';
import {
  computeApprovalEnd,
  type TaskStatus,
  toTaskStatus,
} from '../../domain/authzen/access-requests.ts';
import { toReviewPage } from '../../domain/events/decision-card.ts';
import { AppError } from '../../errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { TraceDetails } from '../traces/traces.service.ts';
import type { AccessTask } from './access-requests.schemas.ts';
import { REQUESTS } from './evaluation-answers.ts';

/** What people read of each state. */
const DISPLAY: Readonly<Record<TaskStatus, readonly [title: string, description: string]>> = {
  pending: ['Waiting for approval', 'A person has to approve this'],
  approved: ['Approved', 'Ask the same question again'],
  denied: ['Not approved', 'A person has rejected this'],
  expired: ['Expired', 'The time was over before there was a verdict'],
  cancelled: ['Cancelled', 'The request was withdrawn'],
  failed: ['Failed', 'The action was corrected after its approval'],
};
const EDITED = 'It was approved with edits, which this interface cannot carry';

/** Expects a decision that was held. */
export function describeTask(
  { publicUrl, clock }: Platform,
  { traceId: id, review, held }: TraceDetails,
): AccessTask {
  if (!review || !held) throw new AppError('INTERNAL_ERROR');
  const now = clock.now();
  const isEdited = review.edits !== null;
  const isSuperseded = review.superseded === true;
  const status = toTaskStatus({ ...held.item, isEdited, isSuperseded }, now);
  const endpoint = `${publicUrl}${REQUESTS}/${id}`;
  const page = publicUrl + toReviewPage(String(review._id));
  const links = status === 'pending' && { review: page, cancel: `${endpoint}/cancel` };
  const display = describeStatus(status, review);
  const task = { id, status, status_endpoint: endpoint, ...(links && { links }), display };
  if (status !== 'approved') return { task };
  const { decidedAt } = review;
  const approval = {
    id,
    ...(decidedAt && { approved_at: decidedAt }),
    approved_until: findApprovalEnd(held.item, now),
  };
  return { task, result: { mode: 'reevaluate', approval } };
}

function describeStatus(
  status: TaskStatus,
  { reason, edits }: NonNullable<TraceDetails['review']>,
): AccessTask['task']['display'] {
  const [title, text] = DISPLAY[status];
  const isOverEdits = status === 'denied' && edits !== null;
  return { title, description: isOverEdits ? EDITED : (reason ?? text) };
}

function findApprovalEnd(item: Expiring, now: Date): Date {
  const end = item.expiresAt ?? null;
  return isApprovalUsable(item, now) ? computeApprovalEnd(end, now) : (end ?? now);
}
