// Switches off webhooks whose receiver is gone or keeps failing, and notifies owners (decisions.md, webhooks).
import type { Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { toQuotedName } from '../../domain/names/quoted-name.ts';
import { createSystemAuditEvent } from '../../domain/record/audit-event.ts';
import type { MailContent } from '../../platform/mail/mail-layout.ts';
import type { OutboxDocument } from '../../platform/outbox/outbox.model.ts';
import type { AuditService } from '../audit/audit.service.ts';
import { PRESENT } from '../../domain/identity/standing.ts';
import type { SubscriptionService } from './subscriptions.service.ts';
import type { SwitchOffReason, WebhookDocument } from './webhooks.model.ts';

interface Deps {
  audit: AuditService;
  subscriptions: SubscriptionService;
}

const TEXTS: Readonly<Record<SwitchOffReason, string>> = {
  gone: 'its receiver answered 410 (gone)',
  failing: 'every delivery of the last five days failed',
};
const TITLE = 'A webhook was switched off';
const ADVICE = 'Deliveries that failed can be sent again once it is switched on.';

export function createWebhookSwitchOff(
  platform: Pick<Platform, 'models' | 'clock' | 'transaction' | 'queueMail'>,
  deps: Deps,
) {
  const { models, clock, transaction, queueMail } = platform;
  const { audit, subscriptions } = deps;

  async function loadOwners(organizationId: Types.ObjectId): Promise<Types.ObjectId[]> {
    const found = await models.memberships
      .find({ organizationId, role: 'owner', ...PRESENT }, 'userId')
      .lean<{ userId: Types.ObjectId }[]>();
    return found.map(({ userId }) => userId);
  }

  /** Notifies the owners in the dashboard and by mail, which is composed when it is sent. */
  async function notifyOwners(
    { _id, organizationId, url }: WebhookDocument,
    reason: SwitchOffReason,
  ): Promise<void> {
    const owners = await loadOwners(organizationId);
    const body = `The webhook to ${toHost(url)} was switched off, for ${TEXTS[reason]}. ${ADVICE}`;
    const common = { organizationId, type: 'alert', title: TITLE, body } as const;
    await models.notifications.insertMany(owners.map((userId) => ({ ...common, userId })));
    const about = { kind: 'webhookSwitchedOff', webhookId: _id.toHexString(), reason };
    await queueMail(
      organizationId.toHexString(),
      ...owners.map((userId) => ({ ...about, userId: userId.toHexString() })),
    );
  }

  return {
    /** Switches it off once, however many deliveries fail at the same time. */
    async switchOff(webhook: WebhookDocument, reason: SwitchOffReason): Promise<void> {
      const { _id, organizationId } = webhook;
      const off = { isActive: false, switchedOffAt: clock.now(), switchedOffReason: reason };
      const row = await transaction(async () => {
        const where = { organizationId, _id, isActive: true };
        const { modifiedCount } = await models.webhooks.updateOne(where, { $set: off });
        if (modifiedCount === 0) return null;
        const about = { resource: 'webhook', resourceId: _id.toHexString(), metadata: { reason } };
        const action = 'webhook.switch_off';
        const organization = organizationId.toHexString();
        const recorded = await audit.record(
          createSystemAuditEvent({ organizationId: organization, action, ...about }),
        );
        await notifyOwners(webhook, reason);
        subscriptions.invalidate(organization);
        return recorded;
      });
      if (row) await audit.sealRow(row);
    },

    /** Composers of mails, keyed by the `kind` of the outbox row. */
    mails: {
      /** Returns null when the webhook, the organisation or the account is gone. */
      async webhookSwitchedOff({
        organizationId,
        payload,
      }: Pick<OutboxDocument, 'organizationId' | 'payload'>): Promise<MailContent | null> {
        const webhook = await models.webhooks
          .findOne({ organizationId, _id: payload.webhookId as string }, 'url')
          .lean<Pick<WebhookDocument, 'url'>>();
        const organization = await models.organizations
          .findById(organizationId, 'name')
          .lean<{ name: string }>();
        const owner = await models.users
          .findById(payload.userId as string, 'email')
          .lean<{ email: string }>();
        if (!webhook || !organization || !owner) return null;
        const reason = TEXTS[payload.reason as SwitchOffReason];
        const name = toQuotedName(organization.name);
        return {
          to: owner.email,
          subject: `${TITLE}: ${toHost(webhook.url)}`,
          paragraphs: [
            `The webhook of ${name} to ${toHost(webhook.url)} was switched off, for ${reason}.`,
            ADVICE,
          ],
          action: null,
        };
      },
    },
  };
}
export type WebhookSwitchOff = ReturnType<typeof createWebhookSwitchOff>;

/** Returns the host alone, for the rest of an address may be a secret. */
const toHost = (url: string): string => new URL(url).host;
