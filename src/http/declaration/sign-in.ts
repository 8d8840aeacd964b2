// Replies of sign-in routes: their audit details, and the redirect that ends a sign-in in a browser.
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
  /** Id of the session that was opened. */
  jti?: string;
}

/** The audit details of a sign-in; one that still needs its second factor has an action of its own. */
export function toSignInAudit({
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

/** The outcome of a sign-in in a browser. */
export interface LoginRedirect {
  /** URL to which the browser is redirected. */
  location: string;
  cookies: NonNullable<ReplyParts['cookies']>;
  /** Null: the login failed, or is audited elsewhere. */
  signIn: SignIn | null;
}

export function redirectAfterLogin({
  location,
  cookies,
  signIn,
}: LoginRedirect): Reply<302, string> {
  return reply(302, location, { cookies, audit: signIn === null ? [] : toSignInAudit(signIn) });
}
