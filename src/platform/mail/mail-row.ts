// The outbox row of a mail.
import { sha256Hex } from '../../domain/record/chain.ts';
import type { OutboxRow } from '../outbox/outbox-writer.ts';
import { MAIL_TOPIC } from './mail-delivery.ts';

/** Mails to one person share a lane. Mails without a recipient use the lane of their organisation. */
export function createMailRow(organizationId: string, payload: Record<string, unknown>): OutboxRow {
  const recipient = payload.email ?? payload.userId;
  const row = { organizationId, topic: MAIL_TOPIC, payload };
  if (typeof recipient !== 'string') return row;
  return Object.assign(row, {
    lane: sha256Hex(`${organizationId} mail ${recipient.toLowerCase()}`),
  });
}
