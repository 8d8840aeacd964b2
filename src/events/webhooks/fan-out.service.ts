// Turns an event into one delivery for each subscribed webhook: the deliverer of the outbox topic `event`.
import type { Platform } from '../../platform/platform.ts';
import type { EventBody } from '../../domain/events/events.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { OutboxRow } from '../../platform/outbox/outbox-writer.ts';
import { DELIVERY_TOPIC } from './webhooks.model.ts';
import { findSubscribers } from './subscriptions.service.ts';

/** Settles the events and writes their deliveries in one transaction, so that each is written exactly once. */
export async function fanOutEvents(
  platform: Platform,
  rows: readonly OutboxDocument[],
): Promise<void> {
  const followed = rows.map(async (row) => ({
    row,
    followUps: await createDeliveries(platform, row),
  }));
  await platform.outbox.replace(await Promise.all(followed));
}

async function createDeliveries(platform: Platform, row: OutboxDocument): Promise<OutboxRow[]> {
  const organizationId = row.organizationId.toHexString();
  const event = row.payload as unknown as EventBody;
  const { subject, sequence } = row;
  const scope = { event: event.event, workspaceId: row.workspaceId ?? null, sequence };
  const subscribers = await findSubscribers(platform, organizationId, scope);
  return subscribers.map((webhookId) => ({
    organizationId,
    topic: DELIVERY_TOPIC,
    lane: webhookId,
    ...(subject !== undefined && { subject }),
    payload: { webhookId, event },
  }));
}
