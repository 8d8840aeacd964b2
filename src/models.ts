// Lists the collections: one line per Mongoose model.
import type { Connection, Model, Schema } from 'mongoose';
import { outboxSchema } from './platform/outbox/outbox.model.ts';
import { cursorSchema, deadLetterSchema } from './ledger/follow/cursors.model.ts';
import { ledgerEntrySchema } from './ledger/ledger.model.ts';
import { agentActivitySchema } from './resources/agents/activity/agent-activity.model.ts';
import { agentSchema } from './resources/agents/agents.model.ts';
import {
  alertMailCountSchema,
  alertRuleSchema,
  alertRuleStateSchema,
} from './resources/alerts/alerts.model.ts';
import { auditBundleSchema } from './resources/audit-bundles/audit-bundles.model.ts';
import { auditEntrySchema, auditRowSchema } from './resources/audit/audit.model.ts';
import { workspaceKeySchema } from './resources/auth/keys/keys.model.ts';
import { oneTimeTokenSchema } from './resources/auth/email-links/one-time-tokens.model.ts';
import { sessionSchema } from './resources/auth/sessions/sessions.model.ts';
import { userSchema } from './resources/auth/accounts/users.model.ts';
import { erasureSchema } from './resources/erasure/erasures.model.ts';
import { assessmentSchema } from './resources/fria/fria.model.ts';
import { signingKeySchema } from './resources/c2pa-kms/signing-keys.model.ts';
import { cpiDaySchema } from './resources/cpi/cpi.model.ts';
import { chainVerificationSchema } from './resources/hash-chain/hash-chain.model.ts';
import { hashSegmentSchema } from './resources/hash-chain/search/hash-segments.model.ts';
import { calendarFeedSchema } from './resources/incidents/calendar/calendar-feeds.model.ts';
import { incidentSchema } from './resources/incidents/incidents.model.ts';
import {
  complianceNoteSchema,
  legacyNotesSchema,
} from './resources/compliance/compliance.model.ts';
import { notificationSchema } from './resources/notifications/notifications.model.ts';
import { membershipSchema } from './resources/organization/memberships/memberships.model.ts';
import { organizationDeletionSchema } from './resources/organization/deletion/organization-deletions.model.ts';
import { organizationSchema } from './resources/organization/organization.model.ts';
import { ssoDomainSchema } from './resources/organization/sso-domains/sso-domains.model.ts';
import { workspaceSchema } from './resources/organization/workspaces/workspaces.model.ts';
import { paymentEventSchema } from './resources/payment/payment-events.model.ts';
import {
  policyRevisionSchema,
  policySchema,
  policySetSchema,
  policyStatisticsSchema,
} from './resources/policies/policies.model.ts';
import { policyApprovalSchema } from './resources/policies/approvals/policy-approvals.model.ts';
import { policyNoticeSchema } from './resources/policies/notices/policy-notices.model.ts';
import { policyCanarySchema } from './resources/policies/canary/policy-canaries.model.ts';
import { policyReplaySchema } from './resources/policies/replay/policy-replays.model.ts';
import { policyTestSchema } from './resources/policies/trials/policy-tests.model.ts';
import { privacyBudgetSchema } from './resources/privacy-budget/privacy-budget.model.ts';
import { manifestSchema } from './resources/provenance/manifests/manifests.model.ts';
import { provenanceSettingsSchema } from './resources/provenance/settings/provenance-settings.model.ts';
import { usedMessageSchema } from './resources/sign-on/login/used-messages.model.ts';
import { scimTokenSchema } from './resources/scim/tokens/scim-tokens.model.ts';
import { limitNoticeSchema } from './resources/usage/limit-notices.model.ts';
import { invitationSchema } from './resources/team/invitations.model.ts';
import { wordSegmentSchema } from './resources/traces/search/word-segments.model.ts';
import { decisionPatternSchema } from './resources/traces/maturation/patterns.model.ts';
import { memoryUseSchema } from './resources/traces/memory/memory-uses.model.ts';
import { traceVectorsSchema } from './resources/traces/memory/trace-vectors.model.ts';
import { traceSchema } from './resources/traces/traces.model.ts';
import { webhookSchema, webhookStatisticsSchema } from './resources/webhooks/webhooks.model.ts';

/** Creates the models of one connection. */
export function createModels(connection: Connection) {
  const model = <T>(name: string, schema: Schema<T>): Model<T> => connection.model<T>(name, schema);
  const ledger = model('LedgerEntry', ledgerEntrySchema);
  return {
    users: model('User', userSchema),
    sessions: model('Session', sessionSchema),
    oneTimeTokens: model('OneTimeToken', oneTimeTokenSchema),
    organizations: model('Organization', organizationSchema),
    organizationDeletions: model('OrganizationDeletion', organizationDeletionSchema),
    limitNotices: model('LimitNotice', limitNoticeSchema),
    memberships: model('Membership', membershipSchema),
    ssoDomains: model('SsoDomain', ssoDomainSchema),
    usedMessages: model('UsedMessage', usedMessageSchema),
    invitations: model('Invitation', invitationSchema),
    assessments: model('Assessment', assessmentSchema),
    erasures: model('Erasure', erasureSchema),
    incidents: model('Incident', incidentSchema),
    calendarFeeds: model('CalendarFeed', calendarFeedSchema),
    notifications: model('Notification', notificationSchema),
    workspaces: model('Workspace', workspaceSchema),
    workspaceKeys: model('WorkspaceKey', workspaceKeySchema),
    agents: model('Agent', agentSchema),
    agentActivity: model('AgentActivity', agentActivitySchema),
    paymentEvents: model('PaymentEvent', paymentEventSchema),
    policies: model('Policy', policySchema),
    policyRevisions: model('PolicyRevision', policyRevisionSchema),
    policySets: model('PolicySet', policySetSchema),
    policyApprovals: model('PolicyApproval', policyApprovalSchema),
    policyCanaries: model('PolicyCanary', policyCanarySchema),
    policyReplays: model('PolicyReplay', policyReplaySchema),
    policyTests: model('PolicyTest', policyTestSchema),
    policyNotices: model('PolicyNotice', policyNoticeSchema),
    policyStatistics: model('PolicyStatistics', policyStatisticsSchema),
    complianceNotes: model('ComplianceNote', complianceNoteSchema),
    legacyNotes: model('LegacyNotes', legacyNotesSchema),
    privacyBudgets: model('PrivacyBudget', privacyBudgetSchema),
    ledger,
    traces: ledger.discriminator('Trace', traceSchema, 'trace'),
    traceVectors: model('TraceVectors', traceVectorsSchema),
    memoryUses: model('MemoryUse', memoryUseSchema),
    auditRows: model('AuditRow', auditRowSchema),
    auditBundles: model('AuditBundle', auditBundleSchema),
    auditEntries: model('AuditEntry', auditEntrySchema),
    cpiDays: model('CpiDay', cpiDaySchema),
    wordSegments: model('WordSegment', wordSegmentSchema),
    decisionPatterns: model('DecisionPattern', decisionPatternSchema),
    hashSegments: model('HashSegment', hashSegmentSchema),
    chainVerifications: model('ChainVerification', chainVerificationSchema),
    scimTokens: model('ScimToken', scimTokenSchema),
    manifests: model('ProvenanceManifest', manifestSchema),
    provenanceSettings: model('ProvenanceSettings', provenanceSettingsSchema),
    signingKeys: model('SigningKey', signingKeySchema),
    cursors: model('Cursor', cursorSchema),
    parked: model('Parked', deadLetterSchema),
    outbox: model('Outbox', outboxSchema),
    alertRules: model('AlertRule', alertRuleSchema),
    alertRuleStates: model('AlertRuleState', alertRuleStateSchema),
    alertMailCounts: model('AlertMailCount', alertMailCountSchema),
    webhooks: model('Webhook', webhookSchema),
    webhookStatistics: model('WebhookStatistics', webhookStatisticsSchema),
  };
}
export type Models = ReturnType<typeof createModels>;
