// The outbox's topic `mail`: a row names a kind of mail and its facts; the mail itself, with its secrets, is made when it is sent.
import type { OutboxDocument } from '../outbox/outbox.model.ts';
import type { Deliver } from '../outbox/outbox-worker.ts';
import type { Mailer } from './mailer.ts';
import { layOut, type MailContent } from './mail-layout.ts';

export const MAIL_TOPIC = 'mail';
/** Rows that belong to no organisation: what strangers ask for. */
export const NO_ORGANIZATION = '0'.repeat(24);

/** The content of a row's mail, made once per attempt; null when there is nothing to say or nobody to say it to. */
export type ComposeMail = (row: OutboxDocument) => Promise<MailContent | null>;

/** Delivers rows whose `payload.kind` has a composer. @throws Error for an unknown kind or when the server refuses */
export function createMailDelivery(
  mailer: Mailer,
  composers: Readonly<Record<string, ComposeMail>>,
): Deliver {
  return async (row) => {
    const kind = row.payload.kind as string;
    const compose = Object.hasOwn(composers, kind) ? composers[kind] : undefined;
    if (!compose) throw new Error(`no such mail: ${kind}`);
    const content = await compose(row);
    if (content) await mailer.send(layOut(content));
  };
}
