// The interface of what every service stands on: database, chains, caches, time, chance, secrets, mail and outbound calls.
import type { Connection } from 'mongoose';
import type { Config } from '../config/config.ts';
import type { RedirectAllowList } from '../domain/identity/redirect-allow-list.ts';
import type { Contents } from '../ledger/contents/contents.ts';
import type { LedgerMaintenance } from '../ledger/maintenance.ts';
import type { OpenChain } from '../ledger/open-chain.ts';
import type { Probe } from '../ledger/probe.ts';
import type { VerificationWorker } from '../ledger/verify/verification-worker.ts';
import type { AuditEntryDocument, Models, TraceDocument } from '../models.ts';
import type { Clock } from './clock.ts';
import type { Instances } from './jobs/instances.ts';
import type { RestingJob } from './jobs/job-calls.ts';
import type { KeyStore } from './key-store/key-store.ts';
import type { Epochs } from './key-store/epochs/epochs.ts';
import type { Mailer } from './mail/mailer.ts';
import type { OpenActiveSettings } from './mongo/active-settings.ts';
import type { Caches } from './mongo/caches.ts';
import type { OrganizationSignals } from './mongo/organization-signals.ts';
import type { Transactions } from './mongo/transaction.ts';
import type { Logger } from './observability/logger.ts';
import type { Metrics } from './observability/metrics.ts';
import type { Dns } from './outbound/dns.ts';
import type { Receivers } from './outbound/receivers.ts';
import type { SafeHttp } from './outbound/safe-http.ts';
import type { OutboxWriter } from './outbox/outbox-writer.ts';
import type { PdfRenderer } from './pdf/pdf-renderer.ts';
import type { CallerContext } from './waiting-caller.ts';
import type { Passwords } from './secrets/passwords.ts';
import type { Secrets } from './secrets/secrets.ts';
import type { SessionTokens, TempTokens } from './secrets/tokens.ts';
import type { Totp } from './secrets/totp.ts';
import type { Vault } from './secrets/vault.ts';
import type { Shared } from './shared/shared.ts';
import type { DatabaseAccess } from './threads/thread-database.ts';
import type { Threads } from './threads/threads.ts';

/** The platform of one instance. A service names the members that it uses: `Pick<Platform, 'models' | 'clock'>`. */
export interface Platform extends Transactions {
  /** The validated configuration. */
  config: Config;
  /** URL of this service for callers and browsers, without a trailing slash. */
  publicUrl: string;
  /** URLs that a browser may return to after a sign-on; the first is the default. */
  redirectAllowList: RedirectAllowList;
  /** The worker threads of this instance. */
  threads: Threads;

  /** The connection to the database. */
  connection: Connection;
  /** Access to the database and the key store for worker threads, which open them themselves. */
  databaseAccess: DatabaseAccess;
  /** The models of all collections. */
  models: Models;
  /** Caches that all drop the entries of a deleted organisation. */
  caches: Caches;
  /** Opens cached settings of organisations, such as webhooks and rules. */
  activeSettings: OpenActiveSettings;
  /** Signals all instances that decisions of an organisation were amended. */
  signals: OrganizationSignals;
  /** Resolves when the database answers. */
  checkDatabase(): Promise<void>;

  /** The chain of decisions. */
  ledger: OpenChain<TraceDocument>;
  /** The chain of audit entries. */
  auditChain: OpenChain<AuditEntryDocument>;
  /** Encrypts and decrypts what decisions say. */
  contents: Contents;
  /** The keys of all contents. */
  keyStore: KeyStore;
  /** The epochs of the key store. */
  epochs: Epochs;
  /** Verifies and exports chains off the event loop. */
  verificationWorker: VerificationWorker;
  /** Timed maintenance of both chains. */
  ledgerMaintenance: LedgerMaintenance;
  /** Whether the clock agrees with the database's; while it does not, nothing is sealed. */
  clockAgrees: () => boolean;
  /** Lists organisations with a quarantined chain, to which nothing may be appended. */
  quarantined(): string[];
  /** Lists organisations with a chain whose newest entry is dated ahead of the clock. */
  datedAhead(): string[];

  /** The current time. */
  clock: Clock;
  /** 16 random bytes, which the caller may keep but not change. */
  draw16Bytes(): Buffer;
  /** A random number from 0 to 1 for the jitter of retries; not for secrets. */
  drawFraction(): number;
  /** `bytes` random bytes as lowercase hex digits. */
  generateHex(bytes: number): string;
  /** 32 random bytes as 43 base64url characters: tokens and secrets. */
  generateToken(): string;
  /** A code of 50 random bits for people to type. */
  generateCode(): string;
  /** A database id as 24 hex digits. */
  generateId(): string;
  /** The public id of a decision: sortable by time, not guessable. */
  newTraceId(): string;
  /** Identifies a request in logs and responses: 24 random hex digits. */
  generateRequestId(): string;

  /** HTTP client for addresses that users configure: private networks are refused. */
  http: SafeHttp;
  /** HTTP client for the payment processor: may call its configured address, which users may not name. */
  paymentHttp: SafeHttp;
  /** Fetch function for identity providers of the installation. */
  fetch: typeof fetch;
  /** Posts messages to the receivers that users configure. */
  receivers: Receivers;
  /** DNS look-ups with a timeout. */
  dns: Dns;
  /** Sends mails at once. */
  mailer: Mailer;
  /** Writes rows of what leaves the process, in the transaction of its cause. */
  outbox: OutboxWriter;
  /** Queues mails in the current transaction; they are rendered when sent. Null: they concern no organisation. */
  queueMail(
    organizationId: string | null,
    ...payloads: readonly Record<string, unknown>[]
  ): Promise<void>;
  /** Queues a row that belongs to no organisation, and so outlives each, in the current transaction. */
  queueForNone(topic: string, payload: Record<string, unknown>): Promise<void>;

  /** The secrets of the installation. */
  secrets: Secrets;
  /** Hashes and checks passwords, a few at a time. */
  passwords: Passwords;
  /** Encrypts stored secrets. */
  vault: Vault;
  /** One-time codes of authenticator apps. */
  totp: Totp;
  /** Signs and reads session tokens. */
  sessionTokens: SessionTokens;
  /** Signs and reads the tokens between the two steps of a sign-in. */
  tempTokens: TempTokens;

  /** Logger of this instance. */
  logger: Logger;
  /** Metrics of this instance. */
  metrics: Metrics;
  /** State that the workers of one port share. */
  shared: Shared;
  /** Which instances are alive. */
  instances: Instances;
  /** Whether the caller of the current request still waits. */
  callerContext: CallerContext;
  /** Renders PDFs in threads. */
  pdf: PdfRenderer;
  /** Wakes an idle job because it has work. */
  wakeJob: (job: RestingJob) => void;
  /** Called at every named step of the ledger; for fault tests. */
  probe?: Probe | undefined;
  /** Replaces the check whether an organisation has subscribers of its decisions; for tests. */
  subscribesToEvents?: ((organizationId: string) => Promise<boolean>) | undefined;
  /** Replaces the performance index of an organisation; for tests. */
  cpiIndexOf?: ((organizationId: string) => Promise<number | null>) | undefined;
}
