// Creates the services of the main job: agents, policies, decisions and their chain.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { createBundleService } from '../evidence/hash-chain/bundles.service.ts';
import { createChainVerificationService } from '../evidence/hash-chain/chain-verification.service.ts';
import { createHashChainService } from '../evidence/hash-chain/hash-chain.service.ts';
import { createComplianceReportService } from '../governance/compliance/compliance-report.service.ts';
import { countIncidents } from '../governance/incidents/incident-counts.service.ts';
import { createEntryStatementService } from '../evidence/log/tree/entry-statements.service.ts';
import { provideNeighbours } from '../policies/neighbours.ts';
import { loadPolicySet } from '../policies/policy-sets.service.ts';
import { openReviewWaiting } from '../decisions/traces/review/callers/review-waiting.service.ts';
import { provideTraceNeighbours } from '../decisions/traces/neighbours.service.ts';
import type { Platform } from '../platform/platform.ts';
import type { Logs } from './logs.ts';
import { answerMcp } from '../platform/mcp/mcp-endpoint.ts';
import { createChainSegmentService } from '../evidence/hash-chain/segments.service.ts';
import { createBridgeService } from '../governance/mcp-server/bridge.service.ts';
import { createMcpService } from '../governance/mcp-server/mcp.service.ts';

interface Deps {
  logs: Logs;
  consumers: Consumers;
}

export function createDecisions(platform: Platform, deps: Deps) {
  const { logs, consumers } = deps;

  const { anchors, proofs, logKeys } = logs;
  const chain = createHashChainService(platform, { anchors, proofs });
  const entryStatements = createEntryStatementService(platform, {
    proofs,
  });
  platform.ledger.onSealed(chain.invalidateStatus);
  const verification = createChainVerificationService(platform, { chain, logKeys });
  const bundles = createBundleService(platform, { chain: 'ledger' });
  const auditBundles = createBundleService(platform, { chain: 'audit' });
  provideTraceNeighbours(platform, {
    consumers,
    loadPolicySet: (place, traceId) => loadPolicySet(platform, place, traceId),
    promises: logs.promises,
  });
  provideNeighbours(platform, {
    chain,
    countIncidents: (organizationId, scope) => countIncidents(platform, organizationId, scope),
  });
  const segments = createChainSegmentService(platform);
  const questions = createBridgeService(platform, { chain, segments });
  return {
    bridge: { questions, mcp: createMcpService(platform, { questions, answerMcp }) },
    compliance: createComplianceReportService(platform, { chain }),
    traces: {
      waiting: openReviewWaiting(platform),
    },
    hashChain: { anchors, proofs, entryStatements, chain, verification, bundles, auditBundles },
  };
}
