// Inputs and views of the local account and session operations (document 1, section 4.1).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import {
  emailAddress,
  existingPassword,
  id,
  instant,
  newPassword,
  planName,
  role,
  singleLine,
} from '../../http/declaration/views.ts';
import { SESSION_TIMEOUTS } from './accounts/users.model.ts';

const objectId = z
  .string()
  .regex(/^[0-9a-fA-F]{24}$/)
  .toLowerCase();
/** A one-time token has 43 characters of base64url. */
const oneTimeToken = z.string().min(1).max(100);

export const registerInput = z.object({
  name: singleLine(200),
  email: emailAddress,
  password: newPassword,
  organizationName: singleLine(200),
});
export const loginInput = z.object({ email: emailAddress, password: existingPassword });
export const addressInput = z.object({ email: emailAddress });
export const completeInput = registerInput.omit({ email: true }).extend({ token: oneTimeToken });
export const resetInput = z.object({ token: oneTimeToken, password: newPassword });
export const changeInput = z.object({ currentPassword: existingPassword, newPassword });
export const linkInput = z.object({
  token: oneTimeToken,
  password: optional(existingPassword).describe(
    'While the mailbox is not proved: the password of the registrant, who keeps the account with it; without it all earlier access ends',
  ),
});
export const switchInput = z.object({ organizationId: objectId });
export const revokeInput = z.union([
  z.object({ auditLogId: objectId }),
  z.object({ jti: z.string().min(1).max(64) }),
]);

export const accountView = z.object({
  _id: id,
  email: z.string(),
  name: z.string(),
  locale: z.string(),
  timezone: z.string(),
  sessionTimeout: z.enum(SESSION_TIMEOUTS),
  mfaEnabled: z.boolean(),
  systemRole: z.enum(['owner', 'admin']).nullable(),
  createdAt: instant,
});
export const sessionOrganizationView = z.object({
  _id: id,
  name: z.string(),
  slug: z.string(),
  plan: planName,
  defaultWorkspaceId: id,
  reclaimedAt: instant.nullable().describe('As the organisation itself shows it'),
});

export const sessionView = z.object({
  token: z.string(),
  expiresAt: instant,
  organizationId: id,
  role,
});
export const signedInView = sessionView.extend({ user: accountView });
/** A session, or what the second step needs. */
export const signInView = z.union([
  signedInView,
  z.object({ mfaRequired: z.literal(true), tempToken: z.string() }),
]);
export const registeredView = signedInView.extend({ organization: sessionOrganizationView });
export const meView = z.object({ user: accountView, organization: sessionOrganizationView, role });
export type WhoAmI = z.input<typeof meView>;
export const membershipView = z.object({
  organizationId: id,
  name: z.string(),
  slug: z.string(),
  plan: planName,
  role,
  joinedAt: instant,
  isPending: z
    .boolean()
    .describe('Offered by the directory of the organisation; entering it accepts it'),
  isCurrent: z.boolean().describe('Whether the session is in this organisation'),
});
/** An organisation of the user, with the user's role there. */
export type OwnOrganization = z.input<typeof membershipView>;
export const leftView = z.object({ organizationId: id, left: z.literal(true) });
export const revokedSessionsView = z.object({ revoked: z.number().int() });
export const openSessionView = z.object({
  jti: z.string(),
  organizationId: id,
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: instant,
  expiresAt: instant,
  isCurrent: z.boolean(),
});
export const consoleSessionView = z.object({ expiresAt: instant });
export const streamTokenView = z.object({ streamToken: z.string(), expiresAt: instant });
export type StreamToken = z.input<typeof streamTokenView>;

/** The same words whether the address has an account or not. */
export const sentView = z.object({ message: z.string() });
export const passwordChangedView = z.object({
  passwordChanged: z.literal(true),
  sessionsEnded: z.number().int(),
});
export type PasswordChanged = z.input<typeof passwordChangedView>;

nameSchemas({
  RegistrationInput: registerInput,
  LoginInput: loginInput,
  EmailAddressInput: addressInput,
  SignupCompletionInput: completeInput,
  PasswordResetInput: resetInput,
  PasswordChangeInput: changeInput,
  EmailLinkInput: linkInput,
  OrganizationSwitchInput: switchInput,
  SessionRevocationInput: revokeInput,
  Account: accountView,
  SessionOrganization: sessionOrganizationView,
  Session: sessionView,
  SignedIn: signedInView,
  SignIn: signInView,
  Registered: registeredView,
  Me: meView,
  Membership: membershipView,
  LeftOrganization: leftView,
  RevokedSessions: revokedSessionsView,
  OpenSession: openSessionView,
  ConsoleSession: consoleSessionView,
  StreamToken: streamTokenView,
  SentMessage: sentView,
  PasswordChanged: passwordChangedView,
});
