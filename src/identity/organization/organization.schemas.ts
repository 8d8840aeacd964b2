// Inputs and views of the organisation's settings (document 1, section 2).
import { z } from 'zod';
import { nameSchemas } from '../../http/declaration/schema-names.ts';
import { optional } from '../../http/declaration/optional.ts';
import { id, instant, planName, singleLine } from '../../http/declaration/views.ts';

const partners = z
  .array(singleLine(64))
  .max(20)
  .describe(
    'The `keyId`s of the partners that may pull the feed; absent: every partner of the installation',
  );

/** Strict, so that a misspelt setting is refused instead of ignored. */
export const settingsChange = z.strictObject({
  name: optional(singleLine(200)),
  scrubNationalIds: optional(z.boolean()),
  endSessionsOnScimDeactivate: optional(z.boolean()),
  requirePolicyApproval: optional(z.boolean()).describe(
    'False takes effect by a second owner or admin, or by the same owner 72 hours later; until then `policyApprovalRelease` tells of it, and true withdraws it',
  ),
  insuranceFeed: optional(z.strictObject({ enabled: z.boolean(), partners: optional(partners) })),
});
export const deletionInput = z.strictObject({
  name: z.string().min(1).max(200).describe('The name of the organisation, as a confirmation'),
});

const reclaimedAt = instant
  .nullable()
  .describe(
    'Since when the owner, who has proved the mailbox, is asked: keep what was begun before (`POST /organization/keep`), or delete it (`DELETE /organization`); null: there is no question',
  );

/** A change that weakens a control, while it waits. */
export const secondWordView = z.object({
  requestedBy: id,
  requestedAt: instant,
  ownerMayConfirmAt: instant.describe('From when on the owner who asked may send it again'),
  expiresAt: instant,
});

export const organizationView = z.object({
  _id: id,
  id,
  name: z.string(),
  slug: z.string(),
  plan: planName,
  defaultWorkspaceId: id,
  scrubNationalIds: z.boolean().describe('Whether national id numbers are recognised in decisions'),
  endSessionsOnScimDeactivate: z
    .boolean()
    .describe('Whether a deactivation by the directory also ends sessions'),
  requirePolicyApproval: z.boolean().describe('Whether enabled policies change by approval only'),
  policyApprovalRelease: secondWordView
    .exactOptional()
    .describe('That it be switched off was asked for, and waits for a second person'),
  insuranceFeed: z
    .object({ enabled: z.boolean(), partners: partners.exactOptional() })
    .describe('Whether the insurance feed may be handed on'),
  reclaimedAt,
  createdAt: instant,
  updatedAt: instant,
});
export const deletedOrganizationView = z.object({ _id: id, deleted: z.literal(true) });
export type DeletedOrganization = z.input<typeof deletedOrganizationView>;

nameSchemas({
  OrganizationChange: settingsChange,
  OrganizationDeletionInput: deletionInput,
  PendingRelease: secondWordView,
  Organization: organizationView,
  DeletedOrganization: deletedOrganizationView,
});
