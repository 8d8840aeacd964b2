// Turns an event into one delivery for each subscribed webhook: the deliverer of the outbox topic `event`.
import type { Platform } from '../../platform/platform.ts';
import type { EventBody } from '../../domain/events/events.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { OutboxRow } from '../../platform/outbox/outbox-writer.ts';
import type { SubscriptionService } from './subscriptions.service.ts';
import { DELIVERY_TOPIC } from './webhooks.model.ts';

interface Deps {
  subscriptions: SubscriptionService;
}

export function createFanOut({ outbox }: Pick<Platform, 'outbox'>, { subscriptions }: Deps) {
  async function createDeliveries(row: OutboxDocument): Promise<OutboxRow[]> {
    const organizationId = row.organizationId.toHexString();
    const event = row.payload as unknown as EventBody;
    const { subject, sequence } = row;
    const scope = { event: event.event, workspaceId: row.workspaceId ?? null, sequence };
    const subscribers = await subscriptions.findSubscribers(organizationId, scope);
    return subscribers.map((webhookId) => ({
      organizationId,
      topic: DELIVERY_TOPIC,
      lane: webhookId,
      ...(subject !== undefined && { subject }),
      payload: { webhookId, event },
    }));
  }

  return {
    /** Settles the events and writes their deliveries in one transaction, so that each is written exactly once. */
    async deliverTogether(rows: readonly OutboxDocument[]): Promise<void> {
      const followed = rows.map(async (row) => ({ row, followUps: await createDeliveries(row) }));
      await outbox.replace(await Promise.all(followed));
    },
  };
}
export type FanOut = ReturnType<typeof createFanOut>;
