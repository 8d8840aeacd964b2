// Decrypts assertions: AES with a key transported by RSA-OAEP (XML Encryption 1.1); no other algorithms.
import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';
import { withDescendants, type XmlElement } from './xml/xml.ts';
import { getAttribute, getOnlyChild, getOptionalChild, getElementText } from './xml/elements.ts';
import { ENCRYPTION, ENCRYPTION_11, SIGNATURE } from './names.ts';
import { failSaml, SamlError } from './saml-error.ts';

interface Cipher {
  name:
    | 'aes-128-cbc'
    | 'aes-192-cbc'
    | 'aes-256-cbc'
    | 'aes-128-gcm'
    | 'aes-192-gcm'
    | 'aes-256-gcm';
  ivBytes: number;
  keyBytes: number;
}

const CIPHERS = new Map<string, Cipher>(
  Object.entries({
    [`${ENCRYPTION}aes128-cbc`]: { name: 'aes-128-cbc', ivBytes: 16, keyBytes: 16 },
    [`${ENCRYPTION}aes192-cbc`]: { name: 'aes-192-cbc', ivBytes: 16, keyBytes: 24 },
    [`${ENCRYPTION}aes256-cbc`]: { name: 'aes-256-cbc', ivBytes: 16, keyBytes: 32 },
    [`${ENCRYPTION_11}aes128-gcm`]: { name: 'aes-128-gcm', ivBytes: 12, keyBytes: 16 },
    [`${ENCRYPTION_11}aes192-gcm`]: { name: 'aes-192-gcm', ivBytes: 12, keyBytes: 24 },
    [`${ENCRYPTION_11}aes256-gcm`]: { name: 'aes-256-gcm', ivBytes: 12, keyBytes: 32 },
  }),
);

/** Node.js uses one hash for both the OAEP digest and its mask. */
const DIGESTS = new Map(
  Object.entries({
    [`${SIGNATURE}sha1`]: 'sha1',
    [`${ENCRYPTION}sha256`]: 'sha256',
    [`${ENCRYPTION}sha512`]: 'sha512',
  }),
);
const MASKS = new Map(
  Object.entries({
    [`${ENCRYPTION_11}mgf1sha1`]: 'sha1',
    [`${ENCRYPTION_11}mgf1sha256`]: 'sha256',
    [`${ENCRYPTION_11}mgf1sha512`]: 'sha512',
  }),
);

const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The only reason given for any failure between decryption and verification of the signature. Distinct reasons would be
 * a padding oracle, also for an administrator who reads the audit log, and would let a third party's data be decrypted
 * byte by byte.
 */
export const UNOPENED =
  'Encrypted assertion cannot be decrypted with our key, is damaged, or is not validly signed itself';

/**
 * The decrypted text of an EncryptedAssertion.
 * @throws SamlError
 */
export function decryptAssertion(holder: XmlElement, key: KeyObject): string {
  const data = getOnlyChild(holder, ENCRYPTION, 'EncryptedData');
  const cipher =
    CIPHERS.get(readAlgorithm(data)) ??
    failSaml('Encryption algorithm of the assertion is not accepted');
  const [encryptedKey, ...more] = [...withDescendants(holder)].filter(
    ({ namespace, name }) => namespace === ENCRYPTION && name === 'EncryptedKey',
  );
  if (!encryptedKey || more.length > 0)
    return failSaml('Encrypted assertion must have exactly one encrypted key');
  const oaepHash = readOaepHash(encryptedKey);
  const [wrapped, content] = [readCipherValue(encryptedKey), readCipherValue(data)];
  try {
    const contentKey = privateDecrypt(
      { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash },
      wrapped,
    );
    if (contentKey.length !== cipher.keyBytes)
      throw new SamlError('Content key has the wrong length');
    return utf8.decode(decrypt(cipher, contentKey, content));
  } catch {
    return failSaml(UNOPENED);
  }
}

const readAlgorithm = (encrypted: XmlElement): string =>
  getAttribute(getOnlyChild(encrypted, ENCRYPTION, 'EncryptionMethod'), 'Algorithm');

function readOaepHash(encryptedKey: XmlElement): string {
  const method = getOnlyChild(encryptedKey, ENCRYPTION, 'EncryptionMethod');
  const digestMethod = getOptionalChild(method, SIGNATURE, 'DigestMethod');
  const maskMethod = getOptionalChild(method, ENCRYPTION_11, 'MGF');
  const digest = digestMethod ? DIGESTS.get(getAttribute(digestMethod, 'Algorithm')) : 'sha1';
  const mask = maskMethod ? MASKS.get(getAttribute(maskMethod, 'Algorithm')) : 'sha1';
  const isOaep = [`${ENCRYPTION}rsa-oaep-mgf1p`, `${ENCRYPTION_11}rsa-oaep`].includes(
    readAlgorithm(encryptedKey),
  );
  if (!isOaep || digest === undefined || digest !== mask)
    return failSaml('Encryption algorithm of the key is not accepted');
  return digest;
}

function readCipherValue(encrypted: XmlElement): Buffer {
  const value = getOnlyChild(
    getOnlyChild(encrypted, ENCRYPTION, 'CipherData'),
    ENCRYPTION,
    'CipherValue',
  );
  return Buffer.from(getElementText(value), 'base64');
}

function decrypt({ name, ivBytes }: Cipher, key: Buffer, content: Buffer): Buffer {
  const iv = content.subarray(0, ivBytes);
  if (name === 'aes-128-gcm' || name === 'aes-192-gcm' || name === 'aes-256-gcm') {
    const gcm = createDecipheriv(name, key, iv, { authTagLength: TAG_BYTES });
    gcm.setAuthTag(content.subarray(-TAG_BYTES));
    return Buffer.concat([gcm.update(content.subarray(ivBytes, -TAG_BYTES)), gcm.final()]);
  }
  const cbc = createDecipheriv(name, key, iv).setAutoPadding(false);
  const padded = Buffer.concat([cbc.update(content.subarray(ivBytes)), cbc.final()]);
  // XML Encryption defines only the last byte of the padding: its length.
  const padding = padded.at(-1) ?? 0;
  if (padding < 1 || padding > BLOCK_BYTES) throw new SamlError('Padding has an invalid length');
  return padded.subarray(0, padded.length - padding);
}
