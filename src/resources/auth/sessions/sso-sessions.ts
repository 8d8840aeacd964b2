// Sessions that the identity provider of an organisation opened: while they are good, and how they end together.
import type { Clock } from '../../../platform/clock.ts';
import type { Models } from '../../../models.ts';
import type {
  IdentityProvider,
  OrganizationContext,
} from '../../organization/organization.service.ts';
import type { SignOn } from './sessions.model.ts';

/** A sign-on is good while its provider is the organisation's, also one that was under way when that changed. */
export function isTrusted(
  signOn: SignOn | null,
  { identityProvider }: OrganizationContext,
): boolean {
  return (
    signOn == null ||
    (signOn.protocol === identityProvider?.protocol && signOn.issuer === identityProvider.issuer)
  );
}

export function signedOnSessions({ models, clock }: { models: Models; clock: Clock }) {
  return {
    /** Blacklists the sessions that a sign-on opened in an organisation: those of the provider's session, or all of the person's. */
    async endSignedOn(
      organizationId: string,
      { issuer, subject, sessionIndex }: Omit<SignOn, 'protocol' | 'format'>,
    ) {
      const { modifiedCount } = await models.sessions.updateMany(
        {
          organizationId,
          revokedAt: null,
          'signOn.issuer': issuer,
          'signOn.subject': subject,
          ...(sessionIndex !== null && { 'signOn.sessionIndex': sessionIndex }),
        },
        { $set: { revokedAt: clock.now() } },
      );
      return { revoked: modifiedCount };
    },

    /** Blacklists what was signed on at any identity provider in an organisation but the one that stays; how many were in use. */
    async endSignOns(organizationId: string, staying: IdentityProvider | null): Promise<number> {
      const now = clock.now();
      const others = staying && [
        { 'signOn.protocol': { $ne: staying.protocol } },
        { 'signOn.issuer': { $ne: staying.issuer } },
      ];
      const { modifiedCount } = await models.sessions.updateMany(
        {
          organizationId,
          revokedAt: null,
          expiresAt: { $gt: now },
          'signOn.subject': { $type: 'string' },
          ...(others && { $or: others }),
        },
        { $set: { revokedAt: now } },
      );
      return modifiedCount;
    },
  };
}
