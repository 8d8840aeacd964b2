// Alert rules, their state in a collection of its own, and daily mail counts (document 2, resource AlertRule).
import { Schema, type Types } from 'mongoose';
import type { AlertCondition } from '../../domain/events/alert-condition.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

export const ALERT_SEVERITIES = ['critical', 'warning', 'info'] as const;
export type Severity = (typeof ALERT_SEVERITIES)[number];

export const ALERT_ACTION_TYPES = ['chat', 'webhook', 'email'] as const;
export interface AlertAction {
  type: (typeof ALERT_ACTION_TYPES)[number];
  /** A URL, or an e-mail address. */
  target: string;
}

export interface AlertRuleDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Null: the whole organisation. */
  workspaceId: Types.ObjectId | null;
  name: string;
  description: string;
  severity: Severity;
  isActive: boolean;
  /**
   * Sequence of the newest entry when it was switched on: decisions after it are followed. Absent: it is older than
   * this member.
   */
  since?: number;
  condition: AlertCondition;
  actions: AlertAction[];
  createdAt: Date;
  updatedAt: Date;
}

export const alertRuleSchema = new Schema<AlertRuleDocument>(
  {
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    name: { type: String, required: true },
    description: { type: String, default: '' },
    severity: { type: String, enum: ALERT_SEVERITIES, required: true },
    isActive: { type: Boolean, required: true },
    since: Number,
    condition: { type: Schema.Types.Mixed, required: true },
    actions: { type: Schema.Types.Mixed, required: true },
  },
  { collection: 'alert_rules', timestamps: true, autoIndex: false },
);
alertRuleSchema.plugin(guardTenancy);
alertRuleSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'list' });
alertRuleSchema.index(
  { organizationId: 1, workspaceId: 1, name: 1 },
  { name: 'name', unique: true },
);

/** Changes with every match; apart from the rule, so that a match invalidates no cache. */
export interface AlertRuleStateDocument {
  /** The rule's id. */
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  lastTriggeredAt: Date;
  /** When its actions ran last, which begins the quiet period. */
  actedAt: Date | null;
}

export const alertRuleStateSchema = new Schema<AlertRuleStateDocument>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    lastTriggeredAt: { type: Date, required: true },
    actedAt: { type: Date, default: null },
  },
  { collection: 'alert_rule_states', autoIndex: false },
);
alertRuleStateSchema.plugin(guardTenancy);
alertRuleStateSchema.index({ organizationId: 1 }, { name: 'organization' });

/** Number of mails that the rules of an organisation sent in a day. */
export interface AlertMailCountDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** `YYYY-MM-DD` (UTC). */
  day: string;
  count: number;
  expiresAt: Date;
}

export const alertMailCountSchema = new Schema<AlertMailCountDocument>(
  {
    day: { type: String, required: true },
    count: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'alert_mail_counts', autoIndex: false },
);
alertMailCountSchema.plugin(guardTenancy);
alertMailCountSchema.index({ organizationId: 1, day: 1 }, { name: 'day', unique: true });
alertMailCountSchema.index({ expiresAt: 1 }, { name: 'expiry', expireAfterSeconds: 0 });
