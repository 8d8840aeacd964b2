// Composes the mail of an alert when it is sent, within a daily limit (decisions/events.md).
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { createAlertCard, isTestEvent } from '../../domain/events/alert-card.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { REVIEWERS } from '../../domain/identity/roles.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { ComposeMail } from '../../platform/mail/mail-delivery.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import { findUserIdByAddress } from '../../identity/auth/accounts/account-reader.service.ts';
import {
  type PresentMember,
  findPresentMember,
} from '../../identity/organization/memberships/present-members.service.ts';
import { findOrganizationName } from '../../identity/organization/organization-facts.service.ts';
import type { EventCards } from '../cards/event-cards.service.ts';
import type { ActiveRuleService } from './active-rules.service.ts';
import type { AlertPayload } from './alert-matches.ts';
import type { AlertMailCountDocument, AlertRuleDocument } from './alerts.model.ts';

interface Deps {
  eventCards: EventCards;
  activeRules: ActiveRuleService;
}

const TWO_DAYS_MS = 2 * 24 * 3600_000;

export function createAlertMailService(platform: Platform, { eventCards, activeRules }: Deps) {
  const { models, clock, config } = platform;
  /** Counts one mail; resolves with whether it is within the daily limit. */
  async function count(organizationId: string): Promise<boolean> {
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
    organizationId: Types.ObjectId,
    email: string,
  ): Promise<PresentMember | null> {
    const userId = await findUserIdByAddress(platform, email);
    return userId && findPresentMember(platform, organizationId, userId);
  }

  const isMember = async (organizationId: Types.ObjectId, email: string): Promise<boolean> =>
    (await findMember(organizationId, email)) !== null;

  /** Returns null when the recipient is no member, the organisation is gone, or the daily limit is reached. */
  async function compose(
    rule: AlertRuleDocument,
    to: string,
    event: EventBody,
  ): Promise<MailContent | null> {
    const { organizationId } = rule;
    const member = await findMember(organizationId, to);
    if (!member) return null;
    const name = await findOrganizationName(platform, organizationId);
    if (name === null || !(await count(organizationId.toHexString()))) return null;
    const { userId, role } = member;
    const reader = REVIEWERS.includes(role) ? { userId: userId.toHexString() } : null;
    const decision = await eventCards.describeDecision(organizationId.toHexString(), event, reader);
    const { title, facts, note, action } = createAlertCard(rule, event, decision);
    const sender = toQuotedName(name);
    return {
      to,
      subject: title,
      paragraphs: [
        isTestEvent(event)
          ? `An alert rule of ${sender} is being tried out.`
          : `An alert rule of ${sender} has matched.`,
        ...(note === null ? [] : [note]),
        ...facts.map(([label, value]) => `${label}: ${value}`),
      ],
      action: action && { label: action.label, link: action.url, token: null },
    };
  }

  return {
    compose,
    isMember,

    /** Composers of mails, keyed by the `kind` of the outbox row. */
    mails: {
      /** Returns null also when the rule is paused, or has lost this action since. */
      async alert({ organizationId, payload }) {
        const { ruleId, action, event } = payload as unknown as AlertPayload;
        const rule = await activeRules.findActing(organizationId, ruleId, action);
        return rule && compose(rule, action.target, event);
      },
    } satisfies Record<string, ComposeMail>,
  };
}
export type AlertMailService = ReturnType<typeof createAlertMailService>;
