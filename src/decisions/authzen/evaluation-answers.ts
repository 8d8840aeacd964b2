// Says in the form of AuthZEN whether an action is permitted, under which decision, and how to wait for a verdict.
import { AppError } from '../../errors.ts';
import { chooseEarlier } from '../../domain/authzen/access-requests.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Permission } from '../traces/permissions/permissions.service.ts';
import type { EvaluationAnswer } from './authzen.schemas.ts';
import type { Settled } from './held-questions.service.ts';

type Context = EvaluationAnswer['context'];

/** Seconds that a single request waits for a verdict. */
const WAIT_SECONDS = 55;
const HELD = 'A person has to approve this';
const REFUSED = 'This is not permitted';

export const REQUESTS = '/access/v1/requests';

export function createAnswers({ publicUrl, clock }: Pick<Platform, 'publicUrl' | 'clock'>) {
  /** A hold may be requested until it ends, or its denial does. */
  function describeRequest({ traceId, expiresAt }: Permission['answer'], until: Date): Context {
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

  function describeExecution(permission: Extract<Permission, { state: 'allowed' }>): Context {
    const { execution, answer } = permission;
    if (!execution) return {};
    const { executionId: id, leaseUntil } = execution;
    const outcome = `${publicUrl}${answer.links.self}/executions/${String(id)}`;
    return { execution: { id, lease_until: leaseUntil, outcome } };
  }

  function describeHold({ answer }: Permission, until: Date | null): Context {
    const { reviewId, expiresAt, links, matchedPolicy } = answer;
    return {
      code: 'APPROVAL_PENDING',
      reason_user: { en: HELD },
      ...(matchedPolicy && { reason_admin: { en: formatReason(matchedPolicy) } }),
      ...(until && describeRequest(answer, until)),
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

  return {
    /** An error stands for a question that was not recorded. */
    describe({ permission, until }: Settled): EvaluationAnswer {
      if (permission instanceof AppError) {
        const { http, code, message } = permission;
        return { decision: false, context: { code, error: { status: http, code, message } } };
      }
      const { answer, state } = permission;
      const named = { id: answer.traceId };
      if (state === 'allowed')
        return { decision: true, context: { ...named, ...describeExecution(permission) } };
      if (state === 'held')
        return { decision: false, context: { ...named, ...describeHold(permission, until) } };
      const { code, message } = permission.error;
      const { matchedPolicy } = answer;
      const reason = matchedPolicy ? formatReason(matchedPolicy) : message;
      const texts = { reason_user: { en: REFUSED }, reason_admin: { en: reason } };
      return { decision: false, context: { ...named, code, ...texts } };
    },
  };
}

const formatReason = ({ name, reason }: { name: string; reason: string }): string =>
  `${name}: ${reason}`;
