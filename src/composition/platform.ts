// What every service stands on: transactions, the two chains with their consumers, the audit log, the outbox, secrets.
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import type { Config } from '../config.ts';
import type { ChangeFeed } from '../platform/mongo/change-feed.ts';
import type { Clock } from '../platform/clock.ts';
import { newId, random16 } from '../platform/ids.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { MAIL_TOPIC } from '../platform/mail/mail-delivery.ts';
import { createMailer } from '../platform/mail/mailer.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { createOutboxWriter } from '../platform/outbox/outbox-writer.ts';
import { createPasswords } from '../platform/secrets/passwords.ts';
import { createSafeHttp } from '../platform/outbound/safe-http.ts';
import type { Secrets } from '../platform/secrets/secrets.ts';
import { createTransactions } from '../platform/mongo/transaction.ts';
import { createVault } from '../platform/secrets/vault.ts';
import { consumersOf } from '../jobs.ts';
import { AUDIT, DECISIONS } from '../ledger/chains.ts';
import { createConsumers } from '../ledger/follow/consumers.ts';
import type { Position } from '../ledger/entry.ts';
import { openChain } from '../ledger/open-chain.ts';
import type { Probe } from '../ledger/probe.ts';
import { createVerificationWorker } from '../ledger/verify/verification-worker.ts';
import { systemTimer } from '../ledger/timer.ts';
import { createLedgerMaintenance } from '../ledger/maintenance.ts';
import type { RedirectAllowList } from '../domain/identity/redirect-allow-list.ts';
import type { Models } from '../models.ts';
import { createAuditService } from '../resources/audit/audit.service.ts';

/** Calls to addresses that users name. */
const OUTBOUND = { timeoutMs: 10_000, maxBytes: 1 << 20 };

/** The outside deps of one instance. */
export interface PlatformDeps {
  config: Config;
  secrets: Secrets;
  mongoUri: string;
  connection: Connection;
  models: Models;
  clock: Clock;
  feed: ChangeFeed;
  metrics: Metrics;
  logger: Logger;
  /** False while nothing may be sealed. */
  clockAgrees: () => boolean;
  /** How the identity providers of the installation are reached. */
  fetch: typeof fetch;
  /** Reached at every named step of ingestion; for fault tests. */
  probe?: Probe;
}

/** `onSealed` is told after every batch on an organisation's decision chain. */
export function createPlatform(deps: PlatformDeps, onSealed: (organizationId: string) => void) {
  const { config, secrets, connection, models, clock, logger } = deps;
  const { transaction, onCommit } = createTransactions(connection);
  const onQuarantine = (organizationId: string, missing: Position): void =>
    logger.fatal(
      { organizationId, missing },
      'a chain does not reach a head it once had: quarantined',
    );
  const chainDeps = {
    connection,
    clock,
    newId,
    ready: deps.clockAgrees,
    queueLimit: config.ASSAY_QUEUE_LIMIT,
    onQuarantine,
  };
  const probe = deps.probe && { probe: deps.probe };
  const sealed = (organizationId: string): void => {
    consumers.wake(organizationId);
    onSealed(organizationId);
  };
  const decisions = openChain(DECISIONS, { ...chainDeps, ...probe, onSealed: sealed });
  const audits = openChain(AUDIT, { ...chainDeps, onSealed: () => undefined });
  const outbox = createOutboxWriter({ rows: models.outbox, clock });
  const consumers = createConsumers({
    connection,
    clock,
    chain: DECISIONS,
    cursors: models.cursors,
    parked: models.parked,
    timer: systemTimer,
    ...probe,
    consumers: consumersOf({ models, outbox, fold: decisions.fold }),
    onError: (consumer, organizationId, error) =>
      logger.warn({ consumer, organizationId, err: error }, 'a consumer failed and tries again'),
    onParked: (consumer, organizationId, sequence) =>
      logger.error({ consumer, organizationId, sequence }, 'a consumer went on without an entry'),
  });
  const verificationWorker = createVerificationWorker({
    uri: deps.mongoUri,
    database: connection.name,
  });
  const audit = createAuditService({
    models,
    verificationWorker,
    clock,
    newId,
    random16,
    log: logger,
    chain: audits.appender,
    emptyEntries: audits.emptyEntries,
  });
  const mailer = createMailer({
    smtpUrl: config.SMTP_URL,
    from: config.ASSAY_MAIL_FROM,
    folder: join(config.ASSAY_DATA_DIR, 'mail'),
    log: logger,
  });
  const publicUrl = (
    config.ASSAY_PUBLIC_URL ?? `http://${config.ASSAY_HOST}:${config.PORT}`
  ).replace(/\/$/, '');
  const [firstReturn = `${publicUrl}/`, ...moreReturns] = config.ASSAY_RETURN_URLS;
  return {
    ...deps,
    transaction,
    onCommit,
    decisions,
    audits,
    outbox,
    consumers,
    verificationWorker,
    audit,
    mailer,
    http: createSafeHttp({ ...OUTBOUND, allow: config.ASSAY_OUTBOUND_ALLOW }),
    passwords: createPasswords(config.ASSAY_PASSWORD_CONCURRENCY),
    vault: createVault({ key: secrets.encryptionKey, formerKeys: secrets.formerEncryption }),
    ledgerMaintenance: createLedgerMaintenance({ connection, clock, chains: [DECISIONS, AUDIT] }),
    /** Where callers and browsers reach this service, without a slash at the end. */
    publicUrl,
    /** Where browsers may return to after a sign-on. */
    returnAddresses: [firstReturn, ...moreReturns] satisfies RedirectAllowList,
    /** Writes an outbox row; the mail is made when it is sent. */
    queueMail: (organizationId: string, payload: Record<string, unknown>): Promise<void> =>
      outbox.queue({ organizationId, topic: MAIL_TOPIC, payload }),
    quarantined: (): string[] => [...decisions.heads.quarantined(), ...audits.heads.quarantined()],
  };
}
export type Platform = ReturnType<typeof createPlatform>;
