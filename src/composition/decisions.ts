// The main job: agents, policies, decisions and their chain.
import { hardLimit } from '../domain/identity/plans.ts';
import type { PolicySet } from '../domain/policies/compile.ts';
import { createCache } from '../platform/mongo/cache.ts';
import { newId, newTraceId, random16, randomHex } from '../platform/ids.ts';
import { objectId } from '../ledger/ledger.model.ts';
import { createAgentHistoryService } from '../resources/agents/activity/agent-history.service.ts';
import { createAgentService, type KnownAgent } from '../resources/agents/agents.service.ts';
import { createMlBomService } from '../resources/agents/ml-bom/ml-bom.service.ts';
import { createOnboardingService } from '../resources/agents/onboarding/onboarding.service.ts';
import { hashKey } from '../resources/auth/keys/keys.service.ts';
import { createBundleService } from '../resources/hash-chain/bundles.service.ts';
import { createHashChainService } from '../resources/hash-chain/hash-chain.service.ts';
import { createPolicyService } from '../resources/policies/policies.service.ts';
import { createPolicySetService } from '../resources/policies/policy-sets.service.ts';
import { createBulkService } from '../resources/traces/bulk/bulk.service.ts';
import { createIngestionService } from '../resources/traces/ingestion/ingestion.service.ts';
import { createScrubbers } from '../resources/traces/ingestion/scrubbers.ts';
import { createTraceCounts } from '../resources/traces/trace-counts.ts';
import { createTraceService } from '../resources/traces/traces.service.ts';
import type { Platform } from './platform.ts';
import type { Identity } from './identity.ts';

export function createDecisions(platform: Platform, { organizations, keyIdentities }: Identity) {
  const { config, secrets, models, clock, feed, metrics, onCommit, verificationWorker, audit } =
    platform;
  const knownAgents = createCache<KnownAgent[]>({ feed, collections: ['agents'], max: 50_000 });
  const onAgentsChanged = (organizationId: string): void =>
    onCommit(() =>
      [keyIdentities, knownAgents].forEach((cache) => cache.invalidate(organizationId)),
    );
  const agents = createAgentService({
    models,
    known: knownAgents,
    clock,
    randomHex,
    hashKey,
    onAgentsChanged,
  });
  const agentHistory = createAgentHistoryService({ models, clock });
  const knownPolicySets = createCache<PolicySet>({ feed, collections: ['policies'], max: 2000 });
  const policySets = createPolicySetService({ models, sets: knownPolicySets });
  const ledger = platform.decisions.appender;
  const scrubbers = createScrubbers();
  const counts = createTraceCounts({ models, ledger });
  return {
    agents,
    policySets,
    onboarding: createOnboardingService({ agents }),
    mlBoms: createMlBomService({ agents, clock }),
    policies: createPolicyService({ models, policySets, clock, onCommit }),
    ingestion: createIngestionService({
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
    }),
    traces: createTraceService({ models, counts, agents, organizations, scrubbers }),
    bulk: createBulkService({ models, amendments: platform.decisions.amendments }),
    hashChain: createHashChainService({
      models,
      ledger,
      verificationWorker,
      clock,
      log: platform.logger,
    }),
    bundles: createBundleService({ models, verificationWorker, audit, clock }),
    decisionCaches: [knownAgents, knownPolicySets],
  };
}
