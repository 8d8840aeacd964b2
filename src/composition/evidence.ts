// Creates the services of evidence: audit bundles, erasure.
import type { Platform } from '../platform/platform.ts';
import { createTarGz } from '../platform/archive/tar-gz.ts';
import { createAuditBundleService } from '../evidence/audit-bundles/audit-bundles.service.ts';
import { createCopyService } from '../evidence/erasure/destruction/copies.service.ts';
import { createDestructionService } from '../evidence/erasure/destruction/destructions.service.ts';
import { createEpochRollService } from '../evidence/erasure/destruction/epoch-roll.service.ts';
import { createErasureExecutionService } from '../evidence/erasure/erasure-execution.service.ts';
import { createErasureImpactService } from '../evidence/erasure/erasure-impact.service.ts';
import { createErasureService } from '../evidence/erasure/erasures.service.ts';
import type { BundleService } from '../evidence/hash-chain/bundles.service.ts';
import type { ChainVerificationService } from '../evidence/hash-chain/chain-verification.service.ts';

interface EvidenceDeps {
  bundles: BundleService;
  verification: ChainVerificationService;
}

export function createEvidence(platform: Platform, { bundles, verification }: EvidenceDeps) {
  const destructions = createDestructionService(platform);
  const epochRoll = createEpochRollService(platform, { destructions });
  const copies = createCopyService(platform);
  const impact = createErasureImpactService(platform);
  const erasureExecution = createErasureExecutionService(platform, {
    destructions,
  });
  const erasure = createErasureService(platform, {
    impact,
    execution: erasureExecution,
    destructions,
    copies,
  });
  const auditBundles = createAuditBundleService(platform, {
    bundles,
    verification,
    createTarGz,
  });
  return { auditBundles, erasure, erasureExecution, epochRoll };
}
