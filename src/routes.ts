// Maps URLs to resources: one line per mount.
import type { Mount } from './http/router.ts';
import { SCIM_ADDRESS } from './http/declaration/rate-limits.ts';
import { accessRequestRoutes } from './decisions/authzen/access-requests.routes.ts';
import { authzenDescriptionRoutes, authzenRoutes } from './decisions/authzen/authzen.routes.ts';
import { paymentRoutes } from './governance/payment/payment.routes.ts';
import { billingRoutes } from './governance/billing/billing.routes.ts';
import { agentRoutes } from './identity/agents/agents.routes.ts';
import { mlBomRoutes, producerMlBomRoutes } from './identity/agents/ml-bom/ml-bom.routes.ts';
import { onboardingRoutes } from './identity/agents/onboarding/onboarding.routes.ts';
import { exchangeRoutes } from './identity/agents/trusts/exchange.routes.ts';
import { trustRoutes } from './identity/agents/trusts/trusts.routes.ts';
import { alertRoutes } from './events/alerts/alerts.routes.ts';
import { auditBundleRoutes } from './evidence/audit-bundles/audit-bundles.routes.ts';
import { auditRoutes } from './identity/audit/audit.routes.ts';
import { cpiRoutes } from './decisions/cpi/cpi.routes.ts';
import { executionRoutes } from './decisions/traces/executions/executions.routes.ts';
import { feedbackRoutes } from './decisions/traces/feedback/feedback.routes.ts';
import { patternRoutes } from './decisions/traces/automatic-approval/patterns.routes.ts';
import { currentKeyRoutes, keyRoutes } from './identity/auth/keys/keys.routes.ts';
import { deviceRoutes } from './identity/auth/device/device.routes.ts';
import { emailLinkRoutes } from './identity/auth/email-links/email-links.routes.ts';
import { localRoutes } from './identity/auth/accounts/local.routes.ts';
import { credentialRoutes } from './identity/auth/credentials/credentials.routes.ts';
import { passkeySignInRoutes } from './identity/auth/credentials/passkey-sign-in.routes.ts';
import { mfaRoutes } from './identity/auth/mfa/mfa.routes.ts';
import { otlpRoutes } from './decisions/otlp/otlp.routes.ts';
import { placeholderRoutes } from './identity/auth/profile/placeholders.routes.ts';
import { profileRoutes } from './identity/auth/profile/profile.routes.ts';
import { consoleSessionRoutes } from './identity/auth/sessions/console-session.routes.ts';
import { sessionRoutes } from './identity/auth/sessions/sessions.routes.ts';
import { demoRequestRoutes } from './governance/demo-requests/demo-requests.routes.ts';
import { erasureRoutes } from './evidence/erasure/erasure.routes.ts';
import { acsRoutes } from './decisions/acs/acs.routes.ts';
import { friaRoutes } from './governance/fria/fria.routes.ts';
import { keySetRoutes, signerRoutes } from './evidence/c2pa-kms/c2pa-kms.routes.ts';
import { complianceRoutes } from './governance/compliance/compliance.routes.ts';
import { reportRoutes } from './governance/compliance/reports/reports.routes.ts';
import { auditChainRoutes } from './evidence/hash-chain/audit-chain/audit-chain.routes.ts';
import { hashChainRoutes } from './evidence/hash-chain/hash-chain.routes.ts';
import { healthRoutes } from './governance/health/health.routes.ts';
import { grantRoutes } from './governance/grants/grants.routes.ts';
import { haltRoutes } from './governance/halts/halts.routes.ts';
import { calendarRoutes } from './governance/incidents/calendar/calendar.routes.ts';
import { incidentRoutes } from './governance/incidents/incidents.routes.ts';
import { bridgeRoutes } from './governance/mcp-server/bridge.routes.ts';
import { logDescriptionRoutes, logRoutes } from './evidence/log/log.routes.ts';
import { notificationRoutes } from './events/notifications/notifications.routes.ts';
import {
  listApprovalRoutes,
  policyApprovalRoutes,
  toolApprovalRoutes,
} from './policies/approvals/approvals.routes.ts';
import { policyBundleRoutes } from './policies/bundle/bundle.routes.ts';
import { policyCanaryRoutes } from './policies/canary/canary.routes.ts';
import { policyEffectivenessRoutes } from './policies/effectiveness/effectiveness.routes.ts';
import { insuranceFeedRoutes } from './policies/insurance-feed/insurance-feed.routes.ts';
import { partnerPullRoutes } from './policies/insurance-feed/partner-pull.routes.ts';
import { policyLanguageRoutes } from './policies/language/language.routes.ts';
import { budgetRoutes } from './policies/budgets/budgets.routes.ts';
import { toolRoutes } from './policies/tools/tools.routes.ts';
import { policyListRoutes } from './policies/lists/policy-lists.routes.ts';
import { policyRoutes } from './policies/policies.routes.ts';
import { explanationRoutes } from './policies/trials/explanation.routes.ts';
import { policyReplayRoutes, sessionReplayRoutes } from './policies/replay/replay.routes.ts';
import { policyTrialRoutes } from './policies/trials/trials.routes.ts';
import { privacyBudgetRoutes } from './governance/privacy-budget/privacy-budget.routes.ts';
import { graphRoutes } from './evidence/provenance/graphs/graphs.routes.ts';
import { manifestRoutes } from './evidence/provenance/manifests/manifests.routes.ts';
import { provenanceSettingsRoutes } from './evidence/provenance/settings/provenance-settings.routes.ts';
import { scimDiscoveryRoutes } from './identity/scim/discovery/discovery.routes.ts';
import { scimGroupRoutes } from './identity/scim/groups/groups.routes.ts';
import { scimUserRoutes } from './identity/scim/users/users.routes.ts';
import { reviewLinkRoutes } from './decisions/traces/review/links/review-links.routes.ts';
import { reviewRoutes } from './decisions/traces/review/review.routes.ts';
import { batchRoutes } from './decisions/traces/batch/batch.routes.ts';
import { groupRoutes } from './decisions/traces/groups/groups.routes.ts';
import { agentSessionRoutes } from './decisions/traces/sessions/history/agent-sessions.routes.ts';
import { seriesRoutes } from './decisions/traces/series/series.routes.ts';
import { savedViewRoutes } from './decisions/traces/views/saved-views.routes.ts';
import { traceRoutes } from './decisions/traces/traces.routes.ts';
import { samlRoutes } from './identity/sign-on/saml/saml.routes.ts';
import { scimTokenRoutes } from './identity/scim/tokens/scim-tokens.routes.ts';
import { organizationRoutes } from './identity/organization/organization.routes.ts';
import {
  ssoDomainRoutes,
  systemSsoDomainRoutes,
} from './identity/organization/sso-domains/sso-domains.routes.ts';
import { ssoRoutes } from './identity/organization/sso-settings/sso-settings.routes.ts';
import { trialRoutes } from './identity/sign-on/trials/sso-trials.routes.ts';
import { signOnRoutes } from './identity/sign-on/login/sign-on.routes.ts';
import { socialRoutes } from './identity/sign-on/social/social.routes.ts';
import { delegationRoutes } from './identity/team/delegations.routes.ts';
import { invitationRoutes } from './identity/team/invitations.routes.ts';
import { memberRoutes } from './identity/team/members.routes.ts';
import { overviewRoutes } from './governance/overview/overview.routes.ts';
import { usageRoutes } from './governance/usage/usage.routes.ts';
import { witnessRoutes } from './evidence/witness/witness.routes.ts';
import { webhookRoutes } from './events/webhooks/webhooks.routes.ts';
import { workspaceRoutes } from './identity/organization/workspaces/workspaces.routes.ts';

export const mounts: readonly Mount[] = [
  { at: '', routes: healthRoutes, limits: [] },
  { at: '/api/payment', routes: paymentRoutes },
  { at: '/api/v1/billing', routes: billingRoutes },
  { at: '/api/v1/auth', routes: localRoutes },
  { at: '/api/v1/auth', routes: emailLinkRoutes },
  { at: '/api/v1/auth', routes: mfaRoutes },
  { at: '/api/v1/auth/credentials', routes: credentialRoutes },
  { at: '/api/v1/auth/credentials', routes: passkeySignInRoutes },
  { at: '/api/v1/auth', routes: sessionRoutes },
  { at: '/console', routes: consoleSessionRoutes, limits: [] },
  { at: '/api/v1/auth', routes: profileRoutes },
  { at: '/api/v1/auth', routes: placeholderRoutes },
  { at: '/api/v1/auth', routes: socialRoutes },
  { at: '/api/v1/auth', routes: signOnRoutes },
  { at: '/api/v1/auth/saml', routes: samlRoutes },
  { at: '/api/v1/auth/device', routes: deviceRoutes },
  { at: '/api/v1/auth', routes: currentKeyRoutes },
  { at: '/api/v1/auth/keys', routes: keyRoutes },
  { at: '/api/v1/team', routes: memberRoutes },
  { at: '/api/v1/team', routes: invitationRoutes },
  { at: '/api/v1/team', routes: delegationRoutes },
  { at: '/api/v1/organization', routes: organizationRoutes },
  { at: '/api/v1/organization', routes: scimTokenRoutes },
  { at: '/api/v1/organization', routes: ssoRoutes },
  { at: '/api/v1/organization', routes: trialRoutes },
  { at: '/api/v1/organization', routes: ssoDomainRoutes },
  { at: '/api/v1/system', routes: systemSsoDomainRoutes },
  { at: '/api/v1/workspaces', routes: workspaceRoutes },
  { at: '/api/v1/agents', routes: agentRoutes },
  { at: '/api/v1/agents', routes: onboardingRoutes },
  { at: '/api/v1/agents', routes: mlBomRoutes },
  { at: '/api/v1/agents', routes: trustRoutes },
  { at: '/api/v1/auth', routes: exchangeRoutes },
  { at: '/api/v1/policies', routes: policyApprovalRoutes },
  { at: '/api/v1/policies', routes: policyCanaryRoutes },
  { at: '/api/v1/policies', routes: policyEffectivenessRoutes },
  { at: '/api/v1/policies', routes: policyBundleRoutes },
  { at: '/api/v1/policies', routes: insuranceFeedRoutes },
  { at: '/api/v1/policies', routes: policyRoutes },
  { at: '/api/v1/policies', routes: policyLanguageRoutes },
  { at: '/api/v1/policies', routes: policyTrialRoutes },
  { at: '/api/v1/policies', routes: policyReplayRoutes },
  { at: '/api/v1/budgets', routes: budgetRoutes },
  { at: '/api/v1/policy-lists', routes: policyListRoutes },
  { at: '/api/v1/policy-lists', routes: listApprovalRoutes },
  { at: '/api/v1/tools', routes: toolRoutes },
  { at: '/api/v1/tools', routes: toolApprovalRoutes },
  { at: '/api/v1/traces', routes: seriesRoutes },
  { at: '/api/v1/traces', routes: groupRoutes },
  { at: '/api/v1/traces', routes: savedViewRoutes },
  { at: '/api/v1/traces', routes: traceRoutes },
  { at: '/api/v1/traces', routes: executionRoutes },
  { at: '/api/v1/traces', routes: batchRoutes },
  { at: '/api/v1/traces', routes: producerMlBomRoutes },
  { at: '/api/v1/traces', routes: explanationRoutes },
  { at: '/api/v1/sessions', routes: agentSessionRoutes },
  { at: '/api/v1/sessions', routes: sessionReplayRoutes },
  { at: '/api/v1/review-queue', routes: reviewRoutes },
  { at: '/decide', routes: reviewLinkRoutes },
  { at: '/api/v1/cpi', routes: cpiRoutes },
  { at: '/api/v1/cpi', routes: feedbackRoutes },
  { at: '/api/v1/cpi', routes: patternRoutes },
  { at: '/api/v1/mcp-server', routes: bridgeRoutes },
  { at: '/api/v1/hash-chain', routes: hashChainRoutes },
  { at: '/log', routes: logRoutes },
  { at: '', routes: logDescriptionRoutes, limits: [] },
  { at: '/api/v1/provenance', routes: provenanceSettingsRoutes },
  { at: '/api/v1/provenance/c2pa', routes: manifestRoutes },
  { at: '/api/v1/provenance/provo', routes: graphRoutes },
  { at: '/api/v1/audit-bundles', routes: auditBundleRoutes },
  { at: '/api/v1/audit', routes: auditRoutes },
  { at: '/api/v1/audit', routes: auditChainRoutes },
  { at: '/api/v1/compliance', routes: complianceRoutes },
  { at: '/api/v1/compliance', routes: reportRoutes },
  { at: '/api/v1/demo-requests', routes: demoRequestRoutes },
  { at: '/api/v1/erasure', routes: erasureRoutes },
  { at: '/api/v1/fria', routes: friaRoutes },
  { at: '/api/v1/c2pa-kms', routes: signerRoutes },
  { at: '', routes: keySetRoutes, limits: [] },
  { at: '/api/v1/halts', routes: haltRoutes },
  { at: '/api/v1/grants', routes: grantRoutes },
  { at: '/api/v1/incidents', routes: incidentRoutes },
  { at: '/api/v1/incidents', routes: calendarRoutes },
  { at: '/api/v1/notifications', routes: notificationRoutes },
  { at: '/api/v1/usage', routes: usageRoutes },
  { at: '/api/v1/overview', routes: overviewRoutes },
  { at: '/api/v1/alerts', routes: alertRoutes },
  { at: '/api/v1/webhooks', routes: webhookRoutes },
  { at: '/api/v1/partner', routes: partnerPullRoutes },
  { at: '/api/v1/witness', routes: witnessRoutes },
  { at: '/api/v1/privacy-budget', routes: privacyBudgetRoutes },
  { at: '/access/v1', routes: authzenRoutes },
  { at: '/access/v1/requests', routes: accessRequestRoutes },
  { at: '', routes: authzenDescriptionRoutes, limits: [] },
  { at: '', routes: acsRoutes },
  { at: '', routes: otlpRoutes, limits: [] },
  { at: '/api/v1/otlp', routes: otlpRoutes },
  { at: '/scim/v2', routes: scimDiscoveryRoutes, limits: [SCIM_ADDRESS] },
  { at: '/scim/v2/Users', routes: scimUserRoutes, limits: [SCIM_ADDRESS] },
  { at: '/scim/v2/Groups', routes: scimGroupRoutes, limits: [SCIM_ADDRESS] },
];
