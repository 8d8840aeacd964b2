// Lists the deliveries to a webhook of the last week, and sends one again (document 2, section 4.7).
import type { EventBody } from '../../domain/events/events.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { AppError } from '../../errors.ts';
import { findOr404, type Listed, listPage } from '../../platform/mongo/queries.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import { toMessageId } from './webhook-sender.service.ts';
import { DELIVERY_TOPIC, type DeliveryStatus } from './webhooks.model.ts';
import type { DeliveryView } from './webhooks.schemas.ts';
import type { Context } from '../../platform/context.ts';
import { getWebhook } from './webhooks.service.ts';

const STATUSES = { pending: 'pending', done: 'delivered', dead: 'failed' } as const;
const STORED = { pending: 'pending', delivered: 'done', failed: 'dead' } as const;

/** Lists deliveries, newest first. @throws AppError `NOT_FOUND` */
export async function listDeliveries(
  ctx: Context,
  webhookId: string,
  { status, ...page }: Page & { status?: DeliveryStatus | undefined },
): Promise<Listed<DeliveryView>> {
  const { platform, tenant } = ctx;
  await getWebhook(ctx, webhookId);
  const where = {
    ...filterDeliveries(tenant, webhookId),
    ...(status && { status: STORED[status] }),
  };
  const { items, total } = await listPage(platform.models.outbox, where, page);
  return { items: items.map(toView), total };
}

/**
 * Makes a delivery due at once, with the same `webhook-id` and a fresh retry schedule.
 * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` while the webhook is paused
 */
export async function sendAgain(
  ctx: Context,
  { id, deliveryId }: { id: string; deliveryId: string },
): Promise<DeliveryView> {
  const { platform, tenant } = ctx;
  const { isActive } = await getWebhook(ctx, id);
  if (!isActive)
    throw new AppError('INVALID_OPERATION', 'The webhook is paused: switch it on first');
  const where = { ...filterDeliveries(tenant, id), _id: deliveryId };
  return toView(await findOr404(platform.outbox.renew(where)));
}

const filterDeliveries = ({ organizationId }: Tenant, webhookId: string) => ({
  organizationId,
  lane: webhookId,
  topic: DELIVERY_TOPIC,
});

function toView(row: OutboxDocument): DeliveryView {
  const { _id, payload, status, attempts, lastError, result, dueAt, createdAt } = row;
  const body = payload.event as EventBody;
  return {
    _id,
    id: _id,
    webhookId: payload.webhookId as string,
    messageId: toMessageId(_id.toHexString()),
    event: body.event,
    status: STATUSES[status],
    attempts,
    statusCode: result?.statusCode ?? null,
    durationMs: result?.durationMs ?? null,
    error: lastError,
    lastAttemptAt: result?.at ?? null,
    nextAttemptAt: status === 'pending' ? dueAt : null,
    createdAt,
    body,
  };
}
