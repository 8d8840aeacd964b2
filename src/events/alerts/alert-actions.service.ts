// Runs the actions of alert rules: from the outbox when a rule matches, and all at once as a test (document 2, 4.4).
import type { Platform } from '../../platform/platform.ts';
import { createAlertCard } from '../../domain/events/alert-card.ts';
import { createChatCard, detectChatService } from '../../domain/events/chat-messages.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { AppError } from '../../errors.ts';
import type { DeliveryHints } from '../../platform/outbox/deliverers.ts';
import { DeliveryFailure, settleAttempt } from '../../platform/outbox/delivery-failure.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { PostOutcome } from '../../platform/outbound/receivers.ts';
import { type AlertPayload, createAlertEvent } from './alert-matches.ts';
import type { AlertAction, AlertRuleDocument } from './alerts.model.ts';
import { findActing } from './active-rules.service.ts';
import type { Context } from '../../platform/context.ts';
import { getRule } from './alerts.service.ts';
import { composeMessage, describeDecision } from '../cards/event-cards.service.ts';
import { isMember, composeAlert } from './alert-mails.service.ts';
import { renderMail } from '../../platform/mail/mail-layout.ts';

export interface ActionOutcome extends AlertAction {
  ok: boolean;
  statusCode: number | null;
  error: string | null;
}

const NO_MEMBER = {
  ok: false,
  statusCode: null,
  error: 'mails go to members of the organisation only: invite the owner of the address',
} as const;
const NOT_MAILED = { ok: false, statusCode: null, error: 'the mail was not accepted' } as const;

/** An event and the id it is sent under. */
interface EventMessage {
  messageId: string;
  event: EventBody;
  /** The receiver recently timed out. */
  isSuspect?: boolean;
}

/** Delivers rows of the outbox topic `alert`. @throws DeliveryFailure */
export async function deliverAction(
  platform: Platform,
  { _id, organizationId, payload }: OutboxDocument,
  { isSuspect }: DeliveryHints,
): Promise<OutboxDocument['result']> {
  const { ruleId, action, event } = payload as unknown as AlertPayload;
  const rule = await findActing(platform, organizationId, { ruleId, action });
  if (!rule)
    throw new DeliveryFailure('the rule is paused, or has no such action any more', {
      isFinal: true,
    });
  const messageId = `msg_${_id.toHexString()}`;
  const outcome = await postEvent(platform, rule, action, { messageId, event, isSuspect });
  return settleAttempt(outcome, platform.clock.now());
}

/**
 * Runs every action with a made-up match, also of a paused rule.
 * @throws AppError `NOT_FOUND`, `TEST_FAILED` with each outcome
 */
export async function testRule(ctx: Context, id: string): Promise<{ actions: ActionOutcome[] }> {
  const { platform } = ctx;
  const rule = await getRule(ctx, id);
  const match = {
    facts: { confidenceScore: 0.5, status: 'flagged' },
    at: platform.clock.now(),
  } as const;
  const made = createAlertEvent(rule, { ...match, trace: SYNTHETIC }, rule.name);
  const event = { ...made, data: { ...made.data, test: true } };
  const actions = await Promise.all(
    rule.actions.map((action) =>
      tryOut(platform, rule, action, { messageId: `msg_${platform.generateId()}`, event }),
    ),
  );
  if (actions.every(({ ok }) => ok)) return { actions };
  throw new AppError('TEST_FAILED', undefined, { data: { actions } });
}

/** The body of a chat message: an alert, or the verdict that follows it. */
async function composeChat(
  platform: Platform,
  rule: AlertRuleDocument,
  { target }: AlertAction,
  event: EventBody,
): Promise<object> {
  const service = detectChatService(target);
  const organizationId = rule.organizationId.toHexString();
  const receiver = rule._id.toHexString();
  if (event.event === 'review.decided')
    return composeMessage(platform, service, { event, organizationId, receiver });
  const decision = await describeDecision(platform, { organizationId, event }, { receiver });
  return createChatCard(service, createAlertCard(rule, event, decision));
}

async function postEvent(
  platform: Platform,
  rule: AlertRuleDocument,
  action: AlertAction,
  { messageId, event, isSuspect = false }: EventMessage,
): Promise<PostOutcome> {
  const { type, target } = action;
  const body = JSON.stringify(
    type === 'chat' ? await composeChat(platform, rule, action, event) : event,
  );
  const headers = { 'x-service-event': event.event, 'webhook-id': messageId };
  return platform.receivers.attempt({ url: target, headers, body, isSuspect });
}

async function sendAlert(
  platform: Platform,
  rule: AlertRuleDocument,
  to: string,
  event: EventBody,
): Promise<Pick<PostOutcome, 'ok' | 'statusCode' | 'error'>> {
  if (!(await isMember(platform, rule.organizationId, to))) return NO_MEMBER;
  const content = await composeAlert(platform, rule, { to, event });
  if (!content) return { ok: false, statusCode: null, error: 'too many mails today' };
  await platform.mailer.sendMail(renderMail(content));
  return { ok: true, statusCode: null, error: null };
}

async function tryOut(
  platform: Platform,
  rule: AlertRuleDocument,
  action: AlertAction,
  message: EventMessage,
): Promise<ActionOutcome> {
  const { type, target } = action;
  const attempt =
    type === 'email'
      ? sendAlert(platform, rule, target, message.event)
      : postEvent(platform, rule, action, message);
  const { ok, statusCode, error } = await attempt.catch(() => NOT_MAILED);
  return { type, target, ok, statusCode, error };
}

/** Placeholder for a decision in the made-up match. */
const SYNTHETIC = {
  id: '0'.repeat(24),
  traceId: 'trc_test',
  workspaceId: '0'.repeat(24),
} as const;
