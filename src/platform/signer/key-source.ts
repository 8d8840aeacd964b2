// The provider of signing keys that the configuration names.
import type { Config } from '../../config/config.ts';
import type { Clock } from '../clock.ts';
import type { Vault } from '../secrets/vault.ts';
import { createDatabaseKeys } from './database-keys.ts';
import { createEnvironmentKey, createFileKey } from './given-key.ts';
import { createKmsKeys } from './kms-keys.ts';
import type { KeySource } from './signing-key.ts';

interface SourceDeps {
  config: Config;
  clock: Clock;
  vault: Vault;
}

export function createKeySource({ config, clock, vault }: SourceDeps): KeySource {
  switch (config.ASSAY_SIGNER_PROVIDER) {
    case 'env':
      return createEnvironmentKey(config, clock);
    case 'file':
      return createFileKey(config, clock);
    case 'kms':
      return createKmsKeys(config);
    default:
      return createDatabaseKeys(config, vault);
  }
}
