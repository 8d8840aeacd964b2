// Removes blanks around the SAML names of members: earlier versions stored them as a provider had indented them.
import type { Connection } from 'mongoose';
import { trimBlanks } from '@assay/saml';
import { isDuplicateKey } from '../../../errors.ts';
import type { MembershipDocument } from '../memberships/memberships.model.ts';

type NamedMember = Pick<MembershipDocument, '_id' | 'organizationId' | 'signOn'>;

/** Blanks of XML at an end. */
const IS_PADDED = /^[ \t\r\n]|[ \t\r\n]$/;

/** Idempotent. A member keeps the padded name, which no sign-on has, when another member has the trimmed one. */
export async function trimSamlNames(connection: Connection): Promise<void> {
  const memberships = connection.model('Membership');
  const padded = { 'signOn.protocol': 'saml', 'signOn.subject': IS_PADDED };
  const found = await memberships.find(padded, null, { crossTenant: true }).lean<NamedMember[]>();
  for (const { _id, organizationId, signOn } of found) {
    const $set = { 'signOn.subject': trimBlanks(signOn?.subject ?? '') };
    await memberships.updateOne({ _id, organizationId }, { $set }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
  }
}
