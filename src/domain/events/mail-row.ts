// The outbox row of a mail.
import { sha256Hex } from '../record/chain.ts';

/** The outbox topic of mails that have not been sent yet. */
export const MAIL_TOPIC = 'mail';

interface MailRow {
  organizationId: string;
  topic: typeof MAIL_TOPIC;
  lane?: string;
  payload: Record<string, unknown>;
}

/** Mails to one person share a lane. Mails without a recipient use the lane of their organisation. */
export function createMailRow(organizationId: string, payload: Record<string, unknown>): MailRow {
  const recipient = payload.email ?? payload.userId;
  const row: MailRow = { organizationId, topic: MAIL_TOPIC, payload };
  if (typeof recipient !== 'string') return row;
  return { ...row, lane: sha256Hex(`${organizationId} mail ${recipient.toLowerCase()}`) };
}
