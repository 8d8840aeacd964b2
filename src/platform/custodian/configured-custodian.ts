// The custodian that the configuration names.
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Custodian } from './custodian.ts';
import { createFileCustodian } from './file-custodian.ts';
import { createVaultCustodian, type VaultAccess } from './vault-custodian.ts';

/** Null: keys of epochs are kept nowhere, and the key store is sealed by the encryption key alone. */
export function createCustodian(config: Config): Custodian | null {
  switch (config.ASSAY_ERASURE_CUSTODIAN) {
    case 'file':
      return createFileCustodian(
        config.ASSAY_ERASURE_CUSTODIAN_FOLDER ?? join(config.ASSAY_DATA_DIR, 'custodian'),
      );
    case 'vault':
      return createVaultCustodian(toVaultAccess(config));
    default:
      return null;
  }
}

function toVaultAccess(config: Config): VaultAccess {
  const { ASSAY_ERASURE_VAULT_TOKEN: value, ASSAY_ERASURE_VAULT_TOKEN_FILE: path = '' } = config;
  return {
    url: config.ASSAY_ERASURE_VAULT_URL ?? '',
    token: value === undefined ? { path } : { value },
    mount: config.ASSAY_ERASURE_VAULT_MOUNT,
    key: config.ASSAY_ERASURE_VAULT_KEY,
    signer: config.ASSAY_ERASURE_VAULT_SIGNER,
  };
}
