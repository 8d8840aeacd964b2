// Sends one event to one webhook, signed and in the format of its type (document 2, section 6; docs/formats.md).
import type { Platform } from '../../composition/platform.ts';
import { chatMessage } from '../../domain/events/chat-messages.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { signatureHeaders } from '../../domain/events/standard-webhooks.ts';
import type { Message, PostOutcome } from '../../platform/outbound/receivers.ts';
import { webhookSecretAad } from './webhook-secret.ts';
import type { WebhookDocument } from './webhooks.model.ts';

type Deps = Pick<Platform, 'receivers' | 'vault' | 'clock' | 'newId'>;

/** An event to send, its message id, and a hint on the receiver. */
interface Telling {
  messageId: string;
  event: EventBody;
  /** The receiver recently timed out. */
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
    /** Treats a forbidden address as a normal failure: the host may resolve to an allowed one later. */
    send: (webhook: WebhookDocument, telling: Telling): Promise<PostOutcome> =>
      receivers.attempt(messageTo(webhook, telling)),

    /**
     * Sends a test event, also to a paused webhook. It is neither counted nor retried.
     * @throws AppError `SSRF_BLOCKED`
     */
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

/** Returns the value of the header `webhook-id`. */
export function messageIdOf(deliveryId: string): string {
  return `msg_${deliveryId}`;
}
