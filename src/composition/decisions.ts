// Joins decisions, policies and evidence with each other, and with the ledger.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { invalidateStatus } from '../evidence/hash-chain/hash-chain.service.ts';
import { createComplianceReportService } from '../governance/compliance/compliance-report.service.ts';
import { countIncidents } from '../governance/incidents/incident-counts.service.ts';
import { provideNeighbours } from '../policies/neighbours.ts';
import { loadPolicySet } from '../policies/policy-sets.service.ts';
import { openReviewWaiting } from '../decisions/traces/review/callers/review-waiting.service.ts';
import { provideTraceNeighbours } from '../decisions/traces/neighbours.service.ts';
import type { Platform } from '../platform/platform.ts';
import { answerMcp } from '../platform/mcp/mcp-endpoint.ts';
import { createBridgeService } from '../governance/mcp-server/bridge.service.ts';
import { createMcpService } from '../governance/mcp-server/mcp.service.ts';
import { signBatch, signEntry } from '../evidence/log/promises/promises.service.ts';

interface Deps {
  consumers: Consumers;
}

export function createDecisions(platform: Platform, { consumers }: Deps) {
  platform.ledger.setPromiser((...batch) => signBatch(platform, ...batch));
  platform.ledger.onSealed((organizationId) => invalidateStatus(platform, organizationId));
  provideTraceNeighbours(platform, {
    consumers,
    loadPolicySet: (place, traceId) => loadPolicySet(platform, place, traceId),
    signEntry: (organizationId, entry) => signEntry(platform, organizationId, entry),
  });
  provideNeighbours(platform, {
    countIncidents: (organizationId, scope) => countIncidents(platform, organizationId, scope),
  });
  const questions = createBridgeService(platform);
  return {
    bridge: { questions, mcp: createMcpService(platform, { questions, answerMcp }) },
    compliance: createComplianceReportService(platform),
    traces: {
      waiting: openReviewWaiting(platform),
    },
  };
}
