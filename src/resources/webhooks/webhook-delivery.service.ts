// Delivers events to webhooks: the deliverer of the outbox topic `webhook`; counts, and switches off what is gone or keeps failing.
import type { Platform } from '../../composition/platform.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { AppError } from '../../errors.ts';
import { DeliveryFailure } from '../../platform/outbox/delivery-failure.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { PostOutcome } from '../../platform/outbound/receivers.ts';
import { messageIdOf, type WebhookSender } from './webhook-sender.service.ts';
import type { WebhookSwitchOff } from './webhook-switch-off.service.ts';
import type {
  SwitchOffReason,
  WebhookDocument,
  WebhookStatisticsDocument,
} from './webhooks.model.ts';

type Deps = Pick<Platform, 'models' | 'clock'> & {
  sender: WebhookSender;
  switchOff: WebhookSwitchOff;
};

const DAY_MS = 24 * 3600_000;
/** Of nothing but failures; then it is switched off. */
const FAILING_MS = 5 * DAY_MS;
/** Longer than any delay of the schedule: after such a silence the days count anew. */
const SILENCE_MS = 2 * DAY_MS;
const GONE = 410;

export function createWebhookDelivery({ models, clock, sender, switchOff }: Deps) {
  /** What is forbidden now may be allowed again, as a name can lead elsewhere. */
  async function attempt(webhook: WebhookDocument, row: OutboxDocument): Promise<PostOutcome> {
    const message = {
      messageId: messageIdOf(row._id.toHexString()),
      event: row.payload.event as EventBody,
    };
    return sender.send(webhook, message).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      return { ok: false, statusCode: null, durationMs: 0, error: error.code, retryAfterMs: null };
    });
  }

  /** Counts an attempt; resolves with how long there has been nothing but failures, in milliseconds. */
  async function count({ organizationId, _id }: WebhookDocument, ok: boolean): Promise<number> {
    const where = { organizationId, _id };
    const now = clock.now();
    const outcome = ok ? { failingSince: null } : { lastFailedAt: now };
    const before = await models.webhookStatistics
      .findOneAndUpdate(where, {
        $inc: { deliveryCount: 1, deliverySuccessCount: ok ? 1 : 0 },
        $set: { lastTriggered: now, ...outcome },
      })
      .lean<WebhookStatisticsDocument>();
    if (ok || !before) return 0;
    const { failingSince, lastFailedAt } = before;
    const isRecent = lastFailedAt && now.getTime() - lastFailedAt.getTime() < SILENCE_MS;
    if (failingSince && isRecent) return now.getTime() - failingSince.getTime();
    await models.webhookStatistics.updateOne(where, { $set: { failingSince: now } });
    return 0;
  }

  return {
    /** @throws DeliveryFailure */
    async deliver(row: OutboxDocument): Promise<OutboxDocument['result']> {
      const { organizationId, payload } = row;
      const webhook = await models.webhooks
        .findOne({ organizationId, _id: payload.webhookId as string })
        .lean<WebhookDocument>();
      if (!webhook?.isActive)
        throw new DeliveryFailure('the webhook is paused or gone', { isFinal: true });
      const { ok, statusCode, durationMs, error, retryAfterMs } = await attempt(webhook, row);
      const failingMs = await count(webhook, ok);
      const result = { statusCode, durationMs, at: clock.now() };
      if (ok) return result;
      const reason = reasonToStop(statusCode, failingMs);
      if (reason !== null) await switchOff.switchOff(webhook, reason);
      const isFinal = reason !== null;
      throw new DeliveryFailure(error ?? 'failed', { result, retryAfterMs, isFinal });
    },
  };
}
export type WebhookDelivery = ReturnType<typeof createWebhookDelivery>;

function reasonToStop(statusCode: number | null, failingMs: number): SwitchOffReason | null {
  if (statusCode === GONE) return 'gone';
  return failingMs >= FAILING_MS ? 'failing' : null;
}
