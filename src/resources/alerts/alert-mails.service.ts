// Composes the mail of an alert when it is sent, within a daily limit (decisions.md, webhooks and alerts).
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { PRESENT } from '../../domain/identity/standing.ts';
import { REVIEWERS, type Role } from '../../domain/identity/roles.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import { type AlertCards, isTestEvent } from './alert-cards.service.ts';
import type { AlertAction, AlertMailCountDocument, AlertRuleDocument } from './alerts.model.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'config'>;

const TWO_DAYS_MS = 2 * 24 * 3600_000;

export function createAlertMailService(
  { models, clock, config }: Deps,
  { cards }: { cards: AlertCards },
) {
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
  ): Promise<{ userId: Types.ObjectId; role: Role } | null> {
    const user = await models.users.findOne({ email }, '_id').lean<{ _id: Types.ObjectId }>();
    if (!user) return null;
    const membership = { organizationId, userId: user._id, ...PRESENT };
    return models.memberships
      .findOne(membership, 'userId role')
      .lean<{ userId: Types.ObjectId; role: Role }>();
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
    const organization = await models.organizations
      .findById(organizationId, 'name')
      .lean<{ name: string }>();
    if (!organization || !(await count(organizationId.toHexString()))) return null;
    const { userId, role } = member;
    const reader = REVIEWERS.includes(role) ? { userId: userId.toHexString() } : null;
    const { title, facts, note, action } = await cards.composeAlert(rule, event, reader);
    const sender = toQuotedName(organization.name);
    return {
      to,
      subject: title,
      paragraphs: [
        isTestEvent(event)
          ? `An alert rule of ${sender} is being tried out.`
          : `An alert rule of ${sender} has matched.`,
        ...(note === null ? [] : [note]),
        ...facts.map(([name, value]) => `${name}: ${value}`),
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
      async alert({
        organizationId,
        payload,
      }: Pick<OutboxDocument, 'organizationId' | 'payload'>): Promise<MailContent | null> {
        const { target } = payload.action as AlertAction;
        const active = { organizationId, _id: payload.ruleId as string, isActive: true };
        const where = { ...active, 'actions.target': target };
        const rule = await models.alertRules.findOne(where).lean<AlertRuleDocument>();
        return rule && compose(rule, target, payload.event as EventBody);
      },
    },
  };
}
export type AlertMailService = ReturnType<typeof createAlertMailService>;
