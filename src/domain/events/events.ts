// The events that webhooks deliver, and the rule that matches them to subscriptions (document 2, section 6).

import type { Json } from '@assay/json';

/** The outbox topic of events that have not been delivered yet. */
export const EVENT_TOPIC = 'event';

/** The events that a subscription may name; `*` matches every event. */
export const SUBSCRIBABLE = [
  'trace.created',
  'review.decided',
  'review.expired',
  'review.withdrawn',
  'execution.recorded',
  'alert.triggered',
  'agent.created',
  'setting.updated',
  '*',
] as const;
export type Subscribable = (typeof SUBSCRIBABLE)[number];

export const WEBHOOK_TYPES = ['custom', 'chat_a', 'chat_b'] as const;

/** The body of a delivery. */
export interface EventBody {
  event: string;
  /** ISO 8601. */
  timestamp: string;
  data: Record<string, Json>;
}

/** Whether a subscription to these events includes the event. */
export function isEventIncluded(subscribed: readonly string[], event: string): boolean {
  return subscribed.includes('*') || subscribed.includes(event);
}

/**
 * Whether a webhook or rule was enabled before the decision of this sequence. Events without a decision have no
 * sequence.
 */
export function isFollowing(
  { since = 0 }: { since?: number | undefined },
  sequence: number | undefined,
): boolean {
  return sequence === undefined || sequence > since;
}
