// The services of one instance, by the names under which handlers and jobs are given them.
import type { Caller, Tenant } from './domain/identity/tenant.ts';
import type { OutboxWorkers } from './platform/outbox/outbox-workers.ts';
import type { AccountReader } from './identity/auth/accounts/account-reader.service.ts';
import type { OrganizationFacts } from './identity/organization/organization-facts.service.ts';
import type { PresentMembers } from './identity/organization/memberships/present-members.service.ts';
import type { AccessRequestService } from './decisions/authzen/access-requests.service.ts';
import type { AuthzenService } from './decisions/authzen/authzen.service.ts';
import type { AnchorService } from './evidence/log/tree/anchors.service.ts';
import type { EntryStatementService } from './evidence/log/tree/entry-statements.service.ts';
import type { ProofService } from './evidence/log/tree/proofs.service.ts';
import type { LogPublicationService } from './evidence/log/log-publication.service.ts';
import type { HeadsFileService } from './evidence/log/tree/heads-file.service.ts';
import type { PromiseCheckService } from './evidence/log/promises/promise-check.service.ts';
import type { LogStampService } from './evidence/log/stamps/log-stamps.service.ts';
import type { LogWitnessService } from './evidence/log/witnesses/log-witnesses.service.ts';
import type { LogReleaseService } from './evidence/log/release/log-release.service.ts';
import type { HeadsCheckService } from './evidence/log/signing/heads-check.service.ts';
import type { TreeHeadSigning } from './evidence/log/signing/tree-head-signing.service.ts';
import type { AgentResolver } from './identity/agents/agent-resolver.service.ts';
import type { AgentService } from './identity/agents/agents.service.ts';
import type { MlBomService } from './identity/agents/ml-bom/ml-bom.service.ts';
import type { ExchangeTokenService } from './identity/agents/trusts/exchange.service.ts';
import type { TrustService } from './identity/agents/trusts/trusts.service.ts';
import type { OnboardingService } from './identity/agents/onboarding/onboarding.service.ts';
import type { ActiveRuleService } from './events/alerts/active-rules.service.ts';
import type { AlertActions } from './events/alerts/alert-actions.service.ts';
import type { AlertService } from './events/alerts/alerts.service.ts';
import type { CpiAlerts } from './events/alerts/cpi-alerts.service.ts';
import type { AuditBundleService } from './evidence/audit-bundles/audit-bundles.service.ts';
import type { AuditLogService } from './identity/audit/audit-log.service.ts';
import type { AuditService } from './identity/audit/audit.service.ts';
import type { AuditExportService } from './identity/audit/export/audit-export.service.ts';
import type { LocalService } from './identity/auth/accounts/local.service.ts';
import type { SignInFailures } from './identity/auth/accounts/sign-in-failures.service.ts';
import type { DeviceLoginService } from './identity/auth/device/device-logins.service.ts';
import type { EmailLinkService } from './identity/auth/email-links/email-links.service.ts';
import type { KeyAuthenticationService } from './identity/auth/keys/key-authentication.service.ts';
import type { KeyService } from './identity/auth/keys/keys.service.ts';
import type { MfaService } from './identity/auth/mfa/mfa.service.ts';
import type { SecondStepService } from './identity/auth/mfa/second-step.service.ts';
import type { ProfileService } from './identity/auth/profile/profile.service.ts';
import type { SessionService } from './identity/auth/sessions/sessions.service.ts';
import type { StreamTokenService } from './identity/auth/sessions/stream-tokens.service.ts';
import type { BillingService } from './governance/billing/billing.service.ts';
import type { KeyRegistry } from './evidence/c2pa-kms/key-registry.service.ts';
import type { SignerService } from './evidence/c2pa-kms/signer.service.ts';
import type { ComplianceReportService } from './governance/compliance/compliance-report.service.ts';
import type { DemoRequestService } from './governance/demo-requests/demo-requests.service.ts';
import type { EpochRollService } from './evidence/erasure/destruction/epoch-roll.service.ts';
import type { ErasureExecutionService } from './evidence/erasure/erasure-execution.service.ts';
import type { ErasureService } from './evidence/erasure/erasures.service.ts';
import type { AttestationService } from './evidence/hash-chain/attestations.service.ts';
import type { BundleService } from './evidence/hash-chain/bundles.service.ts';
import type { ChainCheckService } from './evidence/hash-chain/chain-checks.service.ts';
import type { ChainReleaseService } from './evidence/hash-chain/chain-release.service.ts';
import type { ChainVerificationService } from './evidence/hash-chain/chain-verification.service.ts';
import type { HashChainService } from './evidence/hash-chain/hash-chain.service.ts';
import type { Readiness } from './governance/health/readiness.service.ts';
import type { BridgeService } from './governance/mcp-server/bridge.service.ts';
import type { McpService } from './governance/mcp-server/mcp.service.ts';
import type { NoticeDigests } from './events/notifications/notices/notice-digests.service.ts';
import type { NoticeService } from './events/notifications/notices/notices.service.ts';
import type { NotificationService } from './events/notifications/notifications.service.ts';
import type { OrganizationDeletionService } from './identity/organization/deletion/organization-deletion.service.ts';
import type { OrganizationService } from './identity/organization/organization.service.ts';
import type { SecondWords } from './identity/organization/second-words.service.ts';
import type { ReclaimService } from './identity/auth/reclaim/reclaim.service.ts';
import type { SsoDomainService } from './identity/organization/sso-domains/sso-domains.service.ts';
import type { ProviderMetadataService } from './identity/organization/sso-settings/provider-metadata.service.ts';
import type { SsoSettingsService } from './identity/organization/sso-settings/sso-settings.service.ts';
import type { SsoWarningService } from './identity/organization/sso-settings/sso-warnings.service.ts';
import type { WorkspaceService } from './identity/organization/workspaces/workspaces.service.ts';
import type { PaymentEventService } from './governance/payment/payment-events.service.ts';
import type { GraphService } from './evidence/provenance/graphs/graphs.service.ts';
import type { ManifestService } from './evidence/provenance/manifests/manifests.service.ts';
import type { VerificationService } from './evidence/provenance/manifests/verification.service.ts';
import type { ProvenanceSettingsService } from './evidence/provenance/settings/provenance-settings.service.ts';
import type { DiscoveryService } from './identity/scim/discovery/discovery.service.ts';
import type { ScimGroupService } from './identity/scim/groups/groups.service.ts';
import type { SearchService } from './identity/scim/searches.service.ts';
import type { ScimTokenService } from './identity/scim/tokens/scim-tokens.service.ts';
import type { ScimUserService } from './identity/scim/users/users.service.ts';
import type { ExchangeService } from './identity/sign-on/login/cookie-exchange.service.ts';
import type { HomeRealmService } from './identity/sign-on/login/home-realm.service.ts';
import type { UsedMessageService } from './identity/sign-on/login/used-messages.service.ts';
import type { OidcLogoutService } from './identity/sign-on/oidc/oidc-logout.service.ts';
import type { OidcService } from './identity/sign-on/oidc/oidc.service.ts';
import type { SamlLogoutService } from './identity/sign-on/saml/saml-logout.service.ts';
import type { SamlService } from './identity/sign-on/saml/saml.service.ts';
import type { TrialStartService } from './identity/sign-on/trials/trial-starts.service.ts';
import type { TrialService } from './identity/sign-on/trials/trials.service.ts';
import type { SignInOptionService } from './identity/sign-on/social/sign-in-options.service.ts';
import type { SocialService } from './identity/sign-on/social/social.service.ts';
import type { AcceptanceService } from './identity/team/acceptance.service.ts';
import type { InvitationService } from './identity/team/invitations.service.ts';
import type { MemberService } from './identity/team/members.service.ts';
import type { PermissionService } from './decisions/traces/permissions/permissions.service.ts';
import type { ReviewWaiting } from './decisions/traces/review/callers/review-waiting.service.ts';
import type { UsageService } from './governance/usage/usage.service.ts';
import type { SubscriptionService } from './events/webhooks/subscriptions.service.ts';
import type { WebhookLog } from './events/webhooks/webhook-log.service.ts';
import type { WebhookSender } from './events/webhooks/webhook-sender.service.ts';
import type { WebhookService } from './events/webhooks/webhooks.service.ts';
import type { CosigningService } from './evidence/witness/cosigning/cosigning.service.ts';
import type { WitnessService } from './evidence/witness/witness.service.ts';

/** What handlers are given, grouped by resource. */
export interface Services {
  accessRequests: AccessRequestService;
  authzen: AuthzenService;
  agents: {
    registry: AgentService;
    resolver: AgentResolver;
    onboarding: OnboardingService;
    mlBoms: MlBomService;
    trusts: TrustService;
    exchange: ExchangeTokenService;
  };
  alerts: { rules: AlertService; actions: AlertActions; cpi: CpiAlerts };
  audit: AuditService;
  auditBundles: AuditBundleService;
  auditExports: AuditExportService;
  auditLog: AuditLogService;
  auth: {
    local: LocalService;
    emailLinks: EmailLinkService;
    mfa: MfaService;
    secondStep: SecondStepService;
    sessions: SessionService;
    streamTokens: StreamTokenService;
    deviceLogins: DeviceLoginService;
    profile: ProfileService;
    keys: KeyService;
    keyAuthentication: KeyAuthenticationService;
  };
  billing: BillingService;
  bridge: { questions: BridgeService; mcp: McpService };
  compliance: ComplianceReportService;
  demoRequests: DemoRequestService;
  erasure: ErasureService;
  hashChain: {
    anchors: AnchorService;
    proofs: ProofService;
    entryStatements: EntryStatementService;
    chain: HashChainService;
    verification: ChainVerificationService;
    bundles: BundleService;
    /** Bundles of the audit chain. */
    auditBundles: BundleService;
  };
  logs: {
    headsFiles: HeadsFileService;
    publication: LogPublicationService;
    promiseChecks: PromiseCheckService;
  };
  /** Authenticates by the token of a calendar feed. */
  authenticateFeed(token: string): Promise<Caller>;
  /** The id of the agent that made a decision, by a name of the decision. */
  findProducer(tenant: Tenant, name: string): Promise<string>;
  notifications: NotificationService;
  organization: {
    profile: OrganizationService;
    deletion: OrganizationDeletionService;
    reclaims: ReclaimService;
    secondWords: SecondWords;
    workspaces: WorkspaceService;
    ssoSettings: SsoSettingsService;
    ssoDomains: SsoDomainService;
    providerMetadata: ProviderMetadataService;
    scimTokens: ScimTokenService;
  };
  payment: PaymentEventService;
  provenance: {
    keys: KeyRegistry;
    signer: SignerService;
    settings: ProvenanceSettingsService;
    manifests: ManifestService;
    verification: VerificationService;
    graphs: GraphService;
  };
  readiness: Readiness;
  scim: {
    users: ScimUserService;
    groups: ScimGroupService;
    searches: SearchService;
    discovery: DiscoveryService;
  };
  signOn: {
    homeRealm: HomeRealmService;
    oidc: OidcService;
    oidcLogout: OidcLogoutService;
    saml: SamlService;
    samlLogout: SamlLogoutService;
    social: SocialService;
    cookieExchange: ExchangeService;
    signInOptions: SignInOptionService;
    trials: TrialService;
    trialStarts: TrialStartService;
  };
  team: { members: MemberService; invitations: InvitationService; acceptance: AcceptanceService };
  traces: {
    permissions: PermissionService;
    waiting: ReviewWaiting;
  };
  usage: UsageService;
  webhooks: {
    definitions: WebhookService;
    sender: WebhookSender;
    log: WebhookLog;
    subscriptions: SubscriptionService;
  };
  witness: { gossip: WitnessService; cosigning: CosigningService };
}

/** What runs without a request. */
export interface Background {
  attestations: AttestationService;
  audit: AuditService;
  chainChecks: ChainCheckService;
  chainRelease: ChainReleaseService;
  logRelease: LogReleaseService;
  headsCheck: HeadsCheckService;
  deletion: OrganizationDeletionService;
  epochRoll: EpochRollService;
  erasureExecution: ErasureExecutionService;
  failures: SignInFailures;
  treeHeadSigning: TreeHeadSigning;
  logStamps: LogStampService;
  logWitnesses: LogWitnessService;
  notices: NoticeService;
  noticeDigests: NoticeDigests;
  outboxWorkers: OutboxWorkers;
  ssoWarnings: SsoWarningService;
  usedMessages: UsedMessageService;
}

/** The one way by which a resource reads what another one stores of organisations, members and accounts. */
export interface Readers {
  organizationFacts: OrganizationFacts;
  presentMembers: PresentMembers;
  accountReader: AccountReader;
}

/** What the consumers of the ledger use. */
export interface Listeners {
  readers: Readers;
  subscriptions: SubscriptionService;
  activeRules: ActiveRuleService;
  notices: NoticeService;
}
