// Creates the witnessed logs: their keys, the trees, what signs them, and what shows them.
import type { LogKeyService } from '../evidence/log/keys/log-keys.service.ts';
import { createCheckedLogs } from '../evidence/log/checked-logs.ts';
import { createLogReleaseService } from '../evidence/log/release/log-release.service.ts';
import { createLogPublicationService } from '../evidence/log/log-publication.service.ts';
import { createPromiseCheckService } from '../evidence/log/promises/promise-check.service.ts';
import { createPromiseService } from '../evidence/log/promises/promises.service.ts';
import { createLogService } from '../evidence/log/logs.service.ts';
import { createHeadsCheckService } from '../evidence/log/signing/heads-check.service.ts';
import { createLeafReader } from '../evidence/log/signing/leaves.ts';
import { createTreeHeadSigning } from '../evidence/log/signing/tree-head-signing.service.ts';
import { createLogStampService } from '../evidence/log/stamps/log-stamps.service.ts';
import { createStampReader } from '../evidence/log/stamps/stamps.ts';
import { createAnchorService } from '../evidence/log/tree/anchors.service.ts';
import { createProofBuilder } from '../evidence/log/tree/proof-builder.ts';
import { createProofService } from '../evidence/log/tree/proofs.service.ts';
import { createHeadsFileService } from '../evidence/log/tree/heads-file.service.ts';
import { createLogTreeService } from '../evidence/log/tree/log-tree.service.ts';
import { createLogWitnessService } from '../evidence/log/witnesses/log-witnesses.service.ts';
import { createCosigningService } from '../evidence/witness/cosigning/cosigning.service.ts';
import type { Platform } from '../platform/platform.ts';

interface Deps {
  keys: LogKeyService;
}

export function createLogs(platform: Platform, { keys }: Deps) {
  const logs = createLogService(platform, { keys });
  const leaves = createLeafReader(platform);
  const tree = createLogTreeService(platform, { leaves });
  const policy = platform.config.ASSAY_WITNESS_POLICY;
  const hasWitnesses = policy !== undefined && policy.quorum !== null;
  const witnesses = createLogWitnessService(platform, { keys, logs, tree });
  const signing = createTreeHeadSigning(platform, { keys, logs, leaves, witnesses });
  const shown = createCheckedLogs(logs);
  const stamps = createStampReader(platform, { logs: shown });
  const anchors = createAnchorService(platform, { logs: shown, stamps });
  const proofBuilder = createProofBuilder(platform, {
    logs: shown,
    tree,
    stamps,
    keys,
    hasWitnesses,
  });
  const proofs = createProofService(platform, { logs: shown, stamps, keys, proofBuilder });
  const publication = createLogPublicationService(platform, { keys, logs: shown, tree });
  const promises = createPromiseService(platform, { keys, logs, witnesses });
  platform.ledger.setPromiser(promises.signBatch);
  const stamping = createLogStampService(platform, { logs, hasWitnesses });
  return {
    anchors,
    proofs,
    promises,
    logKeys: keys,
    headsFiles: createHeadsFileService(platform, { logs: shown, proofBuilder }),
    publication,
    promiseChecks: createPromiseCheckService(platform, {
      keys,
      leaves,
      logs: shown,
      proofBuilder,
    }),
    cosigning: createCosigningService(platform, { keys }),
    headsCheck: createHeadsCheckService(platform, { keys }),
    logRelease: createLogReleaseService(platform, { leaves, logs }),
    treeHeadSigning: signing,
    logStamps: stamping,
    logWitnesses: witnesses,
  };
}
export type Logs = ReturnType<typeof createLogs>;
