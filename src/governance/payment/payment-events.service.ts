// Applies the processor's events on checkouts and subscriptions, in any order and repetition (document 3, section 6).
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import { findPlan } from '../../domain/billing/plan-catalogue.ts';
import {
  applySubscriptionEvent,
  isLive,
  isNewerEvent,
  type KnownSubscription,
  type SubscriptionChange,
  type SubscriptionEvent,
} from '../../domain/billing/subscription.ts';
import { AppError } from '../../errors.ts';
import { openPaymentProcessor } from '../../platform/outbound/payment-processor.ts';
import {
  type Subscriber,
  findSubscriber,
  listSubscribers,
  changeSubscription,
  wasOrganizationDeleted,
} from '../../identity/organization/subscriptions.service.ts';
import { queueCancellation } from '../billing/cancellations.service.ts';
import type { PaymentEventDocument } from './payment-events.model.ts';
import {
  checkoutSession,
  type paymentEventInput,
  subscriptionObject,
} from './payment-events.schemas.ts';

type PaymentEvent = z.output<typeof paymentEventInput>;

/** The subscription of an organisation before and after an event. */
export interface SubscriptionChanged {
  organizationId: string;
  before: KnownSubscription;
  after: SubscriptionChange;
}

const CHECKOUT = 'checkout.session.completed';
const SUBSCRIPTION = 'customer.subscription.';
/** Maximum number of waiting events of one customer. */
const WAITING_MAX = 100;
/** The kind comes from the event's type: the status does not show a deletion. */
const KINDS: Readonly<Record<string, SubscriptionEvent['kind']>> = {
  'customer.subscription.created': 'created',
  'customer.subscription.deleted': 'deleted',
};

/**
 * @throws AppError `VALIDATION_ERROR` unless the processor signed these bytes within five minutes;
 * `CONFIG_ERROR` without a secret
 */
export async function verifyPaymentEvent(
  platform: Platform,
  rawBody: Buffer,
  signature: string | string[] | undefined,
): Promise<void> {
  const now = platform.clock.now();
  await openPaymentProcessor(platform).verify(rawBody, String(signature ?? ''), now);
}

/** Applies an event once; call it in a transaction. @throws AppError `VALIDATION_ERROR` for an unexpected form */
export async function takePaymentEvent(
  platform: Platform,
  event: PaymentEvent,
): Promise<SubscriptionChanged[]> {
  if (!(await isFirst(platform, event))) return [];
  if (event.type === CHECKOUT) return takeCheckout(platform, event);
  return event.type.startsWith(SUBSCRIPTION) ? takeSubscription(platform, event) : [];
}

/** Resolves with false when the event was accepted before. */
async function isFirst({ models }: Platform, { id: _id, type }: PaymentEvent): Promise<boolean> {
  const row = { $setOnInsert: { type, waiting: null, customerId: null } };
  const { upsertedCount } = await models.paymentEvents.updateOne({ _id }, row, { upsert: true });
  return upsertedCount === 1;
}

/** Writes to one row per customer: of two concurrent events one conflicts, runs again and sees the other. */
async function touchCustomer({ models }: Platform, customerId: string): Promise<void> {
  await models.paymentEvents.updateOne(
    { _id: `customer:${customerId}` },
    { $inc: { touched: 1 }, $setOnInsert: { type: 'customer' } },
    { upsert: true },
  );
}

async function takeSubscription(
  platform: Platform,
  event: PaymentEvent,
): Promise<SubscriptionChanged[]> {
  const parsed = subscriptionObject.safeParse(event.data?.object);
  if (!parsed.success) throw createUnreadableError();
  const waiting = parseSubscriptionEvent(platform, event, parsed.data);
  const { customerId } = waiting;
  await touchCustomer(platform, customerId);
  const named = parsed.data.metadata?.organizationId;
  const organization = await findOrganization(platform, waiting, named);
  if (organization) return applyEvent(platform, organization, waiting);
  const kept = { $set: { waiting, customerId } };
  await platform.models.paymentEvents.updateOne({ _id: event.id }, kept);
  return [];
}

function parseSubscriptionEvent(
  { clock, config }: Platform,
  { type, created }: PaymentEvent,
  object: z.output<typeof subscriptionObject>,
): SubscriptionEvent {
  const items = object.items?.data ?? [];
  const prices = items.map(({ price }) => ({
    id: price.id,
    lookupKey: price.lookup_key ?? null,
  }));
  const ends = items.flatMap(({ current_period_end: end }) => (end ? [end.getTime()] : []));
  const latest = ends.length === 0 ? null : new Date(Math.max(...ends));
  return {
    kind: KINDS[type] ?? 'updated',
    at: created ?? clock.now(),
    subscriptionId: object.id,
    customerId: object.customer,
    begunAt: object.created ?? new Date(0),
    status: object.status,
    plan: findPlan(prices, config.STRIPE_PRICES ?? new Map()),
    currentPeriodEnd: object.current_period_end ?? latest,
    cancelAtPeriodEnd: object.cancel_at_period_end === true || object.cancel_at != null,
  };
}

async function findOrganization(
  platform: Platform,
  { subscriptionId, customerId }: SubscriptionEvent,
  organizationId: string | null | undefined,
): Promise<Subscriber | null> {
  const byName = organizationId && (await findSubscriber(platform, organizationId));
  if (byName) return byName;
  const found = await listSubscribers(platform, customerId);
  const isItsOwn = ({ subscription }: Subscriber): boolean =>
    subscription.paymentSubscriptionId === subscriptionId;
  return found.find(isItsOwn) ?? found[0] ?? null;
}

/** Returns the change; nothing when the event brings nothing new. */
async function applyEvent(
  platform: Platform,
  organization: Subscriber,
  event: SubscriptionEvent,
): Promise<SubscriptionChanged[]> {
  const before = toKnownSubscription(organization);
  if (!isNewerEvent(before, event)) return [];
  const { subscriptionId: subscription, plan } = event;
  if (plan === null) platform.logger.warn({ subscription }, 'a subscription without a known price');
  const after = applySubscriptionEvent(before, event);
  await changeSubscription(platform, organization._id, after);
  return [{ organizationId: organization._id.toHexString(), before, after }];
}

/** Stores customer and subscription, then applies the events of that customer that came too early. */
async function takeCheckout(
  platform: Platform,
  event: PaymentEvent,
): Promise<SubscriptionChanged[]> {
  const parsed = checkoutSession.safeParse(event.data?.object);
  if (!parsed.success) throw createUnreadableError();
  const { mode, client_reference_id: organizationId, customer, subscription } = parsed.data;
  if ((mode ?? 'subscription') !== 'subscription' || !organizationId || !customer) return [];
  await touchCustomer(platform, customer);
  const organization = await findSubscriber(platform, organizationId);
  if (!organization) return cancelLate(platform, organizationId, subscription);
  await stampCustomer(platform, organization, {
    paymentCustomerId: customer,
    paymentSubscriptionId: subscription ?? null,
  });
  return applyWaitingEvents(platform, organizationId, customer);
}

/** Cancels what a deleted organisation has just bought. */
async function cancelLate(
  platform: Platform,
  organizationId: string,
  subscriptionId?: string | null,
): Promise<[]> {
  const purchase = { paymentSubscriptionId: subscriptionId ?? null };
  if (await wasOrganizationDeleted(platform, organizationId))
    await queueCancellation(platform, purchase);
  return [];
}

async function stampCustomer(
  platform: Platform,
  organization: Subscriber,
  bought: { paymentCustomerId: string; paymentSubscriptionId: string | null },
): Promise<void> {
  const { paymentCustomerId, paymentSubscriptionId } = bought;
  const current = toKnownSubscription(organization);
  if (current.paymentSubscriptionId === paymentSubscriptionId)
    return changeSubscription(platform, organization._id, { paymentCustomerId });
  // A newer subscription replaces the live one by its own events.
  if (isLive(current))
    return platform.logger.warn(
      { organizationId: organization._id, paymentSubscriptionId },
      'a checkout beside a subscription',
    );
  const noEventYet = { begunAt: null, lastEventAt: null, lastEventKind: null };
  await changeSubscription(platform, organization._id, { ...bought, ...noEventYet });
}

async function applyWaitingEvents(
  platform: Platform,
  organizationId: string,
  customerId: string,
): Promise<SubscriptionChanged[]> {
  const { paymentEvents } = platform.models;
  const waitingEvents = { customerId, waiting: { $ne: null } };
  const rows = await paymentEvents
    .find(waitingEvents)
    .sort({ 'waiting.at': 1 })
    .limit(WAITING_MAX)
    .lean<PaymentEventDocument[]>();
  const changes: SubscriptionChanged[] = [];
  for (const { waiting } of rows) {
    const organization = await findSubscriber(platform, organizationId);
    if (organization && waiting)
      changes.push(...(await applyEvent(platform, organization, waiting)));
  }
  await paymentEvents.updateMany(waitingEvents, { $set: { waiting: null } });
  return changes;
}

const createUnreadableError = (): AppError =>
  new AppError('VALIDATION_ERROR', 'The event has another form than described');

/** Fills in members that organisations of earlier versions lack. */
function toKnownSubscription({ subscription }: Subscriber): KnownSubscription {
  return {
    plan: subscription.plan,
    status: subscription.status,
    paymentSubscriptionId: subscription.paymentSubscriptionId ?? null,
    begunAt: subscription.begunAt ?? null,
    lastEventAt: subscription.toldAt ?? null,
    lastEventKind: subscription.toldBy ?? null,
  };
}
