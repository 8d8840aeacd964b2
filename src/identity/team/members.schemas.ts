// Inputs and views of team members (document 1, sections 2 and 4.4).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { ASSIGNABLE_ROLES } from '../../domain/identity/roles.ts';
import { id, idParam, instant, role } from '../../http/declaration/views.ts';

export const byUserId = z.object({ userId: idParam });
export const roleChange = z.strictObject({ role: z.enum(ASSIGNABLE_ROLES) });

export const memberView = z.object({
  userId: id,
  name: z.string(),
  email: z.string(),
  role,
  joinedAt: instant.describe('Creation of the membership'),
  isActive: z.boolean().describe('False after suspension'),
  mfaEnabled: z
    .boolean()
    .describe('False also for a member whom the directory brought and who has not been here yet'),
  lastLoginIp: z.string().nullable().describe('Of the last sign-in to this organisation'),
  createdAt: instant.describe(
    'Creation of the account; of the membership for a member who has not been here yet',
  ),
});
export type MemberView = z.input<typeof memberView>;
export const removedView = z.object({
  userId: id,
  removed: z.literal(true),
  keys: z
    .array(z.object({ _id: id, name: z.string(), prefix: z.string(), createdAt: instant }))
    .describe('Workspace keys that they have made, which go on until they are revoked'),
});

nameSchemas({ RoleChange: roleChange, Member: memberView, RemovedMember: removedView });
