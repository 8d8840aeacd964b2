// Provenance: who signs, and what is signed.
import { createKeySource } from '../platform/signer/key-source.ts';
import { createKeyRegistry } from '../resources/c2pa-kms/key-registry.service.ts';
import { createSignerService } from '../resources/c2pa-kms/signer.service.ts';
import type { Platform } from './platform.ts';

export function createProvenance(platform: Platform) {
  const keys = createKeyRegistry(platform);
  const keySource = createKeySource(platform);
  const signer = createSignerService({ ...platform, keySource, registry: keys });
  return { keys, signer };
}
