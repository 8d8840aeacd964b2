// Creates the services of the main job: agents, policies, decisions and their chain.
import { createAgentActivityService } from '../identity/agents/activity/agent-activity.service.ts';
import { createAgentHistoryService } from '../identity/agents/activity/agent-history.service.ts';
import { createAgentResolver } from '../identity/agents/agent-resolver.service.ts';
import { createAgentService } from '../identity/agents/agents.service.ts';
import { createMlBomService } from '../identity/agents/ml-bom/ml-bom.service.ts';
import type { ExchangeTokenService } from '../identity/agents/trusts/exchange.service.ts';
import { createOnboardingService } from '../identity/agents/onboarding/onboarding.service.ts';
import type { Consumers } from '../ledger/follow/consumers.ts';
import type { AuditService } from '../identity/audit/audit.service.ts';
import { createBundleService } from '../evidence/hash-chain/bundles.service.ts';
import { createChainVerificationService } from '../evidence/hash-chain/chain-verification.service.ts';
import { createHashChainService } from '../evidence/hash-chain/hash-chain.service.ts';
import { createComplianceReportService } from '../governance/compliance/compliance-report.service.ts';
import { countIncidents } from '../governance/incidents/incident-counts.service.ts';
import { createEntryStatementService } from '../evidence/log/tree/entry-statements.service.ts';
import { provideNeighbours } from '../policies/neighbours.ts';
import { loadPolicySet } from '../policies/policy-sets.service.ts';
import type { UsedMessageService } from '../identity/sign-on/login/used-messages.service.ts';
import {
  countNamedVerdicts,
  findLastDecisionTime,
  listUnregisteredAgents,
} from '../decisions/traces/decision-lookup.service.ts';
import { openReviewWaiting } from '../decisions/traces/review/callers/review-waiting.service.ts';
import { openEffectSecrets } from '../decisions/traces/executions/effect-secrets.ts';
import { provideTraceNeighbours } from '../decisions/traces/neighbours.service.ts';
import { createPermissionService } from '../decisions/traces/permissions/permissions.service.ts';
import type { Listeners } from '../services.ts';
import type { Identity } from './identity.ts';
import type { Platform } from '../platform/platform.ts';
import type { Signing } from './evidence.ts';
import type { Logs } from './logs.ts';
import { answerMcp } from '../platform/mcp/mcp-endpoint.ts';
import { createChainSegmentService } from '../evidence/hash-chain/segments.service.ts';
import { createBridgeService } from '../governance/mcp-server/bridge.service.ts';
import { createMcpService } from '../governance/mcp-server/mcp.service.ts';

interface Deps {
  audit: AuditService;
  identity: Identity;
  signing: Signing;
  logs: Logs;
  consumers: Consumers;
  listeners: Listeners;
  usedMessages: UsedMessageService;
  exchange: ExchangeTokenService;
}

export function createDecisions(platform: Platform, deps: Deps) {
  const { audit, identity, signing, logs, consumers, listeners, usedMessages } = deps;
  const { organizations, workspaces, auth } = identity;
  const { keyAuthentication } = auth;
  const { notices, readers } = listeners;

  const resolver = createAgentResolver(platform);
  const activity = createAgentActivityService(platform);
  const registry = createAgentService(platform, {
    keyAuthentication,
    resolver,
    activity,
    decisionLookup: {
      findLastTime: (...name) => findLastDecisionTime(platform, ...name),
      countVerdicts: (...name) => countNamedVerdicts(platform, ...name),
      listUnregistered: (tenant) => listUnregisteredAgents(platform, tenant),
    },
  });
  const agentHistory = createAgentHistoryService(platform);
  const onboarding = createOnboardingService({ agents: registry });
  const mlBoms = createMlBomService(platform, { agents: registry, resolver });

  const { anchors, proofs, logKeys } = logs;
  const chain = createHashChainService(platform, { anchors, proofs });
  const entryStatements = createEntryStatementService(platform, {
    proofs,
    signer: signing.signer,
  });
  platform.ledger.onSealed(chain.invalidateStatus);
  const verification = createChainVerificationService(platform, { chain, logKeys });
  const bundles = createBundleService(platform, { audit, chain: 'ledger' });
  const auditBundles = createBundleService(platform, { audit, chain: 'audit' });
  const permissions = createPermissionService(platform);
  provideTraceNeighbours(platform, {
    agents: resolver,
    agentHistory,
    consumers,
    keyAuthentication,
    keys: auth.keys,
    loadEffectSecret: openEffectSecrets(platform),
    loadPolicySet: (place, traceId) => loadPolicySet(platform, place, traceId),
    local: auth.local,
    notices,
    organizations,
    permissions,
    promises: logs.promises,
    presentMembers: readers.presentMembers,
    secondStep: auth.secondStep,
    sessions: auth.sessions,
    usedMessages,
    workspaces,
  });
  provideNeighbours(platform, {
    chain,
    countIncidents: (organizationId, scope) => countIncidents(platform, organizationId, scope),
    notices,
    organizations,
    signer: signing.signer,
    usedMessages,
    workspaces,
  });
  const segments = createChainSegmentService(platform);
  const questions = createBridgeService(platform, { chain, segments });
  return {
    agents: {
      registry,
      resolver,
      onboarding,
      mlBoms,
      trusts: identity.trusts,
      exchange: deps.exchange,
    },
    bridge: { questions, mcp: createMcpService(platform, { questions, answerMcp }) },
    compliance: createComplianceReportService(platform, { chain }),
    traces: {
      waiting: openReviewWaiting(platform),
      permissions,
    },
    hashChain: { anchors, proofs, entryStatements, chain, verification, bundles, auditBundles },
  };
}
