// What the audit log keeps of a sign-in, whichever door it came by: nobody was known before it.
import type { Role } from '../../domain/identity/roles.ts';
import { type AuditDetails, type Reply, reply, type ReplyParts } from './define-route.ts';

interface SignIn {
  user: { _id: { toHexString(): string }; email: string };
  organizationId: string;
  role: Role;
  method: string;
  provider?: string;
  secondFactor: string | null;
  mfaRequired: boolean;
  /** Of the session that was opened: how it is found again. */
  jti?: string;
}

/** A sign-in that still lacks its second factor is an entry of its own kind. */
export function signInAudit({
  user,
  organizationId,
  role,
  method,
  provider,
  secondFactor,
  mfaRequired,
  jti,
}: SignIn): AuditDetails {
  return {
    ...(mfaRequired && { action: 'auth.mfa_challenge' }),
    organizationId,
    userId: user._id.toHexString(),
    userEmail: user.email,
    userRole: role,
    metadata: {
      method,
      ...(provider !== undefined && { provider }),
      ...(secondFactor !== null && { secondFactor }),
      ...(jti !== undefined && { jti }),
    },
  };
}

/** How a sign-on in a browser ends. */
export interface LoginRedirect {
  /** Where the browser goes. */
  location: string;
  cookies: NonNullable<ReplyParts['cookies']>;
  /** Null: nobody was signed in, or it has been audited. */
  signIn: SignIn | null;
}

export function redirectAfterLogin({
  location,
  cookies,
  signIn,
}: LoginRedirect): Reply<302, string> {
  return reply(302, location, { cookies, audit: signIn === null ? [] : signInAudit(signIn) });
}
