// Inputs and views of invitations (document 1, sections 2 and 4.4).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { withDefault } from '../../http/declaration/optional.ts';
import { ROLES } from '../../domain/identity/roles.ts';
import {
  emailAddress,
  existingPassword,
  id,
  instant,
  role,
  singleLine,
} from '../../http/declaration/views.ts';

export const invitationInput = z.strictObject({
  email: emailAddress,
  role: withDefault(z.enum(ROLES), 'member'),
});
/** A text that cannot be a token is treated like an unknown token. */
export const byToken = z.object({ token: z.string().regex(/^[\w-]{43}$/) });
/** The password rule applies to new accounts only, so an existing account may have any password. */
export const acceptInput = z.object({ name: singleLine(200), password: existingPassword });

export const invitationView = z.object({
  _id: id,
  id,
  email: z.string(),
  role,
  inviterEmail: z.string(),
  expiresAt: instant,
  createdAt: instant,
});
export const revokedInvitationView = z.object({ _id: id, revoked: z.literal(true) });

export const validityView = z.union([
  z.object({
    valid: z.literal(true),
    organizationName: z.string(),
    role,
    inviterEmail: z.string(),
    expiresAt: instant,
  }),
  z.object({ valid: z.literal(false), reason: z.enum(['accepted', 'revoked', 'expired']) }),
]);

/** A session, or what the second step needs. */
export const acceptedView = z.union([
  z.object({
    token: z.string(),
    expiresAt: instant,
    organizationId: id,
    role,
    user: z.object({ _id: id, email: z.string(), name: z.string() }),
  }),
  z.object({ mfaRequired: z.literal(true), tempToken: z.string() }),
]);

nameSchemas({
  InvitationInput: invitationInput,
  InvitationAcceptanceInput: acceptInput,
  Invitation: invitationView,
  RevokedInvitation: revokedInvitationView,
  InvitationValidity: validityView,
  AcceptedInvitation: acceptedView,
});
