// Webhooks, which receive an organisation's events, and their delivery statistics (document 2, resource Webhook).
import { Schema, type Types } from 'mongoose';
import { WEBHOOK_TYPES, type Subscribable, type WebhookType } from '../../domain/events/events.ts';
import { guardTenancy } from '../../platform/mongo/tenancy.ts';

/** The topic of its deliveries in the outbox, which is also their log. */
export const DELIVERY_TOPIC = 'webhook';

/** Status of a delivery in the log. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Reasons for which Assay switches a webhook off: it answered 410, or failed for days. */
export const SWITCH_OFF_REASONS = ['gone', 'failing'] as const;
export type SwitchOffReason = (typeof SWITCH_OFF_REASONS)[number];

export interface WebhookDocument {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  /** Null: events of all workspaces. */
  workspaceId: Types.ObjectId | null;
  url: string;
  events: Subscribable[];
  type: WebhookType;
  description: string;
  isActive: boolean;
  /**
   * Sequence of the newest entry when it was switched on: decisions after it are followed. Absent: it is older than
   * this member.
   */
  since?: number;
  /** Set while it is switched off by Assay itself. */
  switchedOffAt: Date | null;
  switchedOffReason: SwitchOffReason | null;
  sealedSecret: string;
  /** Equal for two webhooks with the same workspace, address and events. */
  fingerprint: string;
  createdAt: Date;
  updatedAt: Date;
}

export const webhookSchema = new Schema<WebhookDocument>(
  {
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    url: { type: String, required: true },
    events: { type: [String], required: true },
    type: { type: String, enum: WEBHOOK_TYPES, required: true },
    description: { type: String, default: '' },
    isActive: { type: Boolean, required: true },
    since: Number,
    switchedOffAt: { type: Date, default: null },
    switchedOffReason: { type: String, enum: [...SWITCH_OFF_REASONS, null], default: null },
    sealedSecret: { type: String, required: true },
    fingerprint: { type: String, required: true },
  },
  { collection: 'webhooks', timestamps: true, autoIndex: false },
);
webhookSchema.plugin(guardTenancy);
webhookSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'list' });
webhookSchema.index({ organizationId: 1, fingerprint: 1 }, { name: 'fingerprint', unique: true });

/** Changes with every delivery; apart from the webhook, so that a delivery invalidates no cache. */
export interface WebhookStatisticsDocument {
  /** The webhook's id. */
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
  deliveryCount: number;
  deliverySuccessCount: number;
  lastTriggered: Date | null;
  /** The first of the failures since the last success, and the newest of them. */
  failingSince: Date | null;
  lastFailedAt: Date | null;
}

export const webhookStatisticsSchema = new Schema<WebhookStatisticsDocument>(
  {
    _id: { type: Schema.Types.ObjectId, required: true },
    deliveryCount: { type: Number, default: 0 },
    deliverySuccessCount: { type: Number, default: 0 },
    lastTriggered: { type: Date, default: null },
    failingSince: { type: Date, default: null },
    lastFailedAt: { type: Date, default: null },
  },
  { collection: 'webhook_statistics', autoIndex: false },
);
webhookStatisticsSchema.plugin(guardTenancy);
webhookStatisticsSchema.index({ organizationId: 1 }, { name: 'organization' });
