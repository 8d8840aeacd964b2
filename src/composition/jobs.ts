// Lists the work that runs without a request: migrations, ledger consumers and timed jobs.
import type { Job } from '../platform/jobs/job-runner.ts';
import type { Migration } from '../platform/mongo/migrations.ts';
import { dropLanesIndex, makeInternalRowsDue } from '../platform/outbox/outbox.migration.ts';
import { AUDIT, DECISIONS } from '../ledger/chains.ts';
import type { Consumer } from '../ledger/follow/consumer.ts';
import { createFoldConsumer } from '../ledger/amend/fold.ts';
import { buildHeadIndexes, dropHashIndex, dropTextIndex } from '../ledger/maintenance.ts';
import { createAgentActivityConsumer } from '../identity/agents/activity/agent-activity.consumer.ts';
import { createAlertVerdictsConsumer } from '../events/alerts/alert-verdicts.consumer.ts';
import { createAlertsConsumer } from '../events/alerts/alerts.consumer.ts';
import { setAuditRowDates } from '../identity/audit/audit.migration.ts';
import { normalizeEmailAddresses } from '../identity/auth/accounts/email-addresses.migration.ts';
import { completeUsers } from '../identity/auth/accounts/users.migration.ts';
import { createCpiConsumer } from '../decisions/cpi/cpi.consumer.ts';
import { resetVerdictCounts } from '../decisions/cpi/verdicts.migration.ts';
import { createChainHashesConsumer } from '../evidence/hash-chain/search/chain-hashes.consumer.ts';
import { completeMemberships } from '../identity/organization/memberships/memberships.migration.ts';
import { completeSignOns } from '../identity/sign-on/provider-names.migration.ts';
import { trimSamlNames } from '../identity/organization/sso-settings/saml-names.migration.ts';
import { createPolicyCanaryConsumer } from '../policies/canary/canary.consumer.ts';
import { createPolicyNoticesConsumer } from '../policies/notices/policy-notices.consumer.ts';
import { createBudgetSumsConsumer } from '../policies/budgets/budget-sums.consumer.ts';
import { createPolicyStatisticsConsumer } from '../policies/policy-statistics.consumer.ts';
import { runReplays } from '../policies/replay/replay-runner.service.ts';
import {
  encryptEarlierEntries,
  encryptEscalationReasons,
} from '../decisions/traces/earlier-entries.migration.ts';
import { createAutomaticApprovalConsumer } from '../decisions/traces/automatic-approval/automatic-approval.consumer.ts';
import { createTraceVectorsConsumer } from '../decisions/traces/memory/trace-vectors.consumer.ts';
import {
  dropConsumer,
  resetDecisionIndexes,
  resetDecisionWords,
} from '../decisions/traces/search/word-segments.migration.ts';
import { createDecisionCountsConsumer } from '../decisions/traces/series/decision-counts.consumer.ts';
import { createDecisionToolsConsumer } from '../decisions/traces/series/decision-tools.consumer.ts';
import { createDecisionWordsConsumer } from '../decisions/traces/search/decision-words.consumer.ts';
import { createReviewNoticesConsumer } from '../decisions/traces/review/notices/review-notices.consumer.ts';
import { createTraceEventsConsumer } from '../decisions/traces/trace-events.consumer.ts';
import { sendDueReports } from '../governance/compliance/reports/schedule.service.ts';
import { markOverdue } from '../governance/incidents/clock-breaches.service.ts';
import { expireDueReviews } from '../decisions/traces/review/review-expiry.service.ts';
import { endLeases } from '../decisions/traces/executions/execution-leases.service.ts';
import { sendReminders } from '../decisions/traces/review/notices/review-reminders.service.ts';
import { remindOfDeadlines } from '../governance/incidents/clock-reminders.service.ts';
import { endDueGrants } from '../governance/grants/grant-endings.service.ts';
import { createHaltsConsumer } from '../governance/halts/halts.consumer.ts';
import { createPolicyHaltsConsumer } from '../governance/halts/policy-halts.consumer.ts';
import { createUsageConsumer } from '../governance/usage/usage.consumer.ts';
import type { Platform } from '../platform/platform.ts';
import type { OutboxWorkers } from '../platform/outbox/outbox-workers.ts';
import type { Consumers } from '../ledger/follow/consumers.ts';
import { sweepAuditRows } from '../identity/audit/audit.service.ts';
import { eraseDeletedOrganizations } from '../identity/organization/deletion/organization-deletion.service.ts';
import { hasActiveWebhooks } from '../events/webhooks/subscriptions.service.ts';
import { measureAlerts } from '../events/alerts/measured-alerts.service.ts';
import { sendDigests } from '../events/notifications/notices/notice-digests.service.ts';
import { signDue } from '../evidence/log/signing/tree-head-signing.service.ts';
import { askWitnesses } from '../evidence/log/witnesses/log-witnesses.service.ts';
import { stampDue } from '../evidence/log/stamps/log-stamps.service.ts';
import { resumeInterrupted } from '../evidence/erasure/erasure-execution.service.ts';
import { rollDue } from '../evidence/erasure/destruction/epoch-roll.service.ts';
import { runChecks } from '../evidence/hash-chain/chain-checks.service.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Intervals of a job that its writers wake; a lost wake-up only delays it. */
const WAKEABLE = { everyMs: SECOND, idleMs: 5 * SECOND };

/** Migrations of stored data, oldest first; indexes are built separately. */
export const migrations: readonly Migration[] = [
  { id: 'heads-indexes', run: (connection) => buildHeadIndexes(connection, [DECISIONS, AUDIT]) },
  { id: 'users-second-factor', run: completeUsers },
  { id: 'memberships-entered', run: completeMemberships },
  { id: 'memberships-sign-on-kind', run: completeSignOns },
  { id: 'audit-rows-due', run: setAuditRowDates },
  {
    id: 'heads-indexes-changed',
    run: (connection) => buildHeadIndexes(connection, [DECISIONS, AUDIT]),
  },
  // One document of words for each decision: segments came in its place.
  {
    id: 'decision-searches-dropped',
    run: dropConsumer({ consumer: 'decision-search', collection: 'decision_searches' }),
  },
  { id: 'ledger-hash-index-dropped', run: dropHashIndex },
  { id: 'email-addresses-normal', run: normalizeEmailAddresses },
  { id: 'verdicts-of-persons', run: resetVerdictCounts, isAtomic: true },
  { id: 'ledger-text-index-dropped', run: dropTextIndex },
  { id: 'ledger-contents-locked', run: encryptEarlierEntries },
  { id: 'outbox-lanes-index-dropped', run: dropLanesIndex },
  { id: 'decision-words-of-all-scripts', run: resetDecisionWords, isAtomic: true },
  { id: 'outbox-internal-rows-due', run: makeInternalRowsDue },
  { id: 'memberships-saml-names-trimmed', run: trimSamlNames },
  { id: 'escalation-reasons-locked', run: encryptEscalationReasons },
  // Older programs would seal acts behind a halt.
  { id: 'halts' },
  // Earlier programs know neither the operators nor the lists of policies.
  { id: 'policy-lists' },
  // Earlier programs would approve beyond a limit.
  { id: 'budgets' },
  // Earlier programs would take the change of a list for a new policy.
  { id: 'list-approvals' },
  // Earlier programs would take the change of tools for a new policy.
  { id: 'tool-approvals' },
  // Counts by hour: their successor counts all decisions again.
  {
    id: 'decision-hours-dropped',
    run: dropConsumer({ consumer: 'decision-hours', collection: 'decision_hours' }),
  },
  { id: 'decision-words-of-actions', run: resetDecisionWords, isAtomic: true },
  { id: 'decision-facets-of-subjects', run: resetDecisionIndexes, isAtomic: true },
  // Earlier programs would take one approval, or an unsigned one, for enough.
  { id: 'votes-and-signatures' },
  // Earlier programs know no standing grants, whose entries they would take for a break.
  { id: 'standing-grants' },
];

export function createLedgerConsumers(platform: Platform): Consumer[] {
  const { models, outbox, ledger } = platform;
  const {
    subscribesToEvents = (organizationId: string) => hasActiveWebhooks(platform, organizationId),
  } = platform;
  return [
    createFoldConsumer(ledger.fold),
    createPolicyStatisticsConsumer(models),
    createBudgetSumsConsumer(models),
    createPolicyCanaryConsumer(models),
    createPolicyNoticesConsumer(platform),
    createAgentActivityConsumer(models),
    createDecisionCountsConsumer(models),
    createCpiConsumer(models),
    createChainHashesConsumer(models),
    createAutomaticApprovalConsumer(platform),
    createUsageConsumer(platform),
    createTraceEventsConsumer({ models, outbox, hasSubscribers: subscribesToEvents }),
    createReviewNoticesConsumer(platform),
    createPolicyHaltsConsumer(platform),
    createHaltsConsumer(platform, { hasSubscribers: subscribesToEvents }),
    createAlertVerdictsConsumer({ models, outbox }),
    createAlertsConsumer(platform),
    createDecisionToolsConsumer(platform),
    createDecisionWordsConsumer(platform),
    createTraceVectorsConsumer(platform),
  ];
}

export function createJobs(
  platform: Platform,
  outboxWorkers: OutboxWorkers,
  consumers: Consumers,
): Job[] {
  const { ledgerMaintenance, mailer } = platform;
  return [
    { name: 'ledger.sweep', everyMs: 15 * SECOND, run: () => consumers.sweep() },
    { name: 'audit.sweep', everyMs: 5 * SECOND, run: () => sweepAuditRows(platform) },
    { name: 'alerts.measure', everyMs: MINUTE, run: () => measureAlerts(platform) },
    { name: 'log.seal', ...WAKEABLE, run: () => signDue(platform) },
    {
      name: 'log.witness',
      everyMs: 5 * SECOND,
      idleMs: 15 * SECOND,
      run: () => askWitnesses(platform),
    },
    { name: 'log.stamp', everyMs: 15 * SECOND, idleMs: MINUTE, run: () => stampDue(platform) },
    { name: 'outbox.internal', ...WAKEABLE, run: () => outboxWorkers.internal.deliverDue() },
    { name: 'outbox.deliver', ...WAKEABLE, run: () => outboxWorkers.receivers.deliverDue() },
    { name: 'outbox.mail', ...WAKEABLE, run: () => outboxWorkers.mail.deliverDue() },
    { name: 'outbox.late', everyMs: MINUTE, run: () => outboxWorkers.reportLate() },
    { name: 'mail.prune', everyMs: HOUR, run: () => mailer.prune() },
    { name: 'incidents.breach', everyMs: MINUTE, run: () => markOverdue(platform) },
    { name: 'compliance.report', everyMs: MINUTE, run: () => sendDueReports(platform) },
    { name: 'grants.end', everyMs: 5 * SECOND, run: () => endDueGrants(platform) },
    { name: 'reviews.expire', everyMs: SECOND, run: () => expireDueReviews(platform) },
    { name: 'incidents.remind', everyMs: MINUTE, run: () => remindOfDeadlines(platform) },
    {
      name: 'reviews.remind',
      everyMs: MINUTE,
      run: () => sendReminders(platform),
    },
    { name: 'notices.digest', everyMs: MINUTE, run: () => sendDigests(platform) },
    {
      name: 'erasure.finish',
      everyMs: MINUTE,
      run: () => resumeInterrupted(platform),
    },
    {
      name: 'erasure.epochs',
      everyMs: 10 * SECOND,
      idleMs: MINUTE,
      run: () => rollDue(platform),
    },
    { name: 'executions.end-leases', everyMs: 5 * SECOND, run: () => endLeases(platform) },
    {
      name: 'chains.verify',
      everyMs: 5 * MINUTE,
      idleMs: HOUR,
      run: () => runChecks(platform),
    },
    { name: 'organization.erase', everyMs: MINUTE, run: () => eraseDeletedOrganizations(platform) },
    { name: 'policies.replay', ...WAKEABLE, run: () => runReplays(platform) },
    {
      name: 'ledger.release-once-keys',
      everyMs: HOUR,
      run: () => ledgerMaintenance.releaseIdempotencyKeys(),
    },
    { name: 'ledger.thin-heads', everyMs: HOUR, run: () => ledgerMaintenance.thinHeads() },
  ];
}
