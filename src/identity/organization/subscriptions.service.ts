// Reads and stores subscriptions for the events of the payment processor; the plan is part of every cached context.
import type { Types } from 'mongoose';
import type { SubscriptionChange } from '../../domain/billing/subscription.ts';
import type { Platform } from '../../platform/platform.ts';
import type { OrganizationDocument } from './organization.model.ts';

export type Subscriber = Pick<OrganizationDocument, '_id' | 'subscription'>;

const MEMBERS = 'subscription';
/** Members that are stored under an earlier name. */
const STORED_NAMES: Readonly<Record<string, string>> = {
  lastEventAt: 'toldAt',
  lastEventKind: 'toldBy',
};

export function findSubscriber(
  { models }: Platform,
  organizationId: string,
): Promise<Subscriber | null> {
  return models.organizations.findById(organizationId, MEMBERS).lean<Subscriber>();
}

/** Finds the customer's organisations, the newest first; two at most, since a customer pays for one. */
export function listSubscribers({ models }: Platform, customerId: string): Promise<Subscriber[]> {
  return models.organizations
    .find({ 'subscription.paymentCustomerId': customerId }, MEMBERS)
    .sort({ _id: -1 })
    .limit(2)
    .lean<Subscriber[]>();
}

/** Changes some members; call it in a transaction. */
export async function changeSubscription(
  { models, onCommit, caches }: Platform,
  _id: Types.ObjectId,
  change: Partial<SubscriptionChange>,
): Promise<void> {
  const set = Object.entries(change).map(([name, value]) => [
    `subscription.${STORED_NAMES[name] ?? name}`,
    value,
  ]);
  await models.organizations.updateOne({ _id }, { $set: Object.fromEntries(set) });
  onCommit(() => caches.forget(_id.toHexString()));
}

/** Whether the organisation was deleted, which differs from an id that never was one. */
export async function wasOrganizationDeleted(
  { models }: Platform,
  organizationId: string,
): Promise<boolean> {
  return (await models.organizationDeletions.exists({ organizationId })) !== null;
}
