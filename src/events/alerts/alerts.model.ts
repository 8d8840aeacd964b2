// Alert rules, their state in a collection of its own, and daily mail counts (document 2, resource AlertRule).
import { Schema } from 'mongoose';
import type { AlertCondition } from '../../domain/events/alert-condition.ts';
import type { RuleStanding } from '../../domain/events/alert-measures.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

export const ALERT_SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof ALERT_SEVERITIES)[number];

export const ALERT_ACTION_TYPES = ['chat', 'webhook', 'email'] as const;
export interface AlertAction {
  type: (typeof ALERT_ACTION_TYPES)[number];
  /** A URL, or an e-mail address. */
  target: string;
}

export const alertRuleSchema = defineCollection(
  'alert_rules',
  {
    /** Null: the whole organisation. */
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    name: { type: String, required: true },
    description: { type: String, default: '' },
    severity: { type: String, enum: ALERT_SEVERITIES, required: true },
    isActive: { type: Boolean, required: true },
    /**
     * Sequence of the newest entry when it was switched on: decisions after it are followed. Absent: it is older than
     * this member.
     */
    since: Number,
    condition: typeAs<AlertCondition>({ type: Schema.Types.Mixed, required: true }),
    actions: typeAs<AlertAction[]>({ type: Schema.Types.Mixed, required: true }),
  },
  { timestamps: true },
);
export interface AlertRuleDocument extends DocumentOf<typeof alertRuleSchema> {}
alertRuleSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'list' });
/** The job that measures looks over all organisations. */
alertRuleSchema.index(
  { isActive: 1, 'condition.field': 1, organizationId: 1 },
  { name: 'measured' },
);
alertRuleSchema.index(
  { organizationId: 1, workspaceId: 1, name: 1 },
  { name: 'name', unique: true },
);

export const alertRuleStateSchema = defineCollection('alert_rule_states', {
  /** The rule's id. */
  _id: { type: Schema.Types.ObjectId, required: true },
  /** Absent: never; it was only measured. */
  lastTriggeredAt: Date,
  /** When its actions ran last, which begins the quiet period. */
  actedAt: { type: Date, default: null },
  /** What a measured rule is about at the moment; absent: nothing yet. */
  standing: typeAs<RuleStanding>({ type: Schema.Types.Mixed, required: false }),
});
/** Changes with every match; apart from the rule, so that a match invalidates no cache. */
export interface AlertRuleStateDocument extends DocumentOf<typeof alertRuleStateSchema> {}
alertRuleStateSchema.index({ organizationId: 1 }, { name: 'organization' });

export const alertMailCountSchema = defineCollection('alert_mail_counts', {
  /** `YYYY-MM-DD` (UTC). */
  day: { type: String, required: true },
  count: { type: Number, required: true },
  expiresAt: { type: Date, required: true },
});
/** Number of mails that the rules of an organisation sent in a day. */
export interface AlertMailCountDocument extends DocumentOf<typeof alertMailCountSchema> {}
alertMailCountSchema.index({ organizationId: 1, day: 1 }, { name: 'day', unique: true });
alertMailCountSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
