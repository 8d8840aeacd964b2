// Demo requests are mailed to the operator of the installation (document 1, section 8).
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { demoRequestInput } from './demo-requests.schemas.ts';

type DemoRequest = z.output<typeof demoRequestInput>;

export async function sendDemoRequest(platform: Platform, request: DemoRequest): Promise<void> {
  await platform.queueMail(null, { kind: 'demoRequest', ...request });
}

export function composeDemoRequest(
  { config }: Platform,
  { payload }: Pick<OutboxDocument, 'payload'>,
): Promise<MailContent> {
  const { name, email, company, message } = payload as unknown as DemoRequest;
  return Promise.resolve({
    to: config.ASSAY_DEMO_REQUESTS_TO ?? config.ASSAY_MAIL_FROM,
    subject: `Demo request: ${toQuotedName(company)}`,
    paragraphs: [
      `${toQuotedName(name)} of ${toQuotedName(company)} asks for a demonstration.`,
      `Answer to: ${email}`,
      ...(message ?? '').split(/\n\s*\n/),
    ],
    action: null,
  });
}
