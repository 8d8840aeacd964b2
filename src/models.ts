// Lists the collections: one line per Mongoose model.
import type { Connection, Model, Schema } from 'mongoose';
import { organizationSignalSchema } from './platform/mongo/organization-signals.model.ts';
import { outboxSchema } from './platform/outbox/outbox.model.ts';
import { cursorSchema, deadLetterSchema } from './ledger/follow/cursors.model.ts';
import { ledgerEntrySchema } from './ledger/ledger.model.ts';
import { agentActivitySchema } from './identity/agents/activity/agent-activity.model.ts';
import { agentSchema } from './identity/agents/agents.model.ts';
import {
  alertMailCountSchema,
  alertRuleSchema,
  alertRuleStateSchema,
} from './events/alerts/alerts.model.ts';
import { auditBundleSchema } from './evidence/audit-bundles/audit-bundles.model.ts';
import { auditEntrySchema, auditRowSchema } from './identity/audit/audit.model.ts';
import { workspaceKeySchema } from './identity/auth/keys/keys.model.ts';
import { deviceLoginSchema } from './identity/auth/device/device-logins.model.ts';
import { passkeySchema } from './identity/auth/credentials/passkeys.model.ts';
import { oneTimeTokenSchema } from './identity/auth/email-links/one-time-tokens.model.ts';
import { sessionSchema } from './identity/auth/sessions/sessions.model.ts';
import { userSchema } from './identity/auth/accounts/users.model.ts';
import { erasureSchema } from './evidence/erasure/erasures.model.ts';
import { assessmentSchema } from './governance/fria/fria.model.ts';
import { signingKeySchema } from './evidence/c2pa-kms/signing-keys.model.ts';
import { cpiDaySchema } from './decisions/cpi/cpi.model.ts';
import { chainVerificationSchema } from './evidence/hash-chain/hash-chain.model.ts';
import { hashSegmentSchema } from './evidence/hash-chain/search/hash-segments.model.ts';
import { calendarFeedSchema } from './governance/incidents/calendar/calendar-feeds.model.ts';
import { haltResumptionSchema } from './governance/halts/halts.model.ts';
import { incidentSchema } from './governance/incidents/incidents.model.ts';
import {
  complianceNoteSchema,
  legacyNotesSchema,
} from './governance/compliance/compliance.model.ts';
import {
  complianceReportSchema,
  reportScheduleSchema,
} from './governance/compliance/reports/reports.model.ts';
import { headsLeafSchema, logHeadSchema } from './evidence/log/log-heads.model.ts';
import { logSchema, logTileSchema } from './evidence/log/logs.model.ts';
import { logKeySchema } from './evidence/log/keys/log-keys.model.ts';
import { noticeWindowSchema } from './events/notifications/notices/notice-windows.model.ts';
import { witnessedLogSchema } from './evidence/witness/cosigning/witnessed-logs.model.ts';
import { witnessStateSchema } from './evidence/log/witnesses/witness-states.model.ts';
import { notificationSchema } from './events/notifications/notifications.model.ts';
import { membershipSchema } from './identity/organization/memberships/memberships.model.ts';
import { organizationDeletionSchema } from './identity/organization/deletion/organization-deletions.model.ts';
import { organizationSchema } from './identity/organization/organization.model.ts';
import { ssoDomainSchema } from './identity/organization/sso-domains/sso-domains.model.ts';
import { workspaceSchema } from './identity/organization/workspaces/workspaces.model.ts';
import { paymentEventSchema } from './governance/payment/payment-events.model.ts';
import {
  policyRevisionSchema,
  policySchema,
  policySetSchema,
  policyStatisticsSchema,
} from './policies/policies.model.ts';
import { policyApprovalSchema } from './policies/approvals/policy-approvals.model.ts';
import { policyNoticeSchema } from './policies/notices/policy-notices.model.ts';
import { budgetSumSchema } from './policies/budgets/budget-sums.model.ts';
import { policyListContentsSchema, policyListSchema } from './policies/lists/policy-lists.model.ts';
import { listedToolSchema, toolSetSchema } from './policies/tools/tools.model.ts';
import { policyCanarySchema } from './policies/canary/policy-canaries.model.ts';
import { policyReplaySchema } from './policies/replay/policy-replays.model.ts';
import { policyTestSchema } from './policies/trials/policy-tests.model.ts';
import { standingGrantSchema } from './governance/grants/grants.model.ts';
import { privacyBudgetSchema } from './governance/privacy-budget/privacy-budget.model.ts';
import { manifestSchema } from './evidence/provenance/manifests/manifests.model.ts';
import { provenanceSettingsSchema } from './evidence/provenance/settings/provenance-settings.model.ts';
import { trialSchema } from './identity/sign-on/trials/trials.model.ts';
import { usedMessageSchema } from './identity/sign-on/login/used-messages.model.ts';
import { scimTokenSchema } from './identity/scim/tokens/scim-tokens.model.ts';
import { runTokenSchema } from './identity/agents/trusts/run-tokens.model.ts';
import { agentTrustSchema } from './identity/agents/trusts/trusts.model.ts';
import { accessSubmissionSchema } from './decisions/authzen/access-submissions.model.ts';
import { authzenHoldSchema } from './decisions/authzen/authzen-holds.model.ts';
import { guardedSpanSchema } from './decisions/otlp/guarded-spans.model.ts';
import { spanCountSchema } from './decisions/otlp/span-counts.model.ts';
import { limitNoticeSchema } from './governance/usage/limit-notices.model.ts';
import { invitationSchema } from './identity/team/invitations.model.ts';
import { decisionCountSchema } from './decisions/traces/series/decision-counts.model.ts';
import { savedViewSchema } from './decisions/traces/views/saved-views.model.ts';
import {
  facetSegmentSchema,
  wordSegmentSchema,
} from './decisions/traces/search/word-segments.model.ts';
import { decisionPatternSchema } from './decisions/traces/automatic-approval/patterns.model.ts';
import { memoryUseSchema } from './decisions/traces/memory/memory-uses.model.ts';
import { effectSchema } from './decisions/traces/executions/effects.model.ts';
import { traceVectorsSchema } from './decisions/traces/memory/trace-vectors.model.ts';
import { reviewDeadlineSchema } from './decisions/traces/review/notices/review-deadlines.model.ts';
import { mutedGroupSchema } from './decisions/traces/groups/muted-groups.model.ts';
import { reviewLinkSchema } from './decisions/traces/review/links/review-links.model.ts';
import { traceSchema } from './decisions/traces/traces.model.ts';
import { webhookSchema, webhookStatisticsSchema } from './events/webhooks/webhooks.model.ts';

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
    passkeys: createModel('Passkey', passkeySchema),
    organizations: createModel('Organization', organizationSchema),
    organizationDeletions: createModel('OrganizationDeletion', organizationDeletionSchema),
    organizationSignals: createModel('OrganizationSignal', organizationSignalSchema),
    limitNotices: createModel('LimitNotice', limitNoticeSchema),
    authzenHolds: createModel('AccessHold', authzenHoldSchema),
    accessSubmissions: createModel('AccessSubmission', accessSubmissionSchema),
    guardedSpans: createModel('AskedSpan', guardedSpanSchema),
    spanCounts: createModel('SpanCount', spanCountSchema),
    memberships: createModel('Membership', membershipSchema),
    ssoDomains: createModel('SsoDomain', ssoDomainSchema),
    usedMessages: createModel('UsedMessage', usedMessageSchema),
    trials: createModel('SignOnTrial', trialSchema),
    invitations: createModel('Invitation', invitationSchema),
    assessments: createModel('Assessment', assessmentSchema),
    erasures: createModel('Erasure', erasureSchema),
    standingGrants: createModel('StandingGrant', standingGrantSchema),
    haltResumptions: createModel('HaltResumption', haltResumptionSchema),
    incidents: createModel('Incident', incidentSchema),
    calendarFeeds: createModel('CalendarFeed', calendarFeedSchema),
    notifications: createModel('Notification', notificationSchema),
    noticeWindows: createModel('NoticeWindow', noticeWindowSchema),
    workspaces: createModel('Workspace', workspaceSchema),
    workspaceKeys: createModel('WorkspaceKey', workspaceKeySchema),
    agents: createModel('Agent', agentSchema),
    agentTrusts: createModel('AgentTrust', agentTrustSchema),
    runTokens: createModel('RunToken', runTokenSchema),
    agentActivity: createModel('AgentActivity', agentActivitySchema),
    paymentEvents: createModel('PaymentEvent', paymentEventSchema),
    policies: createModel('Policy', policySchema),
    policyRevisions: createModel('PolicyRevision', policyRevisionSchema),
    policySets: createModel('PolicySet', policySetSchema),
    policyApprovals: createModel('PolicyApproval', policyApprovalSchema),
    policyCanaries: createModel('PolicyCanary', policyCanarySchema),
    policyReplays: createModel('PolicyReplay', policyReplaySchema),
    budgetSums: createModel('BudgetSum', budgetSumSchema),
    policyLists: createModel('PolicyList', policyListSchema),
    policyListContents: createModel('PolicyListContents', policyListContentsSchema),
    listedTools: createModel('ListedTool', listedToolSchema),
    toolSets: createModel('ToolSet', toolSetSchema),
    policyTests: createModel('PolicyTest', policyTestSchema),
    policyNotices: createModel('PolicyNotice', policyNoticeSchema),
    policyStatistics: createModel('PolicyStatistics', policyStatisticsSchema),
    complianceNotes: createModel('ComplianceNote', complianceNoteSchema),
    complianceReports: createModel('ComplianceReport', complianceReportSchema),
    reportSchedules: createModel('ReportSchedule', reportScheduleSchema),
    legacyNotes: createModel('LegacyNotes', legacyNotesSchema),
    privacyBudgets: createModel('PrivacyBudget', privacyBudgetSchema),
    ledger,
    traces: ledger.discriminator('Trace', traceSchema, 'trace'),
    decisionCounts: createModel('DecisionCount', decisionCountSchema),
    reviewDeadlines: createModel('ReviewDeadline', reviewDeadlineSchema),
    reviewLinks: createModel('ReviewLink', reviewLinkSchema),
    mutedGroups: createModel('MutedGroup', mutedGroupSchema),
    effects: createModel('Effect', effectSchema),
    traceVectors: createModel('TraceVectors', traceVectorsSchema),
    memoryUses: createModel('MemoryUse', memoryUseSchema),
    auditRows: createModel('AuditRow', auditRowSchema),
    auditBundles: createModel('AuditBundle', auditBundleSchema),
    auditEntries: createModel('AuditEntry', auditEntrySchema),
    cpiDays: createModel('CpiDay', cpiDaySchema),
    wordSegments: createModel('WordSegment', wordSegmentSchema),
    facetSegments: createModel('FacetSegment', facetSegmentSchema),
    savedViews: createModel('SavedView', savedViewSchema),
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
export type { AuditEntryDocument } from './identity/audit/audit.model.ts';
export type { TraceDocument } from './decisions/traces/traces.model.ts';
