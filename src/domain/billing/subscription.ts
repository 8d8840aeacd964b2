// Applies events of the payment processor to a subscription, in any order of arrival (document 3, section 6).
import type { Plan } from '../identity/plans.ts';

/** A subscription as one event describes it. */
export interface SubscriptionEvent {
  kind: 'created' | 'updated' | 'deleted';
  /** When the event happened. */
  at: Date;
  subscriptionId: string;
  customerId: string;
  /** When the subscription itself began. */
  begunAt: Date;
  status: string;
  /** Null: none of its prices is configured here. */
  plan: Plan | null;
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
}

/** The stored state of an organisation's subscription. */
export interface KnownSubscription {
  plan: Plan;
  status: string;
  paymentSubscriptionId: string | null;
  /** When the subscription began. */
  begunAt: Date | null;
  /** When the last applied event happened. */
  lastEventAt: Date | null;
  /** The kind of the last applied event. */
  lastEventKind: SubscriptionEvent['kind'] | null;
}

/** Statuses of subscriptions that have ended; the processor never revives them. */
const ENDED = new Set(['canceled', 'incomplete_expired']);
/** Statuses that grant the plan: the processor still collects payments. */
const ENTITLED = new Set(['trialing', 'active', 'past_due']);
/** The order of events with the same timestamp, which has a resolution of one second. */
const RANK = { created: 0, updated: 1, deleted: 2 } as const;

const hasEnded = (status: string): boolean => ENDED.has(status);

/** Whether there is a subscription that costs money or may start to. */
export function isLive({
  paymentSubscriptionId,
  status,
}: Partial<Pick<KnownSubscription, 'paymentSubscriptionId'>> & { status: string }): boolean {
  return paymentSubscriptionId != null && !hasEnded(status);
}

/** Whether an event is newer than the stored state. */
export function isNewerEvent(known: KnownSubscription, event: SubscriptionEvent): boolean {
  if (event.subscriptionId !== known.paymentSubscriptionId) return mayReplace(known, event);
  // The state comes from the checkout, which carries no event time.
  if (known.lastEventAt === null || known.lastEventKind === null) return true;
  if (hasEnded(known.status)) return false;
  const later = event.at.getTime() - known.lastEventAt.getTime();
  return later > 0 || (later === 0 && RANK[event.kind] >= RANK[known.lastEventKind]);
}

/** Another subscription takes over when it is newer, or when the previous one has ended. */
function mayReplace(known: KnownSubscription, event: SubscriptionEvent): boolean {
  if (hasEnded(toSubscriptionStatus(event)) || !ENTITLED.has(event.status)) return false;
  if (known.paymentSubscriptionId === null || hasEnded(known.status)) return true;
  return known.begunAt !== null && event.begunAt > known.begunAt;
}

export interface SubscriptionChange extends KnownSubscription {
  currentPeriodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
  paymentCustomerId: string;
}

/** The state of the subscription after the event. */
export function applySubscriptionEvent(
  known: KnownSubscription,
  event: SubscriptionEvent,
): SubscriptionChange {
  const status = toSubscriptionStatus(event);
  return {
    plan: resolvePlan(known.plan, status, event.plan),
    status,
    currentPeriodEnd: hasEnded(status) ? null : event.currentPeriodEnd,
    cancelAtPeriodEnd: !hasEnded(status) && event.cancelAtPeriodEnd,
    paymentCustomerId: event.customerId,
    paymentSubscriptionId: event.subscriptionId,
    begunAt: event.begunAt,
    lastEventAt: event.at,
    lastEventKind: event.kind,
  };
}

/**
 * The plan stays without a known price and before the first payment; a status that grants nothing means the sandbox.
 */
function resolvePlan(known: Plan, status: string, paid: Plan | null): Plan {
  if (ENTITLED.has(status)) return paid ?? known;
  return status === 'incomplete' ? known : 'sandbox';
}

const toSubscriptionStatus = ({ kind, status }: SubscriptionEvent): string =>
  kind === 'deleted' ? 'canceled' : status;
