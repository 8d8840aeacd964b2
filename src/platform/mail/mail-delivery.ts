// Delivers the outbox topic `mail`: a row holds the kind of mail and its data; secrets are added when it is sent.
import type { OutboxDocument } from '../outbox/outbox.model.ts';
import type { Deliver } from '../outbox/deliverers.ts';
import type { Mailer } from './mailer.ts';
import { renderMail, type MailContent } from './mail-layout.ts';

/** Composes the mail of a row, once per delivery attempt; null when it need not be sent any more. */
export type ComposeMail = (row: OutboxDocument) => Promise<MailContent | null>;

/** @throws Error for a `payload.kind` without a composer, or when the mail server refuses */
export function createMailDelivery(
  mailer: Mailer,
  composers: Readonly<Record<string, ComposeMail>>,
): Deliver {
  return async (row) => {
    const kind = row.payload.kind as string;
    const compose = Object.hasOwn(composers, kind) ? composers[kind] : undefined;
    if (!compose) throw new Error(`unknown kind of mail: ${kind}`);
    const content = await compose(row);
    if (content) await mailer.sendMail({ ...renderMail(content), about: row.subject });
  };
}
