// Creates the services for evidence that an organisation gives to others: erasures and audit bundles.
import { createTarGz } from '../platform/archive/tar-gz.ts';
import { createAuditBundleService } from '../resources/audit-bundles/audit-bundles.service.ts';
import type { KeyRegistry } from '../resources/c2pa-kms/key-registry.service.ts';
import type { SignerService } from '../resources/c2pa-kms/signer.service.ts';
import { createErasureExecutionService } from '../resources/erasure/erasure-execution.service.ts';
import { createErasureImpactService } from '../resources/erasure/erasure-impact.service.ts';
import { createErasureService } from '../resources/erasure/erasures.service.ts';
import type { AttestationService } from '../resources/hash-chain/attestations.service.ts';
import type { BundleService } from '../resources/hash-chain/bundles.service.ts';
import type { ChainVerificationService } from '../resources/hash-chain/chain-verification.service.ts';
import type { BulkService } from '../resources/traces/bulk/bulk.service.ts';
import type { Platform } from '../platform/platform.ts';

interface Deps {
  attestations: AttestationService;
  bulk: BulkService;
  bundles: BundleService;
  verification: ChainVerificationService;
  signer: SignerService;
  keys: KeyRegistry;
}

export function createEvidence(platform: Platform, deps: Deps) {
  const impact = createErasureImpactService(platform);
  const erasureExecution = createErasureExecutionService({ ...platform, ...deps });
  const acknowledged = { impact, execution: erasureExecution };
  const erasure = createErasureService({ ...platform, ...acknowledged });
  const auditBundles = createAuditBundleService({ ...platform, ...deps, createTarGz });
  return { auditBundles, erasure, erasureExecution };
}
