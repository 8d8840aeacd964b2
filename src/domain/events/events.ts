// The events that webhooks are told of, and which subscription takes which (document 2, section 6).

import type { Json } from '../record/json.ts';

/** The outbox topic of events that nobody has been told of yet. */
export const EVENT_TOPIC = 'event';

/** What a subscription may name; `*` takes everything that is dispatched. */
export const SUBSCRIBABLE = [
  'trace.created',
  'alert.triggered',
  'agent.created',
  'setting.updated',
  '*',
] as const;
export type Subscribable = (typeof SUBSCRIBABLE)[number];

export const WEBHOOK_TYPES = ['custom', 'chat_a', 'chat_b'] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** The body of a delivery. */
export interface EventBody {
  event: string;
  /** ISO 8601. */
  timestamp: string;
  data: Record<string, Json>;
}

/** Whether a subscription to these takes the event. */
export function takes(subscribed: readonly string[], event: string): boolean {
  return subscribed.includes('*') || subscribed.includes(event);
}

/** Whether a webhook or a rule was switched on before the decision of this sequence; what tells of no decision has none. */
export function isFollowing(
  { since = 0 }: { since?: number | undefined },
  sequence: number | undefined,
): boolean {
  return sequence === undefined || sequence > since;
}
