// Creates the services of provenance: signing keys, manifests, and provenance graphs of decisions.
import { createKeySource } from '../platform/signer/key-source.ts';
import { createKeyRegistry } from '../resources/c2pa-kms/key-registry.service.ts';
import { createSignerService } from '../resources/c2pa-kms/signer.service.ts';
import type { AttestationService } from '../resources/hash-chain/attestations.service.ts';
import { createGraphService } from '../resources/provenance/graphs/graphs.service.ts';
import { createManifestService } from '../resources/provenance/manifests/manifests.service.ts';
import { createVerificationService } from '../resources/provenance/manifests/verification.service.ts';
import { createProvenanceSettingsService } from '../resources/provenance/settings/provenance-settings.service.ts';
import type { TraceService } from '../resources/traces/traces.service.ts';
import type { Platform } from '../platform/platform.ts';

/** Creates the signer and its keys, which all signatures use. */
export function createSigning(platform: Platform) {
  const keys = createKeyRegistry(platform);
  const keySource = createKeySource(platform);
  const signer = createSignerService({ ...platform, keySource, registry: keys });
  return { keys, signer };
}
export type Signing = ReturnType<typeof createSigning>;

interface Deps extends Signing {
  attestations: AttestationService;
  traces: TraceService;
}

export function createProvenance(platform: Platform, { attestations, traces, keys, signer }: Deps) {
  const settings = createProvenanceSettingsService({ ...platform, signer, keys });
  const manifests = createManifestService({ ...platform, signer, settings, attestations });
  const verification = createVerificationService({ ...platform, keys });
  const graphs = createGraphService({ ...platform, traces });
  return { keys, signer, settings, manifests, verification, graphs };
}
