// Signing keys inside a key management service (AWS KMS or a compatible server).
import type { Config } from '../../config/config.ts';
import { convertDerSignature } from '../../domain/provenance/der-signature.ts';
import { computeKid, toPublicJwk } from '../../domain/provenance/public-key.ts';
import { createKmsClient } from './kms-client.ts';
import type { ManagedKeys } from './signing-key.ts';

type KmsConfig = Pick<Config, 'ASSAY_SIGNER_KMS_REGION' | 'ASSAY_SIGNER_KMS_ENDPOINT'>;

export function createKmsKeys(config: KmsConfig): ManagedKeys {
  const { ASSAY_SIGNER_KMS_REGION: region, ASSAY_SIGNER_KMS_ENDPOINT: endpoint } = config;
  const kms = createKmsClient({ region, endpoint });

  return {
    kind: 'managed',
    provider: 'kms',
    async generate() {
      const kmsKeyId = await kms.createKey('ECC_NIST_P256', 'Assay: signs provenance manifests');
      const publicKey = toPublicJwk(await kms.fetchPublicKey(kmsKeyId));
      return { kid: computeKid(publicKey), publicKey, sealed: null, kmsKeyId };
    },
    /** Fetches the public key, so that a missing key fails here. */
    async openKey({ kid, kmsKeyId }) {
      if (kmsKeyId === null) throw new Error('the record names no key of the service');
      const publicKey = toPublicJwk(await kms.fetchPublicKey(kmsKeyId));
      if (computeKid(publicKey) !== kid)
        throw new Error('the service holds another key than was named');
      return {
        kid,
        mode: 'prod-jwk',
        publicKey,
        certificates: [],
        sign: async (bytes) =>
          convertDerSignature(await kms.signMessage(kmsKeyId, bytes, 'ECDSA_SHA_256')),
      };
    },
  };
}
