// Sends one event to one webhook, signed and in the format of its type (document 2, section 6; formats.md).
import type { Platform } from '../../platform/platform.ts';
import type { EventBody } from '../../domain/events/events.ts';
import { createSignatureHeaders } from '../../domain/events/standard-webhooks.ts';
import type { Message, PostOutcome } from '../../platform/outbound/receivers.ts';
import { buildWebhookSecretAad } from './webhook-secret.ts';
import type { WebhookDocument } from './webhooks.model.ts';
import type { TestOutcome } from './webhooks.schemas.ts';
import { composeMessage } from '../cards/event-cards.service.ts';

/** An event to send, its message id, and a hint on the receiver. */
interface WebhookMessage {
  messageId: string;
  event: EventBody;
  /** The receiver recently timed out. */
  isSuspect?: boolean;
}

const TEST_MESSAGE = 'This is a test of your webhook. Nothing has happened.';

/** Treats a forbidden address as a normal failure: the host may resolve to an allowed one later. */
export async function sendEvent(
  platform: Platform,
  webhook: WebhookDocument,
  content: WebhookMessage,
): Promise<PostOutcome> {
  return platform.receivers.attempt(await createMessage(platform, webhook, content));
}

/**
 * Sends a test event, also to a paused webhook. It is neither counted nor retried.
 * @throws AppError `SSRF_BLOCKED`
 */
export async function sendTest(platform: Platform, webhook: WebhookDocument): Promise<TestOutcome> {
  const timestamp = platform.clock.now().toISOString();
  const event = { event: 'webhook.test', timestamp, data: { message: TEST_MESSAGE } };
  const messageId = toMessageId(platform.generateId());
  const message = await createMessage(platform, webhook, { messageId, event });
  const { ok, statusCode, durationMs, error } = await platform.receivers.postMessage(message);
  return { delivered: ok, statusCode, durationMs, error };
}

/** `messageId` is the same for every attempt. */
async function createMessage(
  platform: Platform,
  webhook: WebhookDocument,
  { messageId, event, isSuspect = false }: WebhookMessage,
): Promise<Message> {
  const { type, url, sealedSecret } = webhook;
  const receiver = webhook._id.toHexString();
  const secret = platform.vault.decrypt(sealedSecret, buildWebhookSecretAad(receiver));
  const reader = { organizationId: webhook.organizationId.toHexString(), receiver };
  // Chats get words, and a link to the decision.
  const body = JSON.stringify(
    type === 'custom' ? event : await composeMessage(platform, type, { event, ...reader }),
  );
  const signature = createSignatureHeaders({
    id: messageId,
    body,
    secret,
    at: platform.clock.now(),
  });
  const headers = { 'x-service-event': event.event, ...signature };
  return { url, body, headers, isSuspect };
}

/** Returns the value of the header `webhook-id`. */
export function toMessageId(deliveryId: string): string {
  return `msg_${deliveryId}`;
}
