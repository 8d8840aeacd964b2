// Delivers events to webhooks (outbox topic `webhook`), counts attempts, and switches off dead or failing receivers.
import type { Platform } from '../../platform/platform.ts';
import type { SwitchOffReason } from '../../domain/events/event-table.ts';
import type { EventBody } from '../../domain/events/events.ts';
import type { DeliveryHints } from '../../platform/outbox/deliverers.ts';
import { DeliveryFailure, settleAttempt } from '../../platform/outbox/delivery-failure.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import { toMessageId, sendEvent } from './webhook-sender.service.ts';
import type { WebhookDocument, WebhookStatisticsDocument } from './webhooks.model.ts';
import { findReceiver } from './subscriptions.service.ts';
import { switchOff } from './webhook-switch-off.service.ts';

const DAY_MS = 24 * 3600_000;
/** A webhook is switched off after this time of failures only. */
const FAILING_MS = 5 * DAY_MS;
/** Without an attempt for this time, longer than any delay of the schedule, counting starts over. */
const SILENCE_MS = 2 * DAY_MS;
const GONE = 410;

/** @throws DeliveryFailure */
export async function deliverEvent(
  platform: Platform,
  row: OutboxDocument,
  { isSuspect }: DeliveryHints,
): Promise<OutboxDocument['result']> {
  const { organizationId, payload } = row;
  const webhook = await findReceiver(
    platform,
    organizationId.toHexString(),
    payload.webhookId as string,
  );
  if (!webhook) throw new DeliveryFailure('the webhook is paused or gone', { isFinal: true });
  const outcome = await sendEvent(platform, webhook, {
    isSuspect,
    messageId: toMessageId(row._id.toHexString()),
    event: payload.event as EventBody,
  });
  const at = platform.clock.now();
  if (outcome.ok) return settleAttempt(outcome, at);
  const reason = findSwitchOffReason(outcome.statusCode, await countFailure(platform, webhook));
  if (reason !== null) await switchOff(platform, webhook, reason);
  return settleAttempt(outcome, at, reason !== null);
}

/** Counts successful attempts, several in one write. */
export async function countDelivered(
  { clock, models }: Platform,
  rows: readonly OutboxDocument[],
): Promise<void> {
  const now = clock.now();
  const updates = [...countPerWebhook(rows)].map(([_id, { organizationId, count }]) => ({
    updateOne: {
      filter: { organizationId, _id },
      update: {
        $inc: { deliveryCount: count, deliverySuccessCount: count },
        $set: { lastTriggered: now, failingSince: null },
      },
    },
  }));
  await models.webhookStatistics.bulkWrite(updates, { ordered: false });
}

/** Counts a failed attempt; resolves with the milliseconds since the last success. */
async function countFailure(
  { clock, models }: Platform,
  { organizationId, _id }: WebhookDocument,
): Promise<number> {
  const where = { organizationId, _id };
  const now = clock.now();
  const change = { $inc: { deliveryCount: 1 }, $set: { lastTriggered: now, lastFailedAt: now } };
  const before = await models.webhookStatistics
    .findOneAndUpdate(where, change)
    .lean<WebhookStatisticsDocument>();
  if (!before) return 0;
  const { failingSince, lastFailedAt } = before;
  const isRecent = lastFailedAt && now.getTime() - lastFailedAt.getTime() < SILENCE_MS;
  if (failingSince && isRecent) return now.getTime() - failingSince.getTime();
  await models.webhookStatistics.updateOne(where, { $set: { failingSince: now } });
  return 0;
}

function findSwitchOffReason(statusCode: number | null, failingMs: number): SwitchOffReason | null {
  if (statusCode === GONE) return 'gone';
  return failingMs >= FAILING_MS ? 'failing' : null;
}

type Count = Pick<OutboxDocument, 'organizationId'> & { count: number };

function countPerWebhook(rows: readonly OutboxDocument[]): Map<string, Count> {
  const counts = new Map<string, Count>();
  for (const { organizationId, payload } of rows) {
    const webhookId = payload.webhookId as string;
    const count = (counts.get(webhookId)?.count ?? 0) + 1;
    counts.set(webhookId, { organizationId, count });
  }
  return counts;
}
