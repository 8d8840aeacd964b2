// Composes the mail of an alert when it is sent, within a daily limit (decisions.md, webhooks and alerts).
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { PRESENT } from '../../domain/identity/standing.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { AlertAction, AlertMailCountDocument, AlertRuleDocument } from './alerts.model.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'config'>;

const TWO_DAYS_MS = 2 * 24 * 3600_000;

export function createAlertMailService({ models, clock, config }: Deps) {
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
  async function isMember(organizationId: Types.ObjectId, email: string): Promise<boolean> {
    const user = await models.users.findOne({ email }, '_id').lean();
    if (!user) return false;
    const membership = { organizationId, userId: user._id, ...PRESENT };
    return (await models.memberships.exists(membership)) !== null;
  }

  /** Returns null when the recipient is no member, the organisation is gone, or the daily limit is reached. */
  async function compose(
    { organizationId, severity, name, description }: AlertRuleDocument,
    to: string,
    { data }: EventBody,
  ): Promise<MailContent | null> {
    if (!(await isMember(organizationId, to))) return null;
    const organization = await models.organizations
      .findById(organizationId, 'name')
      .lean<{ name: string }>();
    if (!organization || !(await count(organizationId.toHexString()))) return null;
    const rows = Object.entries(data).filter(([, value]) => value !== null);
    return {
      to,
      subject: `Alert (${severity}): ${toQuotedName(name)}`,
      paragraphs: [
        `An alert rule of ${toQuotedName(organization.name)} has matched.`,
        ...(description === '' ? [] : [description]),
        ...rows.map(([member, value]) => `${member}: ${String(value)}`),
      ],
      action: null,
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
