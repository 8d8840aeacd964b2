// Creates the witnessed logs: their keys, the trees, what seals them, and what shows them.
import { createLogKeyService } from '../resources/log/keys/log-keys.service.ts';
import { createLogPublicationService } from '../resources/log/log-publication.service.ts';
import { createPromiseService } from '../resources/log/promises/promises.service.ts';
import { createLogService } from '../resources/log/logs.service.ts';
import { createLeafReader } from '../resources/log/sealing/leaves.ts';
import { createLogSealingService } from '../resources/log/sealing/log-sealing.service.ts';
import { createLogStampService } from '../resources/log/stamps/log-stamps.service.ts';
import { createStampReader } from '../resources/log/stamps/stamps.ts';
import { createAnchorService } from '../resources/log/tree/anchors.service.ts';
import { createProofService } from '../resources/log/tree/proofs.service.ts';
import { createLogTreeService } from '../resources/log/tree/log-tree.service.ts';
import { createLogWitnessService } from '../resources/log/witnesses/log-witnesses.service.ts';
import { createCosigningService } from '../resources/witness/cosigning/cosigning.service.ts';
import type { Platform } from '../platform/platform.ts';

export function createLogs(platform: Platform) {
  const keys = createLogKeyService(platform);
  const logs = createLogService(platform, { keys });
  const leaves = createLeafReader(platform);
  const tree = createLogTreeService(platform, { leaves });
  const policy = platform.config.ASSAY_WITNESS_POLICY;
  const hasWitnesses = policy !== undefined && policy.quorum !== null;
  const sealing = createLogSealingService(platform, { keys, logs, leaves });
  const stamps = createStampReader(platform);
  const anchors = createAnchorService(platform, { logs, stamps });
  const proofs = createProofService(platform, { logs, tree, stamps, keys, hasWitnesses });
  const publication = createLogPublicationService(platform, { keys, logs, tree });
  const promises = createPromiseService(platform, { keys, logs });
  platform.ledger.setPromiser(promises.signBatch);
  const witnesses = createLogWitnessService(platform, { logs, tree });
  const stamping = createLogStampService(platform, { logs, hasWitnesses });
  return {
    anchors,
    proofs,
    promises,
    logKeys: keys,
    publication,
    cosigning: createCosigningService(platform, { keys }),
    logSealing: sealing,
    logStamps: stamping,
    logWitnesses: witnesses,
  };
}
export type Logs = ReturnType<typeof createLogs>;
