// Sends one event to one webhook, once: signed, in the format of its type (document 2, section 6; docs/formats.md).
import type { Platform } from '../../composition/platform.ts';
import { chatMessage } from '../../domain/events/chat-messages.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { signatureHeaders } from '../../domain/events/standard-webhooks.ts';
import type { Message, PostOutcome } from '../../platform/outbound/receivers.ts';
import { webhookSecretAad } from './webhook-secret.ts';
import type { WebhookDocument } from './webhooks.model.ts';

type Deps = Pick<Platform, 'receivers' | 'vault' | 'clock' | 'newId'>;

/** What a webhook is told, and how. */
interface Telling {
  messageId: string;
  event: EventBody;
  /** It did not answer in time of late. */
  isSuspect?: boolean;
}

export interface TestOutcome extends Omit<PostOutcome, 'ok' | 'retryAfterMs' | 'hasTimedOut'> {
  delivered: boolean;
}

const TEST_MESSAGE = 'This is a test of your webhook. Nothing has happened.';

export function createWebhookSender({ receivers, vault, clock, newId }: Deps) {
  /** `messageId` is the same for every attempt. */
  function messageTo(
    { _id, url, type, sealedSecret }: WebhookDocument,
    { messageId, event, isSuspect = false }: Telling,
  ): Message {
    const secret = vault.open(sealedSecret, webhookSecretAad(_id.toHexString()));
    const body = JSON.stringify(type === 'custom' ? event : chatMessage(type, event));
    const signature = signatureHeaders({ id: messageId, body, secret, at: clock.now() });
    const headers = { 'x-service-event': event.event, ...signature };
    return { url, body, headers, isSuspect };
  }

  return {
    /** What is forbidden is a failure like any other: it may be allowed again, as a name can lead elsewhere. */
    send: (webhook: WebhookDocument, telling: Telling): Promise<PostOutcome> =>
      receivers.attempt(messageTo(webhook, telling)),

    /** Also of one that is paused. It is not counted, and not tried again. @throws AppError `SSRF_BLOCKED` */
    async test(webhook: WebhookDocument): Promise<TestOutcome> {
      const timestamp = clock.now().toISOString();
      const event = { event: 'webhook.test', timestamp, data: { message: TEST_MESSAGE } };
      const messageId = messageIdOf(newId());
      const message = messageTo(webhook, { messageId, event });
      const { ok, statusCode, durationMs, error } = await receivers.post(message);
      return { delivered: ok, statusCode, durationMs, error };
    },
  };
}
export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** What `webhook-id` says of a delivery. */
export function messageIdOf(deliveryId: string): string {
  return `msg_${deliveryId}`;
}
