// Signing keys inside a key management service (AWS KMS or a compatible server), whose client is loaded on first use.
import type * as Sdk from '@aws-sdk/client-kms';
import { createPublicKey } from 'node:crypto';
import type { Config } from '../../config.ts';
import { convertDerSignature } from '../../domain/provenance/der-signature.ts';
import { computeKid, type PublicJwk, toPublicJwk } from '../../domain/provenance/public-key.ts';
import { AppError } from '../../errors.ts';
import type { ManagedKeys } from './signing-key.ts';

type KmsConfig = Pick<Config, 'ASSAY_SIGNER_KMS_REGION' | 'ASSAY_SIGNER_KMS_ENDPOINT'>;

interface Connected {
  sdk: typeof Sdk;
  client: Sdk.KMSClient;
}

/** Timeouts of one attempt. */
const TIMEOUTS = { connectionTimeout: 2000, requestTimeout: 5000, throwOnRequestTimeout: true };
const ATTEMPTS = 2;

export function createKmsKeys(config: KmsConfig): ManagedKeys {
  let connected: Promise<Connected> | undefined;
  const connect = (): Promise<Connected> => (connected ??= connectKms(config));

  async function fetchPublicKey(KeyId: string): Promise<PublicJwk> {
    const { sdk, client } = await connect();
    const { PublicKey } = await client.send(new sdk.GetPublicKeyCommand({ KeyId }));
    if (!PublicKey) throw new Error('the key management service gave no public key');
    const key = createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
    return toPublicJwk(key);
  }

  async function signMessage(KeyId: string, Message: Uint8Array): Promise<Uint8Array> {
    const { sdk, client } = await connect();
    const { Signature } = await client.send(
      new sdk.SignCommand({
        KeyId,
        Message,
        MessageType: 'RAW',
        SigningAlgorithm: 'ECDSA_SHA_256',
      }),
    );
    if (!Signature) throw new Error('the key management service gave no signature');
    return convertDerSignature(Signature);
  }

  return {
    kind: 'managed',
    provider: 'kms',
    async generate() {
      const { sdk, client } = await connect();
      const { KeyMetadata } = await client.send(
        new sdk.CreateKeyCommand({
          KeySpec: 'ECC_NIST_P256',
          KeyUsage: 'SIGN_VERIFY',
          Description: 'Assay: signs provenance manifests',
        }),
      );
      const kmsKeyId = KeyMetadata?.Arn ?? KeyMetadata?.KeyId;
      if (kmsKeyId === undefined) throw new Error('the key management service made no key');
      const publicKey = await fetchPublicKey(kmsKeyId);
      return { kid: computeKid(publicKey), publicKey, sealed: null, kmsKeyId };
    },
    /** Fetches the public key, so that a missing key fails here. */
    async openKey({ kid, kmsKeyId }) {
      if (kmsKeyId === null) throw new Error('the record names no key of the service');
      const publicKey = await fetchPublicKey(kmsKeyId);
      if (computeKid(publicKey) !== kid)
        throw new Error('the service holds another key than was named');
      return {
        kid,
        mode: 'prod-jwk',
        publicKey,
        certificates: [],
        sign: (bytes) => signMessage(kmsKeyId, bytes),
      };
    },
  };
}

/** Uses AWS' default credentials: environment, profile or machine role. @throws AppError `KMS_NOT_CONFIGURED` */
async function connectKms(config: KmsConfig): Promise<Connected> {
  const { ASSAY_SIGNER_KMS_REGION: region, ASSAY_SIGNER_KMS_ENDPOINT: endpoint } = config;
  if (region === undefined) throw new AppError('KMS_NOT_CONFIGURED');
  const sdk = await import('@aws-sdk/client-kms');
  const client = new sdk.KMSClient({
    region,
    ...(endpoint !== undefined && { endpoint }),
    maxAttempts: ATTEMPTS,
    requestHandler: TIMEOUTS,
  });
  return { sdk, client };
}
