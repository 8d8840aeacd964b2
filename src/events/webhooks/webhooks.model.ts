// Webhooks, which receive an organisation's events, and their delivery statistics (document 2, resource Webhook).
import { Schema } from 'mongoose';
import { SWITCH_OFF_REASONS } from '../../domain/events/event-table.ts';
import { WEBHOOK_TYPES, type Subscribable } from '../../domain/events/events.ts';
import { defineCollection, type DocumentOf, typeAs } from '../../platform/mongo/collection.ts';

/** The topic of its deliveries in the outbox, which is also their log. */
export const DELIVERY_TOPIC = 'webhook';

/** Status of a delivery in the log. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const webhookSchema = defineCollection(
  'webhooks',
  {
    /** Null: events of all workspaces. */
    workspaceId: { type: Schema.Types.ObjectId, default: null },
    url: { type: String, required: true },
    events: typeAs<Subscribable[]>({ type: [String], required: true }),
    type: { type: String, enum: WEBHOOK_TYPES, required: true },
    description: { type: String, default: '' },
    isActive: { type: Boolean, required: true },
    /**
     * Sequence of the newest entry when it was switched on: decisions after it are followed. Absent: it is older than
     * this member.
     */
    since: Number,
    /** Set while it is switched off by Assay itself. */
    switchedOffAt: { type: Date, default: null },
    switchedOffReason: { type: String, enum: [...SWITCH_OFF_REASONS, null], default: null },
    sealedSecret: { type: String, required: true },
    /** Equal for two webhooks with the same workspace, address and events. */
    fingerprint: { type: String, required: true },
  },
  { timestamps: true },
);
export interface WebhookDocument extends DocumentOf<typeof webhookSchema> {}
webhookSchema.index({ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'list' });
webhookSchema.index({ organizationId: 1, fingerprint: 1 }, { name: 'fingerprint', unique: true });

export const webhookStatisticsSchema = defineCollection('webhook_statistics', {
  /** The webhook's id. */
  _id: { type: Schema.Types.ObjectId, required: true },
  deliveryCount: { type: Number, default: 0 },
  deliverySuccessCount: { type: Number, default: 0 },
  lastTriggered: { type: Date, default: null },
  /** The first of the failures since the last success, and the newest of them. */
  failingSince: { type: Date, default: null },
  lastFailedAt: { type: Date, default: null },
});
/** Changes with every delivery; apart from the webhook, so that a delivery invalidates no cache. */
export interface WebhookStatisticsDocument extends DocumentOf<typeof webhookStatisticsSchema> {}
webhookStatisticsSchema.index({ organizationId: 1 }, { name: 'organization' });
