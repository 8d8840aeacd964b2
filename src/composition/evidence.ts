// Creates the services of evidence: signing, the hash chain, audit bundles, erasure, provenance.
import type { LogKeyService } from '../evidence/log/keys/log-keys.service.ts';
import type { Platform } from '../platform/platform.ts';
import { createTarGz } from '../platform/archive/tar-gz.ts';
import { createAuditBundleService } from '../evidence/audit-bundles/audit-bundles.service.ts';
import { createCopyService } from '../evidence/erasure/destruction/copies.service.ts';
import { createDestructionService } from '../evidence/erasure/destruction/destructions.service.ts';
import { createEpochRollService } from '../evidence/erasure/destruction/epoch-roll.service.ts';
import { createErasureExecutionService } from '../evidence/erasure/erasure-execution.service.ts';
import { createErasureImpactService } from '../evidence/erasure/erasure-impact.service.ts';
import { createErasureService } from '../evidence/erasure/erasures.service.ts';
import { type BundleService, createBundleService } from '../evidence/hash-chain/bundles.service.ts';
import {
  type ChainVerificationService,
  createChainVerificationService,
} from '../evidence/hash-chain/chain-verification.service.ts';
import { createHashChainService } from '../evidence/hash-chain/hash-chain.service.ts';
import { createEntryStatementService } from '../evidence/log/tree/entry-statements.service.ts';
import { createKeySource } from '../platform/signer/key-source.ts';
import { createKeyRegistry } from '../evidence/c2pa-kms/key-registry.service.ts';
import { createSignerService } from '../evidence/c2pa-kms/signer.service.ts';
import { createGraphService } from '../evidence/provenance/graphs/graphs.service.ts';
import { createManifestService } from '../evidence/provenance/manifests/manifests.service.ts';
import { createVerificationService } from '../evidence/provenance/manifests/verification.service.ts';
import { createProvenanceSettingsService } from '../evidence/provenance/settings/provenance-settings.service.ts';
import type { Listeners } from '../services.ts';
import type { Logs } from './logs.ts';

interface EvidenceDeps {
  bundles: BundleService;
  verification: ChainVerificationService;
  signing: Signing;
  notices: Listeners['notices'];
  logKeys: LogKeyService;
}

export function createEvidence(
  platform: Platform,
  { bundles, verification, signing, notices, logKeys }: EvidenceDeps,
) {
  const { signer, keys } = signing;
  const destructions = createDestructionService(platform);
  const epochRoll = createEpochRollService(platform, { logKeys, destructions });
  const copies = createCopyService(platform);
  const impact = createErasureImpactService(platform);
  const erasureExecution = createErasureExecutionService(platform, {
    signer,
    notices,
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
    signer,
    keys,
    createTarGz,
  });
  return { auditBundles, erasure, erasureExecution, epochRoll };
}

interface HashChainDeps {
  logs: Logs;
  signing: Signing;
}

export function createHashChain(platform: Platform, { logs, signing }: HashChainDeps) {
  const { anchors, proofs, logKeys } = logs;
  const { signer } = signing;
  const chain = createHashChainService(platform, { anchors, proofs });
  platform.ledger.onSealed(chain.invalidateStatus);
  return {
    anchors,
    proofs,
    entryStatements: createEntryStatementService(platform, { proofs, signer }),
    chain,
    verification: createChainVerificationService(platform, { chain, logKeys }),
    bundles: createBundleService(platform, { chain: 'ledger' }),
    auditBundles: createBundleService(platform, { chain: 'audit' }),
  };
}

/** Creates the signer and its keys, which all signatures use. */
export function createSigning(platform: Platform) {
  const keys = createKeyRegistry(platform);
  const keySource = createKeySource(platform);
  const signer = createSignerService(platform, { keySource, registry: keys });
  return { keys, signer };
}
export type Signing = ReturnType<typeof createSigning>;

interface ProvenanceDeps {
  signing: Signing;
}

export function createProvenance(platform: Platform, { signing }: ProvenanceDeps) {
  const { keys, signer } = signing;
  const settings = createProvenanceSettingsService(platform, { signer, keys });
  const manifests = createManifestService(platform, {
    signer,
    settings,
  });
  const verification = createVerificationService(platform, { keys });
  const graphs = createGraphService(platform);
  return { keys, signer, settings, manifests, verification, graphs };
}
