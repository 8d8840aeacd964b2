// The client of a key management service (AWS KMS or a compatible server), loaded on first use.
import type * as Sdk from '@aws-sdk/client-kms';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { AppError } from '../../errors.ts';

export interface KmsPlace {
  region: string | undefined;
  /** Absent: that of the region. */
  endpoint: string | undefined;
}

export interface KmsClient {
  /** Creates a key that signs, and resolves with its name there. */
  createKey(spec: Sdk.KeySpec, description: string): Promise<string>;
  fetchPublicKey(keyId: string): Promise<KeyObject>;
  /** Signs a message itself, not its digest. */
  signMessage(
    keyId: string,
    message: Uint8Array,
    algorithm: Sdk.SigningAlgorithmSpec,
  ): Promise<Uint8Array>;
}

interface Connected {
  sdk: typeof Sdk;
  client: Sdk.KMSClient;
}

/** Timeouts of one attempt. */
const TIMEOUTS = { connectionTimeout: 2000, requestTimeout: 5000, throwOnRequestTimeout: true };
const ATTEMPTS = 2;

/** All calls reject with AppError `KMS_NOT_CONFIGURED` where no region is given. */
export function createKmsClient(place: KmsPlace): KmsClient {
  let connected: Promise<Connected> | undefined;
  const connect = (): Promise<Connected> => (connected ??= connectKms(place));

  return {
    async createKey(KeySpec, Description) {
      const { sdk, client } = await connect();
      const { KeyMetadata } = await client.send(
        new sdk.CreateKeyCommand({ KeySpec, KeyUsage: 'SIGN_VERIFY', Description }),
      );
      const keyId = KeyMetadata?.Arn ?? KeyMetadata?.KeyId;
      if (keyId === undefined) throw new Error('the key management service made no key');
      return keyId;
    },

    async fetchPublicKey(KeyId) {
      const { sdk, client } = await connect();
      const { PublicKey } = await client.send(new sdk.GetPublicKeyCommand({ KeyId }));
      if (!PublicKey) throw new Error('the key management service gave no public key');
      return createPublicKey({ key: Buffer.from(PublicKey), format: 'der', type: 'spki' });
    },

    async signMessage(KeyId, Message, SigningAlgorithm) {
      const { sdk, client } = await connect();
      const { Signature } = await client.send(
        new sdk.SignCommand({ KeyId, Message, MessageType: 'RAW', SigningAlgorithm }),
      );
      if (!Signature) throw new Error('the key management service gave no signature');
      return Signature;
    },
  };
}

/** Uses AWS' default credentials: environment, profile or machine role. @throws AppError `KMS_NOT_CONFIGURED` */
async function connectKms({ region, endpoint }: KmsPlace): Promise<Connected> {
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
