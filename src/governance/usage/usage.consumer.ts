// Follows the meter: notifies managers near the limit, and queues overage for billing (document 3, 4.8 and 4.9).
import type { mongo } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { type MeterStep, toMeterSteps } from '../../domain/billing/meter-steps.ts';
import { computeWarningThreshold } from '../../domain/billing/usage-summary.ts';
import { getHardLimit, getMonthlyLimit, PLANS } from '../../domain/identity/plans.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import type { ManagerNotices } from '../../events/notifications/manager-notices.service.ts';
import type {
  OrganizationFacts,
  OrganizationSubscription,
} from '../../identity/organization/organization-facts.service.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import { notifyNearLimit } from './limit-notices.ts';

type Deps = Pick<Platform, 'models' | 'outbox' | 'config'> & {
  managerNotices: ManagerNotices;
  organizationFacts: OrganizationFacts;
};

export const OVERAGE_TOPIC = 'overage';

export function createUsageConsumer(deps: Deps): Consumer<TraceDocument> {
  const { organizationFacts, config } = deps;
  const sandbox = config.ASSAY_LIMIT_SANDBOX;
  const limits = PLANS.flatMap((plan) => getMonthlyLimit(plan, sandbox) ?? []);
  /** The lowest warning threshold of all plans; below it there is nothing to do. */
  const lowest = Math.min(...limits.map(computeWarningThreshold));

  return {
    name: 'usage',
    from: 'head',
    kinds: ['trace'],
    projection: { usage: 1, createdAt: 1 },
    async consume(entries, { session, organizationId }) {
      if (!entries.some(({ usage }) => usage.count >= lowest)) return;
      const subscription = await organizationFacts.findSubscription(organizationId, session);
      if (!subscription) return;
      const limit = getMonthlyLimit(subscription.plan, sandbox);
      if (limit === null) return;
      for (const step of toMeterSteps(entries, limit))
        await follow({ organizationId, subscription, limit, step }, deps, session);
    },
  };
}

interface UsageStep {
  organizationId: string;
  subscription: OrganizationSubscription;
  limit: number;
  step: MeterStep;
}

/** Runs the effects of one step of the meter. */
async function follow(
  { organizationId, subscription, limit, step }: UsageStep,
  { models, outbox, config, managerNotices }: Deps,
  session: mongo.ClientSession,
): Promise<void> {
  const { month, count, beyond, at } = step;
  const blocks = getHardLimit(subscription.plan, config.ASSAY_LIMIT_SANDBOX) !== null;
  if (count >= computeWarningThreshold(limit))
    await notifyNearLimit(
      { models, managerNotices },
      { organizationId, month, limit, blocks },
      session,
    );
  const { paymentCustomerId: customerId } = subscription;
  const isBilled = !blocks && customerId !== null && config.STRIPE_SECRET_KEY !== undefined;
  if (beyond === 0 || !isBilled) return;
  const subject = `${month}:${customerId}`;
  const row = { organizationId, topic: OVERAGE_TOPIC, subject, payload: { customerId } };
  await outbox.incrementPending(row, { count: beyond, at }, session);
}
