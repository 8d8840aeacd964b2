// Interfaces of the keys that sign manifests, and of their providers.
import type { PublicJwk } from '../../domain/provenance/public-key.ts';
import type { Config } from '../../config/config.ts';

/** `legacy-hmac` occurs in old records only. */
export type SignerMode = 'prod-cert' | 'prod-jwk' | 'ephemeral-jwk' | 'legacy-hmac';
export type SignerProvider = Config['ASSAY_SIGNER_PROVIDER'];

export interface SigningKey {
  /** SHA-256 of the SPKI in hex. */
  kid: string;
  mode: SignerMode;
  publicKey: PublicJwk;
  /** The chain in base64 DER, the key's own certificate first; empty: a key alone. */
  certificates: readonly string[];
  /** ECDSA with SHA-256: r and s, 32 bytes each. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** A stored private key, encrypted by its own data key, which is encrypted by a key outside the database. */
export interface EncryptedKey {
  dataKey: string;
  privateKey: string;
}

/** One stored generation of a managed key: either encrypted here, or a reference to the key management service. */
export interface KeyMaterial {
  kid: string;
  publicKey: PublicJwk;
  sealed: EncryptedKey | null;
  kmsKeyId: string | null;
}

/** A key that the operator configures and replaces. */
export interface GivenKey {
  kind: 'given';
  provider: 'env' | 'file';
  /** @throws AppError `CONFIG_ERROR` */
  loadKey(): Promise<SigningKey>;
}

/** Keys that the application generates and rotates. */
export interface ManagedKeys {
  kind: 'managed';
  provider: 'database' | 'kms';
  /** @throws AppError `KMS_NOT_CONFIGURED`, `KMS_BAD_KEK`; Error when the service does not answer */
  generate(): Promise<KeyMaterial>;
  /** @throws like `generate`; Error when the material is not that of the key it is named after */
  openKey(material: KeyMaterial): Promise<SigningKey>;
}

export type KeySource = GivenKey | ManagedKeys;
