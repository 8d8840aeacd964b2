// Creates the services of the main job: agents, policies, decisions and their chain.
import type { Consumers } from '../ledger/follow/consumers.ts';
import { createBundleService } from '../evidence/hash-chain/bundles.service.ts';
import { createChainVerificationService } from '../evidence/hash-chain/chain-verification.service.ts';
import { createHashChainService } from '../evidence/hash-chain/hash-chain.service.ts';
import { countIncidents } from '../governance/incidents/incident-counts.service.ts';
import { createEntryStatementService } from '../evidence/log/tree/entry-statements.service.ts';
import { provideNeighbours } from '../policies/neighbours.ts';
import { loadPolicySet } from '../policies/policy-sets.service.ts';
import { provideTraceNeighbours } from '../decisions/traces/neighbours.service.ts';
import type { Listeners } from '../services.ts';
import type { Platform } from '../platform/platform.ts';
import type { Signing } from './evidence.ts';
import type { Logs } from './logs.ts';

interface Deps {
  signing: Signing;
  logs: Logs;
  consumers: Consumers;
  listeners: Listeners;
}

export function createDecisions(platform: Platform, deps: Deps) {
  const { signing, logs, consumers, listeners } = deps;
  const { notices } = listeners;

  const { anchors, proofs, logKeys } = logs;
  const chain = createHashChainService(platform, { anchors, proofs });
  const entryStatements = createEntryStatementService(platform, {
    proofs,
    signer: signing.signer,
  });
  platform.ledger.onSealed(chain.invalidateStatus);
  const verification = createChainVerificationService(platform, { chain, logKeys });
  const bundles = createBundleService(platform, { chain: 'ledger' });
  const auditBundles = createBundleService(platform, { chain: 'audit' });
  provideTraceNeighbours(platform, {
    describeChain: (organizationId) => chain.describeStatus({ organizationId }),
    consumers,
    loadPolicySet: (place, traceId) => loadPolicySet(platform, place, traceId),
    notices,
    promises: logs.promises,
  });
  provideNeighbours(platform, {
    chain,
    countIncidents: (organizationId, scope) => countIncidents(platform, organizationId, scope),
    notices,
    signer: signing.signer,
  });
  return {
    hashChain: { anchors, proofs, entryStatements, chain, verification, bundles, auditBundles },
  };
}
