// Creates the services of the main job: agents, policies, decisions and their chain.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { createBundleService } from '../evidence/hash-chain/bundles.service.ts';
import { createChainVerificationService } from '../evidence/hash-chain/chain-verification.service.ts';
import { createHashChainService } from '../evidence/hash-chain/hash-chain.service.ts';
import { createComplianceReportService } from '../governance/compliance/compliance-report.service.ts';
import { countIncidents } from '../governance/incidents/incident-counts.service.ts';
import { provideNeighbours } from '../policies/neighbours.ts';
import { loadPolicySet } from '../policies/policy-sets.service.ts';
import { openReviewWaiting } from '../decisions/traces/review/callers/review-waiting.service.ts';
import { provideTraceNeighbours } from '../decisions/traces/neighbours.service.ts';
import type { Platform } from '../platform/platform.ts';
import { answerMcp } from '../platform/mcp/mcp-endpoint.ts';
import { createChainSegmentService } from '../evidence/hash-chain/segments.service.ts';
import { createBridgeService } from '../governance/mcp-server/bridge.service.ts';
import { createMcpService } from '../governance/mcp-server/mcp.service.ts';
import { signBatch, signEntry } from '../evidence/log/promises/promises.service.ts';

interface Deps {
  consumers: Consumers;
}

export function createDecisions(platform: Platform, deps: Deps) {
  const { consumers } = deps;
  const chain = createHashChainService(platform);
  platform.ledger.setPromiser((...batch) => signBatch(platform, ...batch));
  platform.ledger.onSealed(chain.invalidateStatus);
  const verification = createChainVerificationService(platform, { chain });
  const bundles = createBundleService(platform, { chain: 'ledger' });
  const auditBundles = createBundleService(platform, { chain: 'audit' });
  provideTraceNeighbours(platform, {
    consumers,
    loadPolicySet: (place, traceId) => loadPolicySet(platform, place, traceId),
    signEntry: (organizationId, entry) => signEntry(platform, organizationId, entry),
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
    hashChain: { chain, verification, bundles, auditBundles },
  };
}
