// Says as a disposition of the Agent Control Standard whether a tool call may go on.
import type { JsonObject } from '@assay/json';
import { findOverrides } from '../../domain/acs/tool-step.ts';
import { AppError } from '../../errors.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Permission, PermittedDecision } from '../traces/permissions/permissions.service.ts';

/** How what the caller may be unable to do is said. */
export interface Forms {
  hold: 'ask' | 'defer';
  edits: 'modify' | 'deny';
  /** The action that was asked for, where it may have been approved with edits. */
  action?: JsonObject;
}

/** Time that a hold has where neither caller nor policy sets one. */
const HOLD_SECONDS = 600;
const HELD = 'A person has to approve this tool call';

/** An error stands for a tool call that was not recorded: it is denied, since an error would let it pass. */
export function describeDisposition(
  platform: Platform,
  permission: Permission | AppError,
  forms: Forms,
): JsonObject {
  if (permission instanceof AppError) {
    const { code, message } = permission;
    return { decision: 'deny', reasoning: message, reason_codes: [code.toLowerCase()] };
  }
  return {
    ...describeState(platform, permission, forms),
    ...describePolicy(permission.answer),
    policy_data: { assay: describeRecord(platform, permission, forms) },
    metadata: { evaluator: 'deterministic' },
  };
}

const toApprover = (platform: Platform, traceId: string, edits: Forms['edits']): string =>
  `${platform.publicUrl}/acs?approval=${traceId}${edits === 'deny' ? '&edits=deny' : ''}`;

function describeHold(
  platform: Platform,
  { answer }: Permission,
  { hold, edits }: Forms,
): JsonObject {
  const { traceId, reviewId, expiresAt, matchedPolicy } = answer;
  const left = expiresAt
    ? expiresAt.getTime() - platform.clock.now().getTime()
    : HOLD_SECONDS * 1000;
  const timeoutMs = Math.max(1000, left);
  const reasoning = matchedPolicy ? `${HELD}: ${matchedPolicy.reason}` : HELD;
  const endpoint = toApprover(platform, traceId, edits);
  if (hold === 'defer')
    return {
      decision: 'defer',
      reasoning,
      reason_codes: ['approval_pending'],
      defer_details: {
        reason: 'pending_dependency',
        resolution_method: 'human_approval',
        resolution_timeout_ms: timeoutMs,
        timeout_decision: 'deny',
      },
    };
  return {
    decision: 'ask',
    reasoning,
    reason_codes: ['approval_pending'],
    ask_details: {
      approver: { type: 'human', id: reviewId ?? traceId, endpoint },
      question: reasoning,
      timeout_seconds: Math.ceil(timeoutMs / 1000),
      timeout_disposition: 'deny',
    },
  };
}

function describePolicy({ matchedPolicy }: PermittedDecision): JsonObject {
  return matchedPolicy ? { policy_references: [{ policy_name: matchedPolicy.name }] } : {};
}

/** Where the decision stands on the record, and how to go on. */
function describeRecord(platform: Platform, permission: Permission, { edits }: Forms): JsonObject {
  const { traceId, hashChain, links } = permission.answer;
  const execution = permission.state === 'allowed' ? permission.execution : null;
  return {
    decision_id: traceId,
    sequence: hashChain.sequence,
    chain_hash: hashChain.chainHash,
    ...(execution && { execution_id: String(execution.executionId) }),
    ...(permission.state === 'held' && {
      approval: toApprover(platform, traceId, edits),
      page: `${platform.publicUrl}${links.review ?? links.self}`,
    }),
  };
}

function describeState(platform: Platform, permission: Permission, forms: Forms): JsonObject {
  if (permission.state === 'held') return describeHold(platform, permission, forms);
  const { edited } = permission;
  const changes = edited && forms.action ? findOverrides(forms.action, edited) : null;
  if (permission.state === 'allowed')
    return changes === null ? { decision: 'allow' } : describeEdits(changes);
  const { code, message } = permission.error;
  if (!edited) return { decision: 'deny', reasoning: message, reason_codes: [code.toLowerCase()] };
  const instead = JSON.stringify(edited['arguments'] ?? null);
  return {
    decision: 'deny',
    reasoning: `${message}. What was approved has these arguments: ${instead}`,
    reason_codes: ['modify_unsupported'],
  };
}

/** The call goes on with other values of these arguments. */
const describeEdits = (changes: JsonObject): JsonObject => ({
  decision: 'modify',
  reasoning: 'A person approved this tool call with other arguments',
  reason_codes: ['approved_with_edits'],
  modifications: { parameter_overrides: changes },
});
