// Composes the mail of an alert when it is sent, within a daily limit (decisions/events.md).
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { createAlertCard, isTestEvent } from '../../domain/events/alert-card.ts';
import type { ChatCard } from '../../domain/events/chat-messages.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { REVIEWERS } from '../../domain/identity/roles.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import { findUserIdByAddress } from '../../identity/auth/accounts/account-reader.service.ts';
import {
  type PresentMember,
  findPresentMember,
} from '../../identity/organization/memberships/present-members.service.ts';
import { findOrganizationName } from '../../identity/organization/organization-facts.service.ts';
import type { AlertPayload } from './alert-matches.ts';
import type { AlertMailCountDocument, AlertRuleDocument } from './alerts.model.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import { describeDecision } from '../cards/event-cards.service.ts';
import { findActing } from './active-rules.service.ts';

const TWO_DAYS_MS = 2 * 24 * 3600_000;

/** Returns null when the recipient is no member, the organisation is gone, or the daily limit is reached. */
export async function composeAlert(
  platform: Platform,
  rule: AlertRuleDocument,
  { to, event }: { to: string; event: EventBody },
): Promise<MailContent | null> {
  const { organizationId } = rule;
  const member = await findMember(platform, organizationId, to);
  if (!member) return null;
  const name = await findOrganizationName(platform, organizationId);
  if (name === null || !(await countMail(platform, organizationId.toHexString()))) return null;
  const { userId, role } = member;
  const reader = REVIEWERS.includes(role) ? { userId: userId.toHexString() } : null;
  const about = { organizationId: organizationId.toHexString(), event };
  const decision = await describeDecision(platform, about, reader);
  const what = isTestEvent(event) ? 'is being tried out' : 'has matched';
  const first = `An alert rule of ${toQuotedName(name)} ${what}.`;
  return toMail(to, first, createAlertCard(rule, event, decision));
}

function toMail(to: string, first: string, { title, facts, note, action }: ChatCard): MailContent {
  return {
    to,
    subject: title,
    paragraphs: [
      first,
      ...(note === null ? [] : [note]),
      ...facts.map(([label, value]) => `${label}: ${value}`),
    ],
    action: action && { label: action.label, link: action.url, token: null },
  };
}

export async function isMember(
  platform: Platform,
  organizationId: Types.ObjectId,
  email: string,
): Promise<boolean> {
  return (await findMember(platform, organizationId, email)) !== null;
}

/** Composes the mail of an alert's row; null also when the rule is paused, or has lost this action since. */
export async function composeAlertMail(
  platform: Platform,
  { organizationId, payload }: OutboxDocument,
): Promise<MailContent | null> {
  const { ruleId, action, event } = payload as unknown as AlertPayload;
  const rule = await findActing(platform, organizationId, { ruleId, action });
  return rule && composeAlert(platform, rule, { to: action.target, event });
}

/** Counts one mail; resolves with whether it is within the daily limit. */
async function countMail(
  { clock, models, config }: Platform,
  organizationId: string,
): Promise<boolean> {
  const now = clock.now();
  const where = { organizationId, day: now.toISOString().slice(0, 10) };
  const expiresAt = new Date(now.getTime() + TWO_DAYS_MS);
  const counted = await models.alertMailCounts
    .findOneAndUpdate(
      where,
      { $inc: { count: 1 }, $setOnInsert: { expiresAt } },
      { upsert: true, returnDocument: 'after' },
    )
    .lean<AlertMailCountDocument>();
  return (counted?.count ?? 0) <= config.ASSAY_LIMIT_ALERT_MAILS;
}

/** Only members receive mails of an organisation: others have not asked for them. */
async function findMember(
  platform: Platform,
  organizationId: Types.ObjectId,
  email: string,
): Promise<PresentMember | null> {
  const userId = await findUserIdByAddress(platform, email);
  return userId && findPresentMember(platform, organizationId, userId);
}
