// Creates the platform of all services: transactions, both chains, caches, secrets, mail, outbox and outbound calls.
import { join } from 'node:path';
import { CONSOLE_SIGNED_ON_PATH, SIGNED_ON_PATH } from '../domain/identity/redirect-allow-list.ts';
import { extendAllowed } from '../domain/outbound/ssrf.ts';
import { AUDIT, DECISIONS } from '../ledger/chains.ts';
import type { Position } from '../ledger/entry.ts';
import { createContents } from '../ledger/contents/contents.ts';
import { createLedgerMaintenance } from '../ledger/maintenance.ts';
import { createSessionKeys } from '../domain/halt/session-key.ts';
import { openChain } from '../ledger/open-chain.ts';
import { createVerificationWorker } from '../ledger/verify/verification-worker.ts';
import * as ids from '../platform/ids.ts';
import { createMailRow, MAIL_TOPIC } from '../domain/events/mail-row.ts';
import { NO_ORGANIZATION } from '../platform/outbox/no-organization.ts';
import { createMailer } from '../platform/mail/mailer.ts';
import { createActiveSettings } from '../platform/mongo/active-settings.ts';
import { createCaches } from '../platform/mongo/caches.ts';
import { createOrganizationSignals } from '../platform/mongo/organization-signals.ts';
import type { ChangeFeed } from '../platform/mongo/change-feed.ts';
import { createTransactions } from '../platform/mongo/transaction.ts';
import { createDns } from '../platform/outbound/dns.ts';
import { createReceivers } from '../platform/outbound/receivers.ts';
import { createSafeHttp } from '../platform/outbound/safe-http.ts';
import { createOutboxWriter } from '../platform/outbox/outbox-writer.ts';
import { findOrganizationPlan } from '../identity/organization/organization-facts.service.ts';
import { createPdfRenderer } from '../platform/pdf/pdf-renderer.ts';
import type { Platform } from '../platform/platform.ts';
import {
  createPasswords,
  type PasswordCost,
  createPasswordQueue,
} from '../platform/secrets/passwords.ts';
import { createCallerContext } from '../platform/waiting-caller.ts';
import { createSessionTokens, createTempTokens } from '../platform/secrets/tokens.ts';
import { createTotp } from '../platform/secrets/totp.ts';
import { createVault } from '../platform/secrets/vault.ts';
import { auditColumns } from '../identity/audit/audit.columns.ts';
import { traceColumns } from '../decisions/traces/traces.columns.ts';
import { EVENT_TOPIC } from '../domain/events/events.ts';
import { INTERNAL, MAIL, type OutboxPool, RECEIVERS } from '../platform/outbox/pools.ts';
import { ATTESTATION_TOPIC } from '../evidence/hash-chain/attestation-topic.ts';
import { HALT_TOPIC } from '../governance/halts/halt-topic.ts';

/** The pools that deliver the rows of a topic. */
const POOLS: Readonly<Record<string, OutboxPool>> = {
  [ATTESTATION_TOPIC]: INTERNAL,
  [EVENT_TOPIC]: INTERNAL,
  [HALT_TOPIC]: INTERNAL,
  [MAIL_TOPIC]: MAIL,
};

/** Finds the pool; topics that are not listed wait for servers outside the installation. */
export const findPool = (topic: string): OutboxPool => POOLS[topic] ?? RECEIVERS;

/** Bounds of a call to an address that a user configured. */
const OUTBOUND = { timeoutMs: 10_000, maxBytes: 1 << 20 };
/** Bytes of a receiver's response that are read, so that its connection can be reused; only its status matters. */
const RECEIVED_BYTES = 16 * 1024;
/** A receiver that recently timed out gets the timeout divided by this. */
const SUSPECT_PART = 3;
/** Timeout of one DNS look-up. */
const DNS_TIMEOUT_MS = 5000;
/** A database that does not answer a ping in this time is not ready. */
const PING_TIMEOUT_MS = 2000;

/** The members that an instance brings along. */
type Given = Pick<
  Platform,
  | 'config'
  | 'secrets'
  | 'databaseAccess'
  | 'connection'
  | 'models'
  | 'clock'
  | 'keyStore'
  | 'epochs'
  | 'instances'
  | 'metrics'
  | 'shared'
  | 'logger'
  | 'wakeJob'
  | 'clockAgrees'
  | 'fetch'
  | 'threads'
  | 'probe'
  | 'subscribesToEvents'
  | 'cpiIndexOf'
>;

/** The outside world of one instance. */
export interface PlatformDeps extends Given {
  feed: ChangeFeed;
  /** The cost of password hashes, lower in tests; unset: as recommended. */
  passwordCost?: PasswordCost | undefined;
}

/** Dependencies that both chains share. */
function createChainDeps({ config, connection, clock, logger, clockAgrees }: PlatformDeps) {
  return {
    connection,
    clock,
    generateId: ids.generateId,
    ready: clockAgrees,
    queueLimit: config.ASSAY_QUEUE_LIMIT,
    onQuarantine: (organizationId: string, missing: Position): void =>
      logger.fatal(
        { organizationId, missing },
        'a chain does not reach a head it once had: quarantined',
      ),
    onDatedAhead: (organizationId: string, createdAt: Date): void =>
      logger.error(
        { organizationId, createdAt },
        'the newest entry of a chain is dated ahead: so is all that follows, until then',
      ),
  };
}

const KEYS_MISSING =
  'the keys of an organisation are missing: what it has decided so far cannot be read any more';

export function createPlatform(deps: PlatformDeps): Platform {
  const { config, secrets, connection, models, clock, logger } = deps;
  const { transaction, onCommit } = createTransactions(connection);
  const chainDeps = createChainDeps(deps);
  const contents = createContents(deps.keyStore, (organizationId) =>
    logger.error({ organizationId }, KEYS_MISSING),
  );
  const signals = createOrganizationSignals({
    signals: models.organizationSignals,
    feed: deps.feed,
    clock,
    logger,
  });
  const ledger = openChain(DECISIONS, {
    ...chainDeps,
    onAmended: signals.send,
    readSessionKey: createSessionKeys(secrets.ledgerKey),
    contents,
    columns: traceColumns,
    keyLeases: deps.shared.keyLeases,
    ...(deps.probe && { probe: deps.probe }),
  });
  const auditChain = openChain(AUDIT, { ...chainDeps, columns: auditColumns });
  const verificationWorker = createVerificationWorker({
    threads: deps.threads,
    databaseAccess: deps.databaseAccess,
    threadCount: deps.shared.spareCores,
  });
  const outbox = createOutboxWriter({
    rows: models.outbox,
    clock,
    onWritten: (topics) =>
      onCommit(() => topics.forEach((topic) => deps.wakeJob(findPool(topic).job))),
  });
  const mailer = createMailer({
    smtpUrl: config.SMTP_URL,
    from: config.ASSAY_MAIL_FROM,
    folder: join(config.ASSAY_DATA_DIR, 'mail'),
    log: logger,
    clock,
  });
  const { ASSAY_DNS_SERVERS: dnsServers } = config;
  const outbound = { ...OUTBOUND, dnsServers };
  const http = createSafeHttp({ ...outbound, allow: config.ASSAY_OUTBOUND_ALLOW });
  const paymentHttp =
    config.STRIPE_API_URL === undefined
      ? http
      : createSafeHttp({
          ...outbound,
          allow: extendAllowed(config.ASSAY_OUTBOUND_ALLOW, config.STRIPE_API_URL),
        });
  const receivers = createReceivers({
    clock,
    suspectTimeoutMs: config.ASSAY_WEBHOOK_TIMEOUT_MS / SUSPECT_PART,
    http: createSafeHttp({
      allow: config.ASSAY_OUTBOUND_ALLOW,
      dnsServers,
      timeoutMs: config.ASSAY_WEBHOOK_TIMEOUT_MS,
      maxBytes: RECEIVED_BYTES,
      longBody: 'cut',
    }),
  });
  const signing = { secret: secrets.jwt, formerSecrets: secrets.formerJwt, clock };
  const publicUrl = (
    config.ASSAY_PUBLIC_URL ?? `http://${config.ASSAY_HOST}:${config.PORT}`
  ).replace(/\/$/, '');
  const [firstRedirect = publicUrl + SIGNED_ON_PATH, ...moreRedirects] = config.ASSAY_RETURN_URLS;
  const consoleRedirects =
    config.ASSAY_CONSOLE === 'on' ? [publicUrl + CONSOLE_SIGNED_ON_PATH] : [];
  const caches = createCaches(deps.feed);
  const callerContext = createCallerContext();
  const { shared, threads } = deps;
  const pdf = createPdfRenderer({ callerContext, shared, threads });
  const { isAbandoned, network } = callerContext;
  const passwordQueue = createPasswordQueue(config, { shared, isAbandoned, network });

  return {
    config,
    secrets,
    databaseAccess: deps.databaseAccess,
    connection,
    models,
    clock,
    keyStore: deps.keyStore,
    epochs: deps.epochs,
    instances: deps.instances,
    metrics: deps.metrics,
    shared,
    logger,
    wakeJob: deps.wakeJob,
    clockAgrees: deps.clockAgrees,
    fetch: deps.fetch,
    threads,
    probe: deps.probe,
    subscribesToEvents: deps.subscribesToEvents,
    cpiIndexOf: deps.cpiIndexOf,
    draw16Bytes: ids.draw16Bytes,
    drawFraction: ids.drawFraction,
    generateHex: ids.generateHex,
    generateToken: ids.generateToken,
    generateCode: ids.generateCode,
    generateId: ids.generateId,
    generateRequestId: ids.generateRequestId,
    newTraceId: () => ids.generateTraceId(clock),
    transaction,
    onCommit,
    contents,
    ledger,
    auditChain,
    verificationWorker,
    ledgerMaintenance: createLedgerMaintenance({ connection, clock, chains: [DECISIONS, AUDIT] }),
    caches,
    signals,
    activeSettings: createActiveSettings({
      caches,
      onCommit,
      loadPlan: (organizationId) => findOrganizationPlan({ models }, organizationId),
    }),
    outbox,
    pdf,
    mailer,
    http,
    paymentHttp,
    receivers,
    dns: createDns({ servers: dnsServers, timeoutMs: DNS_TIMEOUT_MS }),
    callerContext,
    passwords: createPasswords(passwordQueue, deps.passwordCost),
    vault: createVault({ key: secrets.encryptionKey, formerKeys: secrets.formerEncryption }),
    totp: createTotp(clock),
    sessionTokens: createSessionTokens(signing),
    tempTokens: createTempTokens(signing),
    publicUrl,
    redirectAllowList: [firstRedirect, ...moreRedirects, ...consoleRedirects],
    queueMail(organizationId, ...payloads) {
      return outbox.queue(
        ...payloads.map((payload) => createMailRow(organizationId ?? NO_ORGANIZATION, payload)),
      );
    },
    queueForNone(topic, payload) {
      return outbox.queue({ organizationId: NO_ORGANIZATION, topic, payload });
    },
    async checkDatabase() {
      const database = connection.getClient().db(connection.name);
      await database.command({ ping: 1 }, { timeoutMS: PING_TIMEOUT_MS });
    },
    quarantined: () => [...ledger.heads.listQuarantined(), ...auditChain.heads.listQuarantined()],
    datedAhead: () => [...ledger.heads.listFutureDated(), ...auditChain.heads.listFutureDated()],
  };
}
