// Completes the names of members at identity providers with protocol and format, which earlier versions did not store.
import type { Connection } from 'mongoose';
import { UNSPECIFIED_NAME } from '@assay/saml';
import type { ProviderName } from '../../domain/sign-on/provider-name.ts';
import type { SessionDocument } from '../auth/sessions/sessions.model.ts';
import type { OrganizationDocument } from '../organization/organization.model.ts';
import type { MembershipDocument } from '../organization/memberships/memberships.model.ts';

/** The unique index of earlier versions, by issuer and subject alone. */
const FORMER_INDEX = 'signOn';
const NOT_FOUND = new Set(['IndexNotFound', 'NamespaceNotFound']);

type NamedMember = Pick<MembershipDocument, '_id' | 'organizationId' | 'userId'> & {
  signOn: { issuer: string; subject: string };
};
type NameKind = Pick<ProviderName, 'protocol' | 'format'>;

/** Idempotent: names with a protocol are not changed. */
export async function completeSignOns(connection: Connection): Promise<void> {
  const memberships = connection.model('Membership');
  const unnamed = {
    'signOn.subject': { $type: 'string' },
    'signOn.protocol': { $exists: false },
  };
  const found = await memberships.find(unnamed, null, { crossTenant: true }).lean<NamedMember[]>();
  for (const member of found) {
    const { _id, organizationId } = member;
    const { protocol, format } = await resolveNameKind(connection, member);
    const kind = { 'signOn.protocol': protocol, 'signOn.format': format };
    await memberships.updateOne({ _id, organizationId }, { $set: kind });
  }
  await memberships.collection.dropIndex(FORMER_INDEX).catch((error: unknown) => {
    if (!NOT_FOUND.has((error as { codeName?: string }).codeName ?? '')) throw error;
  });
}

/** Takes the newest session of the sign-on; without one, the settings that have this issuer, those in use first. */
async function resolveNameKind(
  connection: Connection,
  { organizationId, userId, signOn: { issuer, subject } }: NamedMember,
): Promise<NameKind> {
  const organization = await connection
    .model('Organization')
    .findById(organizationId)
    .lean<OrganizationDocument>();
  const { provider, oidc, saml } = organization?.ssoConfig ?? {};
  const opened = {
    userId,
    organizationId,
    'signOn.issuer': issuer,
    'signOn.subject': subject,
  };
  const session = await connection
    .model('Session')
    .findOne(opened, null, { sort: { _id: -1 } })
    .lean<SessionDocument>();
  const isSamlOnly = saml?.entityId === issuer && oidc?.issuer !== issuer;
  const isSaml = isSamlOnly || (saml?.entityId === issuer && provider === 'saml');
  const protocol = session?.signOn?.protocol ?? (isSaml ? 'saml' : 'oidc');
  if (protocol === 'oidc') return { protocol, format: oidc?.subjectClaim ?? 'sub' };
  return {
    protocol,
    format: session ? (session.signOn?.format ?? UNSPECIFIED_NAME) : null,
  };
}
