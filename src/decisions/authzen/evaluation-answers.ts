// Says in the form of AuthZEN whether an action is permitted, under which decision, and how to wait for a verdict.
import { AppError } from '../../errors.ts';
import { chooseEarlier } from '../../domain/authzen/access-requests.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Permission, PermittedDecision } from '../traces/permissions/permissions.service.ts';
import type { EvaluationAnswer } from './authzen.schemas.ts';
import type { Settled } from './held-questions.service.ts';

type Context = EvaluationAnswer['context'];

/** Seconds that a single request waits for a verdict. */
const WAIT_SECONDS = 55;
const HELD = 'A person has to approve this';
const REFUSED = 'This is not permitted';

export const REQUESTS = '/access/v1/requests';

/** An error stands for a question that was not recorded. */
export function describeAnswer(
  platform: Platform,
  { permission, until }: Settled,
): EvaluationAnswer {
  if (permission instanceof AppError) {
    const { http, code, message } = permission;
    return { decision: false, context: { code, error: { status: http, code, message } } };
  }
  const { answer, state } = permission;
  const named = { id: answer.traceId };
  if (state === 'allowed')
    return { decision: true, context: { ...named, ...describeExecution(platform, permission) } };
  if (state === 'held')
    return { decision: false, context: { ...named, ...describeHold(platform, answer, until) } };
  const { code, message } = permission.error;
  const { matchedPolicy } = answer;
  const reason = matchedPolicy ? formatReason(matchedPolicy) : message;
  const texts = { reason_user: { en: REFUSED }, reason_admin: { en: reason } };
  return { decision: false, context: { ...named, code, ...texts } };
}

function describeExecution(
  { publicUrl }: Platform,
  { execution, answer }: Extract<Permission, { state: 'allowed' }>,
): Context {
  if (!execution) return {};
  const { executionId: id, leaseUntil } = execution;
  const outcome = `${publicUrl}${answer.links.self}/executions/${String(id)}`;
  return { execution: { id, lease_until: leaseUntil, outcome } };
}

function describeHold(platform: Platform, answer: PermittedDecision, until: Date | null): Context {
  const { publicUrl } = platform;
  const { reviewId, expiresAt, links, matchedPolicy } = answer;
  return {
    code: 'APPROVAL_PENDING',
    reason_user: { en: HELD },
    ...(matchedPolicy && { reason_admin: { en: formatReason(matchedPolicy) } }),
    ...(until && describeRequest(platform, answer, until)),
    ...(reviewId !== null && {
      review: {
        id: reviewId,
        expires_at: expiresAt,
        page: `${publicUrl}${links.review ?? links.self}`,
        wait: `${publicUrl}${links.self}?wait=${WAIT_SECONDS}`,
      },
    }),
  };
}

/** A hold may be requested until it ends, or its denial does. */
function describeRequest(
  { publicUrl, clock }: Platform,
  { traceId, expiresAt }: PermittedDecision,
  until: Date,
): Context {
  return {
    evaluation_id: traceId,
    evaluated_at: clock.now(),
    reason: 'approval_required',
    access_request: {
      endpoint: publicUrl + REQUESTS,
      expires_at: chooseEarlier(until, expiresAt),
      display: { title: 'Request approval', description: HELD },
    },
  };
}

const formatReason = ({ name, reason }: { name: string; reason: string }): string =>
  `${name}: ${reason}`;
