// The mail that asks a mailbox owner whether to keep an organisation from before the mailbox was proved.
import type { Platform } from '../../../platform/platform.ts';
import { toQuotedName } from '../../../domain/names/quoted-name.ts';
import type { ComposeMail } from '../../../platform/mail/mail-delivery.ts';
import type { OrganizationDocument } from '../../organization/organization.model.ts';

/** Keys are the `kind` of the outbox row. */
export function createReclaimMails({ models, publicUrl }: Platform) {
  /** Null when the organisation has been kept or deleted since. */
  const reclaimed: ComposeMail = async ({ organizationId, payload }) => {
    const organization = await models.organizations
      .findById(organizationId)
      .lean<OrganizationDocument>();
    if (!organization?.reclaimedAt) return null;
    const name = toQuotedName(organization.name);
    return {
      to: payload.email as string,
      subject: `Keep or delete ${name}?`,
      paragraphs: [
        `You have confirmed this address. Before that, it was registered with Assay, and the organisation ${name} was begun.`,
        'Its data is still there. Its keys, invitations and former sessions have ended, its other members are suspended, and its webhooks and alert rules are switched off.',
        'If it is yours, keep it, reactivate the members and webhooks that you know, and make new keys. If it is not, delete it.',
        'Nothing is deleted unless you delete it.',
      ],
      action: {
        label: 'Keep or delete the organisation',
        link: `${publicUrl}/keep-organization#organization=${organization._id.toHexString()}`,
        token: null,
      },
    };
  };
  return { reclaimed };
}
