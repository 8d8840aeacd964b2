// Maps URLs to resources: one line per mount.
import type { Mount } from './http/router.ts';
import { paymentRoutes } from './resources/payment/payment.routes.ts';
import { billingRoutes } from './resources/billing/billing.routes.ts';
import { agentRoutes } from './resources/agents/agents.routes.ts';
import { mlBomRoutes, producerMlBomRoutes } from './resources/agents/ml-bom/ml-bom.routes.ts';
import { onboardingRoutes } from './resources/agents/onboarding/onboarding.routes.ts';
import { alertRoutes } from './resources/alerts/alerts.routes.ts';
import { auditBundleRoutes } from './resources/audit-bundles/audit-bundles.routes.ts';
import { auditRoutes } from './resources/audit/audit.routes.ts';
import { cpiRoutes } from './resources/cpi/cpi.routes.ts';
import { executionRoutes } from './resources/traces/executions/executions.routes.ts';
import { feedbackRoutes } from './resources/traces/feedback/feedback.routes.ts';
import { patternRoutes } from './resources/traces/maturation/patterns.routes.ts';
import { currentKeyRoutes, keyRoutes } from './resources/auth/keys/keys.routes.ts';
import { emailLinkRoutes } from './resources/auth/email-links/email-links.routes.ts';
import { localRoutes } from './resources/auth/accounts/local.routes.ts';
import { mfaRoutes } from './resources/auth/mfa/mfa.routes.ts';
import { placeholderRoutes } from './resources/auth/profile/placeholders.routes.ts';
import { profileRoutes } from './resources/auth/profile/profile.routes.ts';
import { sessionRoutes } from './resources/auth/sessions/sessions.routes.ts';
import { demoRequestRoutes } from './resources/demo-requests/demo-requests.routes.ts';
import { erasureRoutes } from './resources/erasure/erasure.routes.ts';
import { friaRoutes } from './resources/fria/fria.routes.ts';
import { keySetRoutes, signerRoutes } from './resources/c2pa-kms/c2pa-kms.routes.ts';
import { complianceRoutes } from './resources/compliance/compliance.routes.ts';
import { hashChainRoutes } from './resources/hash-chain/hash-chain.routes.ts';
import { healthRoutes } from './resources/health/health.routes.ts';
import { calendarRoutes } from './resources/incidents/calendar/calendar.routes.ts';
import { incidentRoutes } from './resources/incidents/incidents.routes.ts';
import { bridgeRoutes } from './resources/mcp-server/bridge.routes.ts';
import { logDescriptionRoutes, logRoutes } from './resources/log/log.routes.ts';
import { notificationRoutes } from './resources/notifications/notifications.routes.ts';
import { policyApprovalRoutes } from './resources/policies/approvals/approvals.routes.ts';
import { policyBundleRoutes } from './resources/policies/bundle/bundle.routes.ts';
import { policyCanaryRoutes } from './resources/policies/canary/canary.routes.ts';
import { policyEffectivenessRoutes } from './resources/policies/effectiveness/effectiveness.routes.ts';
import { insuranceFeedRoutes } from './resources/policies/insurance-feed/insurance-feed.routes.ts';
import { partnerPullRoutes } from './resources/policies/insurance-feed/partner-pull.routes.ts';
import { policyLanguageRoutes } from './resources/policies/language/language.routes.ts';
import { policyRoutes } from './resources/policies/policies.routes.ts';
import { policyReplayRoutes } from './resources/policies/replay/replay.routes.ts';
import { policyTrialRoutes } from './resources/policies/trials/trials.routes.ts';
import { privacyBudgetRoutes } from './resources/privacy-budget/privacy-budget.routes.ts';
import { graphRoutes } from './resources/provenance/graphs/graphs.routes.ts';
import { manifestRoutes } from './resources/provenance/manifests/manifests.routes.ts';
import { provenanceSettingsRoutes } from './resources/provenance/settings/provenance-settings.routes.ts';
import { scimDiscoveryRoutes } from './resources/scim/discovery/discovery.routes.ts';
import { scimGroupRoutes } from './resources/scim/groups/groups.routes.ts';
import { scimUserRoutes } from './resources/scim/users/users.routes.ts';
import { reviewRoutes } from './resources/traces/review/review.routes.ts';
import { traceRoutes } from './resources/traces/traces.routes.ts';
import { samlRoutes } from './resources/sign-on/saml/saml.routes.ts';
import { organizationRoutes } from './resources/organization/organization.routes.ts';
import {
  ssoDomainRoutes,
  systemSsoDomainRoutes,
} from './resources/organization/sso-domains/sso-domains.routes.ts';
import { ssoRoutes } from './resources/organization/sso-settings/sso-settings.routes.ts';
import { signOnRoutes } from './resources/sign-on/login/sign-on.routes.ts';
import { socialRoutes } from './resources/sign-on/social/social.routes.ts';
import { invitationRoutes } from './resources/team/invitations.routes.ts';
import { memberRoutes } from './resources/team/members.routes.ts';
import { usageRoutes } from './resources/usage/usage.routes.ts';
import { witnessRoutes } from './resources/witness/witness.routes.ts';
import { webhookRoutes } from './resources/webhooks/webhooks.routes.ts';
import { workspaceRoutes } from './resources/organization/workspaces/workspaces.routes.ts';

export const mounts: readonly Mount[] = [
  { at: '', routes: healthRoutes },
  { at: '/api/payment', routes: paymentRoutes },
  { at: '/api/v1/billing', routes: billingRoutes },
  { at: '/api/v1/auth', routes: localRoutes },
  { at: '/api/v1/auth', routes: emailLinkRoutes },
  { at: '/api/v1/auth', routes: mfaRoutes },
  { at: '/api/v1/auth', routes: sessionRoutes },
  { at: '/api/v1/auth', routes: profileRoutes },
  { at: '/api/v1/auth', routes: placeholderRoutes },
  { at: '/api/v1/auth', routes: socialRoutes },
  { at: '/api/v1/auth', routes: signOnRoutes },
  { at: '/api/v1/auth/saml', routes: samlRoutes },
  { at: '/api/v1/auth', routes: currentKeyRoutes },
  { at: '/api/v1/auth/keys', routes: keyRoutes },
  { at: '/api/v1/team', routes: memberRoutes },
  { at: '/api/v1/team', routes: invitationRoutes },
  { at: '/api/v1/organization', routes: organizationRoutes },
  { at: '/api/v1/organization', routes: ssoRoutes },
  { at: '/api/v1/organization', routes: ssoDomainRoutes },
  { at: '/api/v1/system', routes: systemSsoDomainRoutes },
  { at: '/api/v1/workspaces', routes: workspaceRoutes },
  { at: '/api/v1/agents', routes: agentRoutes },
  { at: '/api/v1/agents', routes: onboardingRoutes },
  { at: '/api/v1/agents', routes: mlBomRoutes },
  { at: '/api/v1/policies', routes: policyApprovalRoutes },
  { at: '/api/v1/policies', routes: policyCanaryRoutes },
  { at: '/api/v1/policies', routes: policyEffectivenessRoutes },
  { at: '/api/v1/policies', routes: policyBundleRoutes },
  { at: '/api/v1/policies', routes: insuranceFeedRoutes },
  { at: '/api/v1/policies', routes: policyRoutes },
  { at: '/api/v1/policies', routes: policyLanguageRoutes },
  { at: '/api/v1/policies', routes: policyTrialRoutes },
  { at: '/api/v1/policies', routes: policyReplayRoutes },
  { at: '/api/v1/traces', routes: traceRoutes },
  { at: '/api/v1/traces', routes: executionRoutes },
  { at: '/api/v1/traces', routes: producerMlBomRoutes },
  { at: '/api/v1/review-queue', routes: reviewRoutes },
  { at: '/api/v1/cpi', routes: cpiRoutes },
  { at: '/api/v1/cpi', routes: feedbackRoutes },
  { at: '/api/v1/cpi', routes: patternRoutes },
  { at: '/api/v1/mcp-server', routes: bridgeRoutes },
  { at: '/api/v1/hash-chain', routes: hashChainRoutes },
  { at: '/log', routes: logRoutes },
  { at: '', routes: logDescriptionRoutes },
  { at: '/api/v1/provenance', routes: provenanceSettingsRoutes },
  { at: '/api/v1/provenance/c2pa', routes: manifestRoutes },
  { at: '/api/v1/provenance/provo', routes: graphRoutes },
  { at: '/api/v1/audit-bundles', routes: auditBundleRoutes },
  { at: '/api/v1/audit', routes: auditRoutes },
  { at: '/api/v1/compliance', routes: complianceRoutes },
  { at: '/api/v1/demo-requests', routes: demoRequestRoutes },
  { at: '/api/v1/erasure', routes: erasureRoutes },
  { at: '/api/v1/fria', routes: friaRoutes },
  { at: '/api/v1/c2pa-kms', routes: signerRoutes },
  { at: '', routes: keySetRoutes },
  { at: '/api/v1/incidents', routes: incidentRoutes },
  { at: '/api/v1/incidents', routes: calendarRoutes },
  { at: '/api/v1/notifications', routes: notificationRoutes },
  { at: '/api/v1/usage', routes: usageRoutes },
  { at: '/api/v1/alerts', routes: alertRoutes },
  { at: '/api/v1/webhooks', routes: webhookRoutes },
  { at: '/api/v1/partner', routes: partnerPullRoutes },
  { at: '/api/v1/witness', routes: witnessRoutes },
  { at: '/api/v1/privacy-budget', routes: privacyBudgetRoutes },
  { at: '/scim/v2', routes: scimDiscoveryRoutes },
  { at: '/scim/v2/Users', routes: scimUserRoutes },
  { at: '/scim/v2/Groups', routes: scimGroupRoutes },
];
