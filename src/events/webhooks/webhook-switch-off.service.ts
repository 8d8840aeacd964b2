// Switches off webhooks whose receiver is gone or keeps failing, and notifies owners (decisions/events.md).
import type { Platform } from '../../platform/platform.ts';
import { createSwitchOffMail, type SwitchOffReason } from '../../domain/events/event-table.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import { createSystemAuditEvent } from '../../domain/record/audit-event.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import { recordAudit, sealAuditRow } from '../../identity/audit/audit.service.ts';
import { findUserAddress } from '../../identity/auth/accounts/account-reader.service.ts';
import { findOrganizationName } from '../../identity/organization/organization-facts.service.ts';
import type { WebhookDocument } from './webhooks.model.ts';
import { notify } from '../notifications/notices/notices.service.ts';
import { invalidateWebhooks } from './subscriptions.service.ts';

/** Switches it off once, however many deliveries fail at the same time. */
export async function switchOff(
  platform: Platform,
  webhook: WebhookDocument,
  reason: SwitchOffReason,
): Promise<void> {
  const { _id, organizationId } = webhook;
  const off = { isActive: false, switchedOffAt: platform.clock.now(), switchedOffReason: reason };
  const row = await platform.transaction(async () => {
    const where = { organizationId, _id, isActive: true };
    const { modifiedCount } = await platform.models.webhooks.updateOne(where, { $set: off });
    if (modifiedCount === 0) return null;
    const about = { resource: 'webhook', resourceId: _id.toHexString(), metadata: { reason } };
    const action = 'webhook.switch_off';
    const organization = organizationId.toHexString();
    const recorded = await recordAudit(
      platform,
      createSystemAuditEvent({ organizationId: organization, action, ...about }),
    );
    await notify(platform, {
      organizationId: organization,
      event: 'webhook.switched-off',
      about: [{ webhookId: _id.toHexString(), host: toHost(webhook.url), reason }],
    });
    invalidateWebhooks(platform, organization);
    return recorded;
  });
  if (row) await sealAuditRow(platform, row);
}

/** Returns null when the webhook, the organisation or the account is gone. */
export async function composeSwitchedOffMail(
  platform: Platform,
  { organizationId, payload }: OutboxDocument,
): Promise<MailContent | null> {
  const webhook = await platform.models.webhooks
    .findOne({ organizationId, _id: payload.webhookId as string }, 'url')
    .lean<Pick<WebhookDocument, 'url'>>();
  const organizationName = await findOrganizationName(platform, organizationId);
  const address = await findUserAddress(platform, payload.userId as string);
  if (!webhook || organizationName === null || address === null) return null;
  const reason = payload.reason as SwitchOffReason;
  const about = { host: toHost(webhook.url), reason };
  const words = createSwitchOffMail(toQuotedName(organizationName), about);
  return { to: address, ...words, action: null };
}

/** Returns the host alone, for the rest of an address may be a secret. */
const toHost = (url: string): string => new URL(url).host;
