// The composition root: what is built from what.
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import type { Config } from './config.ts';
import { createCache } from './infra/cache.ts';
import type { ChangeFeed } from './infra/change-feed.ts';
import type { Clock } from './infra/clock.ts';
import { chance, newId, newTraceId, random16, randomCode, randomHex, randomToken } from './infra/ids.ts';
import type { Logger } from './infra/logger.ts';
import { createMailDelivery, MAIL_TOPIC, NO_ORGANIZATION } from './infra/mail-delivery.ts';
import { createMailer } from './infra/mailer.ts';
import type { Metrics } from './infra/metrics.ts';
import { createOutboxWorker } from './infra/outbox.ts';
import { createOutboxWriter } from './infra/outbox-writer.ts';
import { createPasswords } from './infra/passwords.ts';
import type { Secrets } from './infra/secrets.ts';
import { createSessionTokens, createTempTokens } from './infra/tokens.ts';
import { createTotp } from './infra/totp.ts';
import { createTransactions } from './infra/transaction.ts';
import { createVault } from './infra/vault.ts';
import { consumersOf } from './jobs.ts';
import { AUDIT, DECISIONS } from './ledger/chains.ts';
import { createConsumers } from './ledger/consumers.ts';
import type { Position } from './ledger/entry.ts';
import { objectId } from './ledger/ledger.model.ts';
import { openChain } from './ledger/open-chain.ts';
import type { Probe } from './ledger/probe.ts';
import { createProofs } from './ledger/proof-thread.ts';
import { systemTimer } from './ledger/timer.ts';
import { createLedgerUpkeep } from './ledger/upkeep.ts';
import type { Models } from './models.ts';
import { createAgentHistoryService } from './resources/agents/agent-history.service.ts';
import { createAgentService, type KnownAgent } from './resources/agents/agents.service.ts';
import { createMlBomService } from './resources/agents/ml-bom.service.ts';
import { createOnboardingService } from './resources/agents/onboarding.service.ts';
import { createAuditService } from './resources/audit/audit.service.ts';
import { createInvitedService } from './resources/auth/invited.service.ts';
import { createKeyService, hashKey, type KeyIdentity } from './resources/auth/keys.service.ts';
import { createCredentialService } from './resources/auth/credentials.service.ts';
import { createLinkService } from './resources/auth/links.service.ts';
import { createLocalService } from './resources/auth/local.service.ts';
import { createMfaService } from './resources/auth/mfa.service.ts';
import { createOneTimeTokenService } from './resources/auth/one-time-tokens.service.ts';
import { createProfileService } from './resources/auth/profile.service.ts';
import { createSessionService } from './resources/auth/sessions.service.ts';
import { createSignInFailures } from './resources/auth/sign-in-failures.service.ts';
import { createStreamTokenService } from './resources/auth/stream-tokens.service.ts';
import { createBundleService } from './resources/hash-chain/bundles.service.ts';
import { createHashChainService } from './resources/hash-chain/hash-chain.service.ts';
import { createReadiness } from './resources/health/readiness.service.ts';
import { createMembershipService } from './resources/organization/memberships.service.ts';
import { createOrganizationDeletionService } from './resources/organization/organization-deletion.service.ts';
import { createOrganizationService, type OrganizationContext } from './resources/organization/organization.service.ts';
import { createWorkspaceService } from './resources/organization/workspaces.service.ts';
import { createLastOwner } from './resources/organization/last-owner.service.ts';
import { createAccountService } from './resources/scim/accounts.service.ts';
import { createDiscoveryService } from './resources/scim/discovery.service.ts';
import { createScimGroupService } from './resources/scim/groups.service.ts';
import { createPeopleService } from './resources/scim/people.service.ts';
import { createSearchService } from './resources/scim/searches.service.ts';
import { createScimUserService } from './resources/scim/users.service.ts';
import { createScimTokenService } from './resources/scim/scim-tokens.service.ts';
import { createPolicySetService } from './resources/policies/policy-sets.service.ts';
import { createPolicyService } from './resources/policies/policies.service.ts';
import { hardLimit } from './domain/plans.ts';
import type { PolicySet } from './domain/policies/compile.ts';
import { createAcceptanceService } from './resources/team/acceptance.service.ts';
import { createInvitationService } from './resources/team/invitations.service.ts';
import { createMemberService } from './resources/team/members.service.ts';
import { createBulkService } from './resources/traces/bulk.service.ts';
import { createIngestionService } from './resources/traces/ingestion.service.ts';
import { createScrubbers } from './resources/traces/scrubbers.ts';
import { createTraceCounts } from './resources/traces/trace-counts.ts';
import { createTraceService } from './resources/traces/traces.service.ts';

/** A database that does not answer a ping in this time is not ready. */
const PING_MS = 2000;

/** The outside world of one instance. */
export interface World {
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
  /** Reached at every named step of ingestion; for fault tests. */
  probe?: Probe;
}

/** Every service of one instance. */
export function createServices(world: World) {
  const { config, secrets, connection, models, clock, feed, metrics, logger } = world;
  const { transaction, onCommit } = createTransactions(connection);
  const onQuarantine = (organizationId: string, missing: Position): void =>
    logger.fatal({ organizationId, missing }, 'a chain does not reach a head it once had: quarantined');
  const chainWorld = {
    connection,
    clock,
    newId,
    ready: world.clockAgrees,
    queueLimit: config.ASSAY_QUEUE_LIMIT,
    onQuarantine,
  };
  const probe = world.probe && { probe: world.probe };
  const onSealed = (organizationId: string): void => {
    consumers.wake(organizationId);
    hashChain.headMoved(organizationId);
  };
  const decisions = openChain(DECISIONS, { ...chainWorld, ...probe, onSealed });
  const audits = openChain(AUDIT, { ...chainWorld, onSealed: () => undefined });
  const outbox = createOutboxWriter({ rows: models.outbox, clock });
  const consumers = createConsumers({
    ...{
      connection,
      clock,
      chain: DECISIONS,
      cursors: models.cursors,
      parked: models.parked,
      timer: systemTimer,
      ...probe,
    },
    consumers: consumersOf({ models, outbox, fold: decisions.fold }),
    onError: (consumer, organizationId, error) =>
      logger.warn({ consumer, organizationId, err: error }, 'a consumer failed and tries again'),
    onParked: (consumer, organizationId, sequence) =>
      logger.error({ consumer, organizationId, sequence }, 'a consumer went on without an entry'),
  });
  const passwords = createPasswords(config.ASSAY_PASSWORD_CONCURRENCY);
  const signing = { secret: secrets.jwt, formerSecrets: secrets.formerJwt, clock };
  const tempTokens = createTempTokens(signing);
  const vault = createVault({ key: secrets.encryptionKey, formerKeys: secrets.formerEncryption });

  const proofs = createProofs({ uri: world.mongoUri, database: connection.name });
  const audit = createAuditService({
    models,
    chain: audits.appender,
    proofs,
    emptyEntries: audits.emptyEntries,
    clock,
    newId,
    random16,
    log: logger,
  });
  const contexts = createCache<OrganizationContext>({ feed, collections: ['organizations'], max: 10_000 });
  const organizations = createOrganizationService({
    models,
    contexts,
    openLedger: (organizationId) => consumers.cursorsFor(organizationId, 0),
    newId,
    onCommit,
    defaultPlan: config.DEFAULT_PLAN,
  });
  const memberships = createMembershipService({ models });
  const knownWorkspaces = createCache<true>({ feed, collections: ['workspaces'], max: 10_000 });
  const workspaces = createWorkspaceService({ models, known: knownWorkspaces });
  const oneTimeTokens = createOneTimeTokenService({ models, clock, randomToken });
  const sessions = createSessionService({
    models,
    tokens: createSessionTokens(signing),
    tempTokens,
    oneTimeTokens,
    organizations,
    audit,
    clock,
    newJti: randomToken,
    systemOwners: config.SYSTEM_OWNERS,
  });
  const failures = createSignInFailures({ sessions, audit, log: logger });
  const credentials = createCredentialService({ models, sessions, oneTimeTokens, clock });
  const publicUrl = (config.ASSAY_PUBLIC_URL ?? `http://${config.ASSAY_HOST}:${config.PORT}`).replace(/\/$/, '');
  const doors = { models, sessions, failures, credentials, oneTimeTokens, passwords, clock, transaction };
  const local = createLocalService({ ...doors, organizations, newId, registration: config.REGISTRATION });
  const links = createLinkService({
    ...doors,
    queueMail: (payload) => outbox.queue({ organizationId: NO_ORGANIZATION, topic: MAIL_TOPIC, payload }),
    publicUrl,
  });
  const mfa = createMfaService({ ...doors, tempTokens, vault, totp: createTotp(clock), randomCode });
  const streamTokens = createStreamTokenService({ sessions, oneTimeTokens, clock });
  const profile = createProfileService({ models, audit, clock });
  const identities = createCache<KeyIdentity>({ feed, collections: ['workspace_keys', 'agents'], max: 50_000 });
  const keys = createKeyService({ models, organizations, identities, clock, randomHex, onCommit });
  const scimTokens = createScimTokenService({ models, organizations, randomHex, hashKey });
  const baseUrl = `${(config.ASSAY_PUBLIC_URL ?? '').replace(/\/$/, '')}/scim/v2`;
  const lastOwner = createLastOwner({ models });
  const people = createPeopleService({ models, baseUrl });
  const accounts = createAccountService({ models, newId });
  const scimUsers = createScimUserService({ models, people, accounts, sessions, lastOwner });
  const scimGroups = createScimGroupService({ models, people, lastOwner, baseUrl });
  const scimSearches = createSearchService({ people, groups: scimGroups });
  const scimDiscovery = createDiscoveryService({ baseUrl });
  const knownAgents = createCache<KnownAgent[]>({ feed, collections: ['agents'], max: 50_000 });
  const onAgentsChanged = (organizationId: string): void =>
    onCommit(() => [identities, knownAgents].forEach((cache) => cache.invalidate(organizationId)));
  const agents = createAgentService({ models, known: knownAgents, clock, randomHex, hashKey, onAgentsChanged });
  const onboarding = createOnboardingService({ agents });
  const mlBoms = createMlBomService({ agents, clock });
  const knownPolicySets = createCache<PolicySet>({ feed, collections: ['policies'], max: 2000 });
  const policySets = createPolicySetService({ models, sets: knownPolicySets });
  const policies = createPolicyService({ models, policySets, clock, onCommit });
  const ledger = decisions.appender;
  const agentHistory = createAgentHistoryService({ models, clock });
  const scrubbers = createScrubbers();
  const ingestion = createIngestionService({
    ledger,
    agents,
    agentHistory,
    policySets,
    organizations,
    scrubbers,
    clock,
    random16,
    newTraceId: () => newTraceId(clock),
    newReviewId: () => objectId(newId()),
    ledgerKey: secrets.ledgerKey,
    monthlyLimit: (plan) => (hardLimit(plan) === null ? null : config.ASSAY_LIMIT_SANDBOX),
    onIngested: (status) => metrics.decisions.inc({ status }),
  });
  const counts = createTraceCounts({ models, ledger });
  const traces = createTraceService({ models, counts, agents, organizations, scrubbers });
  const bulk = createBulkService({ models, laterFacts: decisions.laterFacts });
  const hashChain = createHashChainService({ models, ledger, proofs, clock, log: logger });
  const bundles = createBundleService({ models, proofs, audit, clock });
  const caches = [contexts, knownWorkspaces, identities, knownAgents, knownPolicySets];
  const organizationDeletion = createOrganizationDeletionService({
    models,
    memberships,
    bulk,
    audit,
    clock,
    onCommit,
    forget: (organizationId) => caches.forEach((cache) => cache.invalidate(organizationId)),
  });
  const members = createMemberService({ models, memberships });
  const invitations = createInvitationService({
    models,
    memberships,
    clock,
    newId,
    tokenKey: secrets.ledgerKey,
    publicUrl,
    queueMail: (organizationId, payload) => outbox.queue({ organizationId, topic: MAIL_TOPIC, payload }),
  });
  const acceptance = createAcceptanceService({
    ...{ models, invitations, memberships, sessions, transaction },
    invited: createInvitedService({ models, passwords, failures, clock }),
  });

  const mailer = createMailer({
    smtpUrl: config.SMTP_URL,
    from: config.ASSAY_MAIL_FROM,
    folder: join(config.ASSAY_DATA_DIR, 'mail'),
    log: logger,
  });
  const outboxWorker = createOutboxWorker({
    rows: models.outbox,
    deliverers: { [MAIL_TOPIC]: createMailDelivery(mailer, { ...links.mails, ...invitations.mails }) },
    clock,
    chance,
    log: logger,
  });

  const quarantined = (): string[] => [...decisions.heads.quarantined(), ...audits.heads.quarantined()];
  const ping = async (): Promise<void> => {
    await connection.getClient().db(connection.name).command({ ping: 1 }, { timeoutMS: PING_MS });
  };
  const readiness = createReadiness({ ping, clockAgrees: world.clockAgrees, quarantined });

  return {
    ...{
      transaction,
      passwords,
      readiness,
      audit,
      organizations,
      organizationDeletion,
      members,
      invitations,
      acceptance,
      workspaces,
      sessions,
      local,
      failures,
      links,
      mfa,
      streamTokens,
      profile,
      keys,
      scimTokens,
      scimUsers,
      scimGroups,
      scimSearches,
      scimDiscovery,
      agents,
      onboarding,
      mlBoms,
      policies,
      policySets,
      ingestion,
      traces,
      bulk,
      hashChain,
      bundles,
      consumers,
      outboxWorker,
      ledgerUpkeep: createLedgerUpkeep({ connection, clock, chains: [DECISIONS, AUDIT] }),
    },
    /** Brings the gauges of /metrics up to date. */
    async observe(): Promise<void> {
      metrics.quarantined.set(quarantined().length);
      for (const [consumer, lag] of Object.entries(consumers.lag())) metrics.consumerLag.set({ consumer }, lag);
      for (const [status, rows] of Object.entries(await outboxWorker.backlog())) metrics.outbox.set({ status }, rows);
    },
    /** Refuses further appends and resolves when everything accepted is durable. */
    async close(): Promise<void> {
      await failures.settle();
      mailer.close();
      await ledger.close();
      await consumers.stop();
      await audits.appender.close();
      await proofs.close();
    },
  };
}
export type Services = ReturnType<typeof createServices>;
