// Follows the meter: notifies managers near the limit, and queues overage for billing (document 3, 4.8 and 4.9).
import type { mongo } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { type MeterStep, toMeterSteps } from '../../domain/billing/meter-steps.ts';
import { computeWarningThreshold } from '../../domain/billing/usage-summary.ts';
import { getHardLimit, getMonthlyLimit, PLANS } from '../../domain/identity/plans.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import {
  type OrganizationSubscription,
  findSubscription,
} from '../../identity/organization/organization-facts.service.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import { notify } from '../../events/notifications/notices/notices.service.ts';

export const OVERAGE_TOPIC = 'overage';

export function createUsageConsumer(platform: Platform): Consumer<TraceDocument> {
  const sandbox = platform.config.ASSAY_LIMIT_SANDBOX;
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
      const subscription = await findSubscription(platform, organizationId, session);
      if (!subscription) return;
      const limit = getMonthlyLimit(subscription.plan, sandbox);
      if (limit === null) return;
      for (const step of toMeterSteps(entries, limit))
        await follow(platform, { organizationId, subscription, limit, step }, session);
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
  platform: Platform,
  { organizationId, subscription, limit, step }: UsageStep,
  session: mongo.ClientSession,
): Promise<void> {
  const { config, outbox } = platform;
  const { month, count, beyond, at } = step;
  const isBlocking = getHardLimit(subscription.plan, config.ASSAY_LIMIT_SANDBOX) !== null;
  if (count >= computeWarningThreshold(limit))
    await warnNearLimit(platform, { organizationId, month, limit, isBlocking }, session);
  const { paymentCustomerId: customerId } = subscription;
  const isBilled = !isBlocking && customerId !== null && config.STRIPE_SECRET_KEY !== undefined;
  if (beyond === 0 || !isBilled) return;
  const subject = `${month}:${customerId}`;
  const row = { organizationId, topic: OVERAGE_TOPIC, subject, payload: { customerId } };
  await outbox.incrementPending(row, { count: beyond, at }, session);
}

/** Warns managers once per month and limit. */
async function warnNearLimit(
  platform: Platform,
  about: { organizationId: string; month: string; limit: number; isBlocking: boolean },
  session: mongo.ClientSession,
): Promise<void> {
  const { organizationId, month, limit, isBlocking } = about;
  const threshold = computeWarningThreshold(limit);
  const once = { organizationId, month, threshold };
  const { upsertedCount } = await platform.models.limitNotices.updateOne(
    once,
    { $setOnInsert: once },
    { upsert: true, session },
  );
  if (upsertedCount === 0) return;
  const near = { threshold, limit, month, isBlocking };
  await notify(platform, { organizationId, event: 'limit.near', about: [near] }, session);
}
