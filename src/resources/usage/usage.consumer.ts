// Follows the meter: notifies managers near the limit, and queues overage for billing (document 3, 4.8 and 4.9).
import type { mongo } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { type MeterStep, toMeterSteps } from '../../domain/billing/meter-steps.ts';
import { computeWarningThreshold } from '../../domain/billing/usage-summary.ts';
import { getHardLimit, getMonthlyLimit, PLANS } from '../../domain/identity/plans.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import type { ManagerNotices } from '../notifications/manager-notices.service.ts';
import type { OrganizationDocument } from '../organization/organization.model.ts';
import type { TraceDocument } from '../traces/traces.model.ts';
import { notifyNearLimit } from './limit-notices.ts';

type Deps = Pick<Platform, 'models' | 'outbox' | 'config'> & { managerNotices: ManagerNotices };

export const OVERAGE_TOPIC = 'overage';

export function createUsageConsumer(deps: Deps): Consumer<TraceDocument> {
  const { models, config } = deps;
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
      const organization = await models.organizations
        .findById(organizationId, 'subscription', { session })
        .lean<OrganizationDocument>();
      if (!organization) return;
      const limit = getMonthlyLimit(organization.subscription.plan, sandbox);
      if (limit === null) return;
      for (const step of toMeterSteps(entries, limit))
        await follow({ organization, limit, step }, deps, session);
    },
  };
}

interface UsageStep {
  organization: OrganizationDocument;
  limit: number;
  step: MeterStep;
}

/** Runs the effects of one step of the meter. */
async function follow(
  { organization: { _id, subscription }, limit, step }: UsageStep,
  { models, outbox, config, managerNotices }: Deps,
  session: mongo.ClientSession,
): Promise<void> {
  const organizationId = _id.toHexString();
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
