// What an event of the payment processor makes of a subscription, in whatever order events arrive (document 3, section 6).
import type { Plan } from '../identity/plans.ts';

/** A subscription as one event tells it. */
export interface SubscriptionEvent {
  kind: 'created' | 'updated' | 'deleted';
  /** When it happened. */
  at: Date;
  subscriptionId: string;
  customerId: string;
  /** When the subscription itself began. */
  begunAt: Date;
  status: string;
  /** Null: none of its prices is one of ours. */
  plan: Plan | null;
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
}

/** What is known of an organisation's subscription. */
export interface KnownSubscription {
  plan: Plan;
  status: string;
  paymentSubscriptionId: string | null;
  /** Of the subscription. */
  begunAt: Date | null;
  /** Of the event that was applied last. */
  toldAt: Date | null;
  /** The kind of that event. */
  toldBy: SubscriptionEvent['kind'] | null;
}

/** It is over, and the processor never revives it. */
const ENDED = new Set(['canceled', 'incomplete_expired']);
/** The plan is the customer's while the processor still collects. */
const ENTITLED = new Set(['trialing', 'active', 'past_due']);
/** Of events of one second. */
const RANK = { created: 0, updated: 1, deleted: 2 } as const;

const hasEnded = (status: string): boolean => ENDED.has(status);

/** Whether there is a subscription that costs money or may begin to. */
export function isLive({
  paymentSubscriptionId,
  status,
}: Partial<Pick<KnownSubscription, 'paymentSubscriptionId'>> & { status: string }): boolean {
  return paymentSubscriptionId != null && !hasEnded(status);
}

/** Whether an event says something newer than what is known. */
export function isNews(known: KnownSubscription, event: SubscriptionEvent): boolean {
  if (event.subscriptionId !== known.paymentSubscriptionId) return replaces(known, event);
  // Learnt from the checkout, which tells nothing else of it.
  if (known.toldAt === null || known.toldBy === null) return true;
  if (hasEnded(known.status)) return false;
  const later = event.at.getTime() - known.toldAt.getTime();
  return later > 0 || (later === 0 && RANK[event.kind] >= RANK[known.toldBy]);
}

/** Another subscription takes over when it is the newer one, or the one before has ended. */
function replaces(known: KnownSubscription, event: SubscriptionEvent): boolean {
  if (hasEnded(statusOf(event)) || !ENTITLED.has(event.status)) return false;
  if (known.paymentSubscriptionId === null || hasEnded(known.status)) return true;
  return known.begunAt !== null && event.begunAt > known.begunAt;
}

export interface SubscriptionChange extends KnownSubscription {
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
  paymentCustomerId: string;
}

/** The subscription afterwards. */
export function applied(known: KnownSubscription, event: SubscriptionEvent): SubscriptionChange {
  const status = statusOf(event);
  return {
    plan: planAfter(known.plan, status, event.plan),
    status,
    currentPeriodEnd: hasEnded(status) ? null : event.currentPeriodEnd,
    cancelAtPeriodEnd: !hasEnded(status) && event.cancelAtPeriodEnd,
    paymentCustomerId: event.customerId,
    paymentSubscriptionId: event.subscriptionId,
    begunAt: event.begunAt,
    toldAt: event.at,
    toldBy: event.kind,
  };
}

/** Without a price of ours, and before the first payment, the plan stays; a status that grants nothing leaves the sandbox. */
function planAfter(known: Plan, status: string, paid: Plan | null): Plan {
  if (ENTITLED.has(status)) return paid ?? known;
  return status === 'incomplete' ? known : 'sandbox';
}

const statusOf = ({ kind, status }: SubscriptionEvent): string =>
  kind === 'deleted' ? 'canceled' : status;
