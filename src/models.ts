// Which collections exist: one line per Mongoose model.
import type { Connection } from 'mongoose';
import { outboxSchema } from './platform/outbox/outbox.model.ts';
import { cursorSchema, deadLetterSchema } from './ledger/follow/cursors.model.ts';
import { ledgerEntrySchema } from './ledger/ledger.model.ts';
import { agentActivitySchema } from './resources/agents/activity/agent-activity.model.ts';
import { agentSchema } from './resources/agents/agents.model.ts';
import { auditEntrySchema, auditRowSchema } from './resources/audit/audit.model.ts';
import { workspaceKeySchema } from './resources/auth/keys/keys.model.ts';
import { oneTimeTokenSchema } from './resources/auth/email-links/one-time-tokens.model.ts';
import { sessionSchema } from './resources/auth/sessions/sessions.model.ts';
import { userSchema } from './resources/auth/accounts/users.model.ts';
import { chainVerificationSchema } from './resources/hash-chain/hash-chain.model.ts';
import { membershipSchema } from './resources/organization/memberships/memberships.model.ts';
import { organizationDeletionSchema } from './resources/organization/deletion/organization-deletions.model.ts';
import { organizationSchema } from './resources/organization/organization.model.ts';
import { ssoDomainSchema } from './resources/organization/sso-domains/sso-domains.model.ts';
import { workspaceSchema } from './resources/organization/workspaces/workspaces.model.ts';
import {
  policyRevisionSchema,
  policySchema,
  policySetSchema,
  policyStatisticsSchema,
} from './resources/policies/policies.model.ts';
import { samlMessageSchema } from './resources/sign-on/saml/saml-messages.model.ts';
import { scimTokenSchema } from './resources/scim/tokens/scim-tokens.model.ts';
import { invitationSchema } from './resources/team/invitations.model.ts';
import { traceSchema } from './resources/traces/traces.model.ts';

/** The models of one connection. */
export function createModels(connection: Connection) {
  const ledger = connection.model('LedgerEntry', ledgerEntrySchema);
  return {
    users: connection.model('User', userSchema),
    sessions: connection.model('Session', sessionSchema),
    oneTimeTokens: connection.model('OneTimeToken', oneTimeTokenSchema),
    organizations: connection.model('Organization', organizationSchema),
    organizationDeletions: connection.model('OrganizationDeletion', organizationDeletionSchema),
    memberships: connection.model('Membership', membershipSchema),
    ssoDomains: connection.model('SsoDomain', ssoDomainSchema),
    samlMessages: connection.model('SamlMessage', samlMessageSchema),
    invitations: connection.model('Invitation', invitationSchema),
    workspaces: connection.model('Workspace', workspaceSchema),
    workspaceKeys: connection.model('WorkspaceKey', workspaceKeySchema),
    agents: connection.model('Agent', agentSchema),
    agentActivity: connection.model('AgentActivity', agentActivitySchema),
    policies: connection.model('Policy', policySchema),
    policyRevisions: connection.model('PolicyRevision', policyRevisionSchema),
    policySets: connection.model('PolicySet', policySetSchema),
    policyStatistics: connection.model('PolicyStatistics', policyStatisticsSchema),
    ledger,
    traces: ledger.discriminator('Trace', traceSchema, 'trace'),
    auditRows: connection.model('AuditRow', auditRowSchema),
    auditEntries: connection.model('AuditEntry', auditEntrySchema),
    chainVerifications: connection.model('ChainVerification', chainVerificationSchema),
    scimTokens: connection.model('ScimToken', scimTokenSchema),
    cursors: connection.model('Cursor', cursorSchema),
    parked: connection.model('Parked', deadLetterSchema),
    outbox: connection.model('Outbox', outboxSchema),
  };
}
export type Models = ReturnType<typeof createModels>;
