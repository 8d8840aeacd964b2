// The composition root: what is built from what, by theme.
import { chance } from '../platform/ids.ts';
import { createMailDelivery, MAIL_TOPIC } from '../platform/mail/mail-delivery.ts';
import { createOutboxWorker } from '../platform/outbox/outbox-worker.ts';
import { createReadiness } from '../resources/health/readiness.service.ts';
import { createOrganizationDeletionService } from '../resources/organization/deletion/organization-deletion.service.ts';
import { createDecisions } from './decisions.ts';
import { createDirectory } from './directory.ts';
import { createPlatform, type PlatformDeps } from './platform.ts';
import { createIdentity } from './identity.ts';
import { createSignOn } from './sign-on.ts';

/** A database that does not answer a ping in this time is not ready. */
const PING_MS = 2000;

/** Every service of one instance. */
export function createServices(deps: PlatformDeps) {
  const { connection, models, clock, metrics, logger } = deps;
  const platform = createPlatform(deps, (organizationId) =>
    decisions.hashChain.headMoved(organizationId),
  );
  const { audit, consumers, mailer, quarantined } = platform;
  const identity = createIdentity(platform);
  const directory = createDirectory(platform, identity);
  const signOn = createSignOn(platform, identity);
  const decisions = createDecisions(platform, identity);
  const caches = [...identity.identityCaches, ...decisions.decisionCaches];
  const organizationDeletion = createOrganizationDeletionService({
    models,
    audit,
    clock,
    onCommit: platform.onCommit,
    memberships: identity.memberships,
    bulk: decisions.bulk,
    forget: (organizationId) => caches.forEach((cache) => cache.invalidate(organizationId)),
  });
  const outboxWorker = createOutboxWorker({
    rows: models.outbox,
    clock,
    chance,
    log: logger,
    deliverers: {
      [MAIL_TOPIC]: createMailDelivery(mailer, {
        ...identity.links.mails,
        ...directory.invitations.mails,
      }),
    },
  });
  const ping = async (): Promise<void> => {
    await connection.getClient().db(connection.name).command({ ping: 1 }, { timeoutMS: PING_MS });
  };

  return {
    ...identity,
    ...directory,
    ...signOn,
    ...decisions,
    audit,
    consumers,
    organizationDeletion,
    outboxWorker,
    transaction: platform.transaction,
    passwords: platform.passwords,
    ledgerMaintenance: platform.ledgerMaintenance,
    readiness: createReadiness({ ping, clockAgrees: deps.clockAgrees, quarantined }),
    /** Brings the gauges of /metrics up to date. */
    async observe(): Promise<void> {
      metrics.quarantined.set(quarantined().length);
      for (const [consumer, lag] of Object.entries(consumers.lag()))
        metrics.consumerLag.set({ consumer }, lag);
      for (const [status, rows] of Object.entries(await outboxWorker.backlog()))
        metrics.outbox.set({ status }, rows);
    },
    /** Refuses further appends and resolves when everything accepted is durable. */
    async close(): Promise<void> {
      await identity.failures.settle();
      mailer.close();
      await platform.http.close();
      await platform.decisions.appender.close();
      await consumers.stop();
      await platform.audits.appender.close();
      await platform.verificationWorker.close();
      await signOn.samlReader.close();
    },
  };
}
export type Services = ReturnType<typeof createServices>;
