// Says in the form of AuthZEN whether an action is permitted, under which decision, and how to wait for a verdict.
import { AppError } from '../../errors.ts';
import type { Permission } from '../traces/permissions/permissions.service.ts';
import type { EvaluationAnswer } from './authzen.schemas.ts';

type Context = EvaluationAnswer['context'];

/** Seconds that a single request waits for a verdict. */
const WAIT_SECONDS = 55;
const HELD = 'A person has to approve this';
const REFUSED = 'This is not permitted';

export function createAnswers(publicUrl: string) {
  function describeExecution(permission: Extract<Permission, { state: 'allowed' }>): Context {
    const { execution, answer } = permission;
    if (!execution) return {};
    const { executionId: id, leaseUntil } = execution;
    const outcome = `${publicUrl}${answer.links.self}/executions/${String(id)}`;
    return { execution: { id, lease_until: leaseUntil, outcome } };
  }

  function describeHold({ answer }: Permission): Context {
    const { reviewId, expiresAt, links, matchedPolicy } = answer;
    return {
      code: 'APPROVAL_PENDING',
      reason_user: { en: HELD },
      ...(matchedPolicy && { reason_admin: { en: formatReason(matchedPolicy) } }),
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
    describe(permission: Permission | AppError): EvaluationAnswer {
      if (permission instanceof AppError) {
        const { http, code, message } = permission;
        return { decision: false, context: { code, error: { status: http, code, message } } };
      }
      const { answer, state } = permission;
      const named = { id: answer.traceId };
      if (state === 'allowed')
        return { decision: true, context: { ...named, ...describeExecution(permission) } };
      if (state === 'held')
        return { decision: false, context: { ...named, ...describeHold(permission) } };
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
