// The key of the logs inside a key management service: an Ed25519 key that the operator made there.
import { type SignNote, toRawPublicKey } from '@assay/tlog';
import type { Config } from '../../config/config.ts';
import { createKmsClient } from './kms-client.ts';

type NoteKmsConfig = Pick<
  Config,
  'ASSAY_LOG_KEY_KMS_ID' | 'ASSAY_LOG_KEY_KMS_REGION' | 'ASSAY_LOG_KEY_KMS_ENDPOINT'
>;

/** Returns what opens the key; null: none is configured. It rejects when the service does not answer. */
export function createKmsNoteKey(
  config: NoteKmsConfig,
): (() => Promise<{ publicKey: Buffer; sign: SignNote }>) | null {
  const { ASSAY_LOG_KEY_KMS_ID: keyId, ASSAY_LOG_KEY_KMS_REGION: region } = config;
  if (keyId === undefined) return null;
  const kms = createKmsClient({ region, endpoint: config.ASSAY_LOG_KEY_KMS_ENDPOINT });
  return async () => {
    const key = await kms.fetchPublicKey(keyId);
    if (key.asymmetricKeyType !== 'ed25519')
      throw new Error('the key of the logs in the key management service is not Ed25519');
    return {
      publicKey: toRawPublicKey(key),
      sign: (text) => kms.signMessage(keyId, text, 'ED25519_SHA_512'),
    };
  };
}
