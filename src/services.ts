// The services of one instance, by the names under which handlers and jobs are given them.
import type { Caller } from './domain/identity/tenant.ts';
import type { OutboxWorkers } from './platform/outbox/outbox-workers.ts';
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
import type { ActiveRuleService } from './events/alerts/active-rules.service.ts';
import type { AlertActions } from './events/alerts/alert-actions.service.ts';
import type { AlertService } from './events/alerts/alerts.service.ts';
import type { CpiAlerts } from './events/alerts/cpi-alerts.service.ts';
import type { AuditBundleService } from './evidence/audit-bundles/audit-bundles.service.ts';
import type { KeyRegistry } from './evidence/c2pa-kms/key-registry.service.ts';
import type { SignerService } from './evidence/c2pa-kms/signer.service.ts';
import type { EpochRollService } from './evidence/erasure/destruction/epoch-roll.service.ts';
import type { ErasureExecutionService } from './evidence/erasure/erasure-execution.service.ts';
import type { ErasureService } from './evidence/erasure/erasures.service.ts';
import type { BundleService } from './evidence/hash-chain/bundles.service.ts';
import type { ChainCheckService } from './evidence/hash-chain/chain-checks.service.ts';
import type { ChainReleaseService } from './evidence/hash-chain/chain-release.service.ts';
import type { ChainVerificationService } from './evidence/hash-chain/chain-verification.service.ts';
import type { HashChainService } from './evidence/hash-chain/hash-chain.service.ts';
import type { NoticeDigests } from './events/notifications/notices/notice-digests.service.ts';
import type { NoticeService } from './events/notifications/notices/notices.service.ts';
import type { NotificationService } from './events/notifications/notifications.service.ts';
import type { GraphService } from './evidence/provenance/graphs/graphs.service.ts';
import type { ManifestService } from './evidence/provenance/manifests/manifests.service.ts';
import type { VerificationService } from './evidence/provenance/manifests/verification.service.ts';
import type { ProvenanceSettingsService } from './evidence/provenance/settings/provenance-settings.service.ts';
import type { SubscriptionService } from './events/webhooks/subscriptions.service.ts';
import type { WebhookLog } from './events/webhooks/webhook-log.service.ts';
import type { WebhookSender } from './events/webhooks/webhook-sender.service.ts';
import type { WebhookService } from './events/webhooks/webhooks.service.ts';
import type { CosigningService } from './evidence/witness/cosigning/cosigning.service.ts';
import type { WitnessService } from './evidence/witness/witness.service.ts';

/** What handlers are given, grouped by resource. */
export interface Services {
  alerts: { rules: AlertService; actions: AlertActions; cpi: CpiAlerts };
  auditBundles: AuditBundleService;
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
  notifications: NotificationService;
  provenance: {
    keys: KeyRegistry;
    signer: SignerService;
    settings: ProvenanceSettingsService;
    manifests: ManifestService;
    verification: VerificationService;
    graphs: GraphService;
  };
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
  chainChecks: ChainCheckService;
  chainRelease: ChainReleaseService;
  logRelease: LogReleaseService;
  headsCheck: HeadsCheckService;
  epochRoll: EpochRollService;
  erasureExecution: ErasureExecutionService;
  treeHeadSigning: TreeHeadSigning;
  logStamps: LogStampService;
  logWitnesses: LogWitnessService;
  notices: NoticeService;
  noticeDigests: NoticeDigests;
  outboxWorkers: OutboxWorkers;
}

/** What the consumers of the ledger use. */
export interface Listeners {
  subscriptions: SubscriptionService;
  activeRules: ActiveRuleService;
  notices: NoticeService;
}
