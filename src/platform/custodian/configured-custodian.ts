// The custodian that the configuration names.
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Custodian } from './custodian.ts';
import { createFileCustodian } from './file-custodian.ts';
import type { TokenSource } from './token.ts';
import { createPeerCustodian, type PeerAccess } from './peer/peer-custodian.ts';
import { createVaultCustodian, type VaultAccess } from './vault-custodian.ts';

/** Null: keys of epochs are kept nowhere, and the key store is encrypted by the encryption key alone. */
export function createCustodian(config: Config): Custodian | null {
  switch (config.ASSAY_ERASURE_CUSTODIAN) {
    case 'file':
      return createFileCustodian(
        config.ASSAY_ERASURE_CUSTODIAN_FOLDER ?? join(config.ASSAY_DATA_DIR, 'custodian'),
      );
    case 'vault':
      return createVaultCustodian(toVaultAccess(config));
    case 'peer':
      return createPeerCustodian(toPeerAccess(config));
    default:
      return null;
  }
}

const toToken = (value: string | undefined, path = ''): TokenSource =>
  value === undefined ? { path } : { value };

const toPeerAccess = (config: Config): PeerAccess => ({
  url: config.ASSAY_ERASURE_PEER_URL ?? '',
  token: toToken(config.ASSAY_ERASURE_PEER_TOKEN, config.ASSAY_ERASURE_PEER_TOKEN_FILE),
});

function toVaultAccess(config: Config): VaultAccess {
  return {
    url: config.ASSAY_ERASURE_VAULT_URL ?? '',
    token: toToken(config.ASSAY_ERASURE_VAULT_TOKEN, config.ASSAY_ERASURE_VAULT_TOKEN_FILE),
    mount: config.ASSAY_ERASURE_VAULT_MOUNT,
    key: config.ASSAY_ERASURE_VAULT_KEY,
    signer: config.ASSAY_ERASURE_VAULT_SIGNER,
  };
}
