// Inputs and views of the local account and session operations (document 1, section 4.1).
import { z } from 'zod';
import { PLANS } from '../../domain/plans.ts';
import { ROLES } from '../../domain/roles.ts';
import { id, instant, line } from '../../http/views.ts';
import { SESSION_TIMEOUTS } from './users.model.ts';

const email = z.string().trim().toLowerCase().max(254).pipe(z.email());

/** At least 10 characters with an upper-case letter, a lower-case letter and a digit. */
export const password = z
  .string()
  .min(10, 'at least 10 characters')
  .max(128)
  .regex(/\p{Lu}/u, 'needs an upper-case letter')
  .regex(/\p{Ll}/u, 'needs a lower-case letter')
  .regex(/\d/, 'needs a digit');

export const registerInput = z.object({ name: line(200), email, password, organizationName: line(200) });
export const loginInput = z.object({ email, password: z.string().min(1).max(128) });
export const switchInput = z.object({
  organizationId: z
    .string()
    .regex(/^[0-9a-fA-F]{24}$/)
    .toLowerCase(),
});
export const revokeInput = z.union([
  z.object({
    auditLogId: z
      .string()
      .regex(/^[0-9a-fA-F]{24}$/)
      .toLowerCase(),
  }),
  z.object({ jti: z.string().min(1).max(64) }),
]);

export const userView = z.object({
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
export const organizationView = z.object({
  _id: id,
  name: z.string(),
  slug: z.string(),
  plan: z.enum(PLANS),
  defaultWorkspaceId: id,
});
const role = z.enum(ROLES);

export const sessionView = z.object({ token: z.string(), expiresAt: instant, organizationId: id, role });
export const signedInView = sessionView.extend({ user: userView });
export const registeredView = signedInView.extend({ organization: organizationView });
export const meView = z.object({ user: userView, organization: organizationView, role });
export const membershipView = z.object({
  organizationId: id,
  name: z.string(),
  slug: z.string(),
  plan: z.enum(PLANS),
  role,
  joinedAt: instant,
  isCurrent: z.boolean(),
});
export const revokedView = z.object({ revoked: z.number().int() });
