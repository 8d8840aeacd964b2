// Applies the processor's events on checkouts and subscriptions, in any order and repetition (document 3, section 6).
import type { z } from 'zod';
import type { Models } from '../../models.ts';
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

/** Writes to one row per customer: of two concurrent events one conflicts, runs again and sees the other. */
async function touchCustomer(models: Models, customerId: string): Promise<void> {
  await models.paymentEvents.updateOne(
    { _id: `customer:${customerId}` },
    { $inc: { touched: 1 }, $setOnInsert: { type: 'customer' } },
    { upsert: true },
  );
}

export function createPaymentEventService(platform: Platform) {
  const { models, clock, config, logger } = platform;

  /** Resolves with false when the event was accepted before. */
  async function isFirst({ id: _id, type }: PaymentEvent): Promise<boolean> {
    const row = { $setOnInsert: { type, waiting: null, customerId: null } };
    const { upsertedCount } = await models.paymentEvents.updateOne({ _id }, row, { upsert: true });
    return upsertedCount === 1;
  }

  /** Returns null when the event brings nothing new. */
  async function apply(
    organization: Subscriber,
    event: SubscriptionEvent,
  ): Promise<SubscriptionChanged | null> {
    const before = toKnownSubscription(organization);
    if (!isNewerEvent(before, event)) return null;
    if (event.plan === null)
      logger.warn({ subscription: event.subscriptionId }, 'a subscription without a known price');
    const after = applySubscriptionEvent(before, event);
    await changeSubscription(platform, organization._id, after);
    return { organizationId: organization._id.toHexString(), before, after };
  }

  async function findOrganization(
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

  async function takeSubscription(event: PaymentEvent): Promise<SubscriptionChanged[]> {
    const parsed = subscriptionObject.safeParse(event.data?.object);
    if (!parsed.success) throw createUnreadableError();
    const subscriptionEvent = parseSubscriptionEvent(event, parsed.data);
    await touchCustomer(models, subscriptionEvent.customerId);
    const organization = await findOrganization(
      subscriptionEvent,
      parsed.data.metadata?.organizationId,
    );
    const change = organization && (await apply(organization, subscriptionEvent));
    if (!organization)
      await models.paymentEvents.updateOne(
        { _id: event.id },
        { $set: { waiting: subscriptionEvent, customerId: subscriptionEvent.customerId } },
      );
    return change ? [change] : [];
  }

  function parseSubscriptionEvent(
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

  /** Stores customer and subscription, then applies the events of that customer that came too early. */
  async function takeCheckout(event: PaymentEvent): Promise<SubscriptionChanged[]> {
    const parsed = checkoutSession.safeParse(event.data?.object);
    if (!parsed.success) throw createUnreadableError();
    const { mode, client_reference_id: organizationId, customer, subscription } = parsed.data;
    if ((mode ?? 'subscription') !== 'subscription' || !organizationId || !customer) return [];
    await touchCustomer(models, customer);
    const organization = await findSubscriber(platform, organizationId);
    if (!organization) return cancelLate(organizationId, subscription);
    await stamp(organization, customer, subscription ?? null);
    return applyWaitingEvents(organizationId, customer);
  }

  /** Cancels what a deleted organisation has just bought. */
  async function cancelLate(organizationId: string, subscriptionId?: string | null): Promise<[]> {
    const purchase = { paymentSubscriptionId: subscriptionId ?? null };
    if (await wasOrganizationDeleted(platform, organizationId))
      await queueCancellation(platform, purchase);
    return [];
  }

  async function stamp(
    organization: Subscriber,
    paymentCustomerId: string,
    paymentSubscriptionId: string | null,
  ): Promise<void> {
    const current = toKnownSubscription(organization);
    if (current.paymentSubscriptionId === paymentSubscriptionId)
      return changeSubscription(platform, organization._id, { paymentCustomerId });
    // A newer subscription replaces the live one by its own events.
    if (isLive(current))
      return logger.warn(
        { organizationId: organization._id, paymentSubscriptionId },
        'a checkout beside a subscription',
      );
    const noEventYet = { begunAt: null, lastEventAt: null, lastEventKind: null };
    const bought = { paymentCustomerId, paymentSubscriptionId, ...noEventYet };
    await changeSubscription(platform, organization._id, bought);
  }

  async function applyWaitingEvents(
    organizationId: string,
    customerId: string,
  ): Promise<SubscriptionChanged[]> {
    const waitingEvents = { customerId, waiting: { $ne: null } };
    const rows = await models.paymentEvents
      .find(waitingEvents)
      .sort({ 'waiting.at': 1 })
      .limit(WAITING_MAX)
      .lean<PaymentEventDocument[]>();
    const changes: SubscriptionChanged[] = [];
    for (const { waiting } of rows) {
      const organization = await findSubscriber(platform, organizationId);
      const change = organization && waiting && (await apply(organization, waiting));
      if (change) changes.push(change);
    }
    await models.paymentEvents.updateMany(waitingEvents, { $set: { waiting: null } });
    return changes;
  }

  return {
    /**
     * @throws AppError `VALIDATION_ERROR` unless the processor signed these bytes within five minutes;
     * `CONFIG_ERROR` without a secret
     */
    async verify(rawBody: Buffer, signature: string | string[] | undefined): Promise<void> {
      await openPaymentProcessor(platform).verify(rawBody, String(signature ?? ''), clock.now());
    },

    /** Applies an event once; call it in a transaction. @throws AppError `VALIDATION_ERROR` for an unexpected form */
    async takeEvent(event: PaymentEvent): Promise<SubscriptionChanged[]> {
      if (!(await isFirst(event))) return [];
      if (event.type === CHECKOUT) return takeCheckout(event);
      return event.type.startsWith(SUBSCRIPTION) ? takeSubscription(event) : [];
    },
  };
}
export type PaymentEventService = ReturnType<typeof createPaymentEventService>;

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
