// Lists the collections: one line per Mongoose model.
import type { Connection, Model, Schema } from 'mongoose';
import { organizationSignalSchema } from './platform/mongo/organization-signals.model.ts';
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
import { deviceLoginSchema } from './resources/auth/device/device-logins.model.ts';
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
import { headsLeafSchema, logHeadSchema } from './resources/log/log-heads.model.ts';
import { logSchema, logTileSchema } from './resources/log/logs.model.ts';
import { logKeySchema } from './resources/log/keys/log-keys.model.ts';
import { noticeWindowSchema } from './resources/notifications/notices/notice-windows.model.ts';
import { witnessedLogSchema } from './resources/witness/cosigning/witnessed-logs.model.ts';
import { witnessStateSchema } from './resources/log/witnesses/witness-states.model.ts';
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
import { trialSchema } from './resources/sign-on/trials/trials.model.ts';
import { usedMessageSchema } from './resources/sign-on/login/used-messages.model.ts';
import { scimTokenSchema } from './resources/scim/tokens/scim-tokens.model.ts';
import { accessHoldSchema } from './resources/access/access-holds.model.ts';
import { askedSpanSchema } from './resources/otlp/asked-spans.model.ts';
import { spanCountSchema } from './resources/otlp/span-counts.model.ts';
import { limitNoticeSchema } from './resources/usage/limit-notices.model.ts';
import { invitationSchema } from './resources/team/invitations.model.ts';
import { decisionHourSchema } from './resources/traces/series/decision-hours.model.ts';
import { wordSegmentSchema } from './resources/traces/search/word-segments.model.ts';
import { decisionPatternSchema } from './resources/traces/maturation/patterns.model.ts';
import { memoryUseSchema } from './resources/traces/memory/memory-uses.model.ts';
import { effectSchema } from './resources/traces/executions/effects.model.ts';
import { traceVectorsSchema } from './resources/traces/memory/trace-vectors.model.ts';
import { reviewDeadlineSchema } from './resources/traces/review/notices/review-deadlines.model.ts';
import { reviewLinkSchema } from './resources/traces/review/links/review-links.model.ts';
import { traceSchema } from './resources/traces/traces.model.ts';
import { webhookSchema, webhookStatisticsSchema } from './resources/webhooks/webhooks.model.ts';

/** Creates the models of one connection. */
export function createModels(connection: Connection) {
  const createModel = <T>(name: string, schema: Schema<T>): Model<T> =>
    connection.model<T>(name, schema);
  const ledger = createModel('LedgerEntry', ledgerEntrySchema);
  return {
    users: createModel('User', userSchema),
    sessions: createModel('Session', sessionSchema),
    deviceLogins: createModel('DeviceLogin', deviceLoginSchema),
    oneTimeTokens: createModel('OneTimeToken', oneTimeTokenSchema),
    organizations: createModel('Organization', organizationSchema),
    organizationDeletions: createModel('OrganizationDeletion', organizationDeletionSchema),
    organizationSignals: createModel('OrganizationSignal', organizationSignalSchema),
    limitNotices: createModel('LimitNotice', limitNoticeSchema),
    accessHolds: createModel('AccessHold', accessHoldSchema),
    askedSpans: createModel('AskedSpan', askedSpanSchema),
    spanCounts: createModel('SpanCount', spanCountSchema),
    memberships: createModel('Membership', membershipSchema),
    ssoDomains: createModel('SsoDomain', ssoDomainSchema),
    usedMessages: createModel('UsedMessage', usedMessageSchema),
    trials: createModel('SignOnTrial', trialSchema),
    invitations: createModel('Invitation', invitationSchema),
    assessments: createModel('Assessment', assessmentSchema),
    erasures: createModel('Erasure', erasureSchema),
    incidents: createModel('Incident', incidentSchema),
    calendarFeeds: createModel('CalendarFeed', calendarFeedSchema),
    notifications: createModel('Notification', notificationSchema),
    noticeWindows: createModel('NoticeWindow', noticeWindowSchema),
    workspaces: createModel('Workspace', workspaceSchema),
    workspaceKeys: createModel('WorkspaceKey', workspaceKeySchema),
    agents: createModel('Agent', agentSchema),
    agentActivity: createModel('AgentActivity', agentActivitySchema),
    paymentEvents: createModel('PaymentEvent', paymentEventSchema),
    policies: createModel('Policy', policySchema),
    policyRevisions: createModel('PolicyRevision', policyRevisionSchema),
    policySets: createModel('PolicySet', policySetSchema),
    policyApprovals: createModel('PolicyApproval', policyApprovalSchema),
    policyCanaries: createModel('PolicyCanary', policyCanarySchema),
    policyReplays: createModel('PolicyReplay', policyReplaySchema),
    policyTests: createModel('PolicyTest', policyTestSchema),
    policyNotices: createModel('PolicyNotice', policyNoticeSchema),
    policyStatistics: createModel('PolicyStatistics', policyStatisticsSchema),
    complianceNotes: createModel('ComplianceNote', complianceNoteSchema),
    legacyNotes: createModel('LegacyNotes', legacyNotesSchema),
    privacyBudgets: createModel('PrivacyBudget', privacyBudgetSchema),
    ledger,
    traces: ledger.discriminator('Trace', traceSchema, 'trace'),
    decisionHours: createModel('DecisionHour', decisionHourSchema),
    reviewDeadlines: createModel('ReviewDeadline', reviewDeadlineSchema),
    reviewLinks: createModel('ReviewLink', reviewLinkSchema),
    effects: createModel('Effect', effectSchema),
    traceVectors: createModel('TraceVectors', traceVectorsSchema),
    memoryUses: createModel('MemoryUse', memoryUseSchema),
    auditRows: createModel('AuditRow', auditRowSchema),
    auditBundles: createModel('AuditBundle', auditBundleSchema),
    auditEntries: createModel('AuditEntry', auditEntrySchema),
    cpiDays: createModel('CpiDay', cpiDaySchema),
    wordSegments: createModel('WordSegment', wordSegmentSchema),
    decisionPatterns: createModel('DecisionPattern', decisionPatternSchema),
    hashSegments: createModel('HashSegment', hashSegmentSchema),
    logs: createModel('Log', logSchema),
    logTiles: createModel('LogTile', logTileSchema),
    logHeads: createModel('LogHead', logHeadSchema),
    witnessedLogs: createModel('WitnessedLog', witnessedLogSchema),
    headsLeaves: createModel('HeadsLeaf', headsLeafSchema),
    witnessStates: createModel('WitnessState', witnessStateSchema),
    logKeys: createModel('LogKey', logKeySchema),
    chainVerifications: createModel('ChainVerification', chainVerificationSchema),
    scimTokens: createModel('ScimToken', scimTokenSchema),
    manifests: createModel('ProvenanceManifest', manifestSchema),
    provenanceSettings: createModel('ProvenanceSettings', provenanceSettingsSchema),
    signingKeys: createModel('SigningKey', signingKeySchema),
    cursors: createModel('Cursor', cursorSchema),
    parked: createModel('Parked', deadLetterSchema),
    outbox: createModel('Outbox', outboxSchema),
    alertRules: createModel('AlertRule', alertRuleSchema),
    alertRuleStates: createModel('AlertRuleState', alertRuleStateSchema),
    alertMailCounts: createModel('AlertMailCount', alertMailCountSchema),
    webhooks: createModel('Webhook', webhookSchema),
    webhookStatistics: createModel('WebhookStatistics', webhookStatisticsSchema),
  };
}
export type Models = ReturnType<typeof createModels>;

/** The documents of the two chains. */
export type { AuditEntryDocument } from './resources/audit/audit.model.ts';
export type { TraceDocument } from './resources/traces/traces.model.ts';
