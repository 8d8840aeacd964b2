// Sends one event to one webhook, once: signed, in the format of its type (document 2, section 6; docs/formats.md).
import type { Platform } from '../../composition/platform.ts';
import { chatMessage } from '../../domain/events/chat-messages.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { signatureHeaders } from '../../domain/events/standard-webhooks.ts';
import type { PostOutcome } from '../../platform/outbound/receivers.ts';
import { webhookSecretAad } from './webhook-secret.ts';
import type { WebhookDocument } from './webhooks.model.ts';

type Deps = Pick<Platform, 'receivers' | 'vault' | 'clock' | 'newId'>;

export interface TestOutcome extends Omit<PostOutcome, 'ok' | 'retryAfterMs'> {
  delivered: boolean;
}

const TEST_MESSAGE = 'This is a test of your webhook. Nothing has happened.';

export function createWebhookSender({ receivers, vault, clock, newId }: Deps) {
  /** `messageId` is the same for every attempt. @throws AppError `SSRF_BLOCKED`: nothing was sent */
  async function send(
    { _id, url, type, sealedSecret }: WebhookDocument,
    { messageId, event }: { messageId: string; event: EventBody },
  ): Promise<PostOutcome> {
    const secret = vault.open(sealedSecret, webhookSecretAad(_id.toHexString()));
    const body = JSON.stringify(type === 'custom' ? event : chatMessage(type, event));
    const signature = signatureHeaders({ id: messageId, body, secret, at: clock.now() });
    return receivers.post({ url, body, headers: { 'x-service-event': event.event, ...signature } });
  }

  return {
    send,

    /** Also of one that is paused. It is not counted, and not tried again. @throws AppError `SSRF_BLOCKED` */
    async test(webhook: WebhookDocument): Promise<TestOutcome> {
      const timestamp = clock.now().toISOString();
      const event = { event: 'webhook.test', timestamp, data: { message: TEST_MESSAGE } };
      const messageId = messageIdOf(newId());
      const { ok, statusCode, durationMs, error } = await send(webhook, { messageId, event });
      return { delivered: ok, statusCode, durationMs, error };
    },
  };
}
export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** What `webhook-id` says of a delivery. */
export function messageIdOf(deliveryId: string): string {
  return `msg_${deliveryId}`;
}
