// From an event to one delivery for each webhook that takes it: the deliverer of the outbox topic `event`.
import type { Platform } from '../../composition/platform.ts';
import type { EventBody } from '../../domain/events/events.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { SubscriptionService } from './subscriptions.service.ts';
import { DELIVERY_TOPIC } from './webhooks.model.ts';

type Deps = Pick<Platform, 'outbox'> & { subscriptions: SubscriptionService };

export function createFanOut({ outbox, subscriptions }: Deps) {
  return {
    /** Exactly once: the event is settled, and its deliveries are written, in one transaction. */
    async deliver(row: OutboxDocument): Promise<void> {
      const organizationId = row.organizationId.toHexString();
      const event = row.payload as unknown as EventBody;
      const occasion = { event: event.event, workspaceId: row.workspaceId ?? null };
      const takers = await subscriptions.takersOf(organizationId, occasion);
      const { subject } = row;
      await outbox.replace(
        row,
        takers.map((webhookId) => ({
          organizationId,
          topic: DELIVERY_TOPIC,
          lane: webhookId,
          ...(subject !== undefined && { subject }),
          payload: { webhookId, event },
        })),
      );
    },
  };
}
export type FanOut = ReturnType<typeof createFanOut>;
