// Opening an encrypted assertion: AES under a key that RSA-OAEP carries (XML Encryption 1.1); nothing else is accepted.
import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';
import { withDescendants, type XmlElement } from './xml.ts';
import { attributeOf, onlyChild, optionalChild, textOf } from './elements.ts';
import { ENCRYPTION, ENCRYPTION_11, SIGNATURE } from './names.ts';
import { failSaml, SamlError } from './saml-error.ts';

interface Cipher {
  name:
    'aes-128-cbc' | 'aes-192-cbc' | 'aes-256-cbc' | 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm';
  ivBytes: number;
  keyBytes: number;
}

const CIPHERS: Readonly<Record<string, Cipher>> = {
  [`${ENCRYPTION}aes128-cbc`]: { name: 'aes-128-cbc', ivBytes: 16, keyBytes: 16 },
  [`${ENCRYPTION}aes192-cbc`]: { name: 'aes-192-cbc', ivBytes: 16, keyBytes: 24 },
  [`${ENCRYPTION}aes256-cbc`]: { name: 'aes-256-cbc', ivBytes: 16, keyBytes: 32 },
  [`${ENCRYPTION_11}aes128-gcm`]: { name: 'aes-128-gcm', ivBytes: 12, keyBytes: 16 },
  [`${ENCRYPTION_11}aes192-gcm`]: { name: 'aes-192-gcm', ivBytes: 12, keyBytes: 24 },
  [`${ENCRYPTION_11}aes256-gcm`]: { name: 'aes-256-gcm', ivBytes: 12, keyBytes: 32 },
};

/** The digest of OAEP and of its mask are the same in what Node.js decrypts. */
const DIGESTS: Readonly<Record<string, string>> = {
  [`${SIGNATURE}sha1`]: 'sha1',
  [`${ENCRYPTION}sha256`]: 'sha256',
  [`${ENCRYPTION}sha512`]: 'sha512',
};
const MASKS: Readonly<Record<string, string>> = {
  [`${ENCRYPTION_11}mgf1sha1`]: 'sha1',
  [`${ENCRYPTION_11}mgf1sha256`]: 'sha256',
  [`${ENCRYPTION_11}mgf1sha512`]: 'sha512',
};

const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The text in an EncryptedAssertion. Whatever goes wrong with key and content is one refusal, so that no answer tells more.
 * @throws SamlRefusal
 */
export function decryptAssertion(holder: XmlElement, key: KeyObject): string {
  const data = onlyChild(holder, ENCRYPTION, 'EncryptedData');
  const cipher =
    CIPHERS[algorithmOf(data)] ?? failSaml('The encryption of the assertion is not accepted');
  const [encryptedKey, ...more] = [...withDescendants(holder)].filter(
    ({ namespace, name }) => namespace === ENCRYPTION && name === 'EncryptedKey',
  );
  if (!encryptedKey || more.length > 0)
    return failSaml('An encrypted assertion needs one encrypted key');
  const oaepHash = oaepHashOf(encryptedKey);
  const [wrapped, content] = [cipherValue(encryptedKey), cipherValue(data)];
  try {
    const contentKey = privateDecrypt(
      { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash },
      wrapped,
    );
    if (contentKey.length !== cipher.keyBytes)
      throw new SamlError('The key or the padding has another length');
    return utf8.decode(decipher(cipher, contentKey, content));
  } catch {
    return failSaml('The assertion cannot be decrypted');
  }
}

const algorithmOf = (encrypted: XmlElement): string =>
  attributeOf(onlyChild(encrypted, ENCRYPTION, 'EncryptionMethod'), 'Algorithm');

function oaepHashOf(encryptedKey: XmlElement): string {
  const method = onlyChild(encryptedKey, ENCRYPTION, 'EncryptionMethod');
  const digestMethod = optionalChild(method, SIGNATURE, 'DigestMethod');
  const maskMethod = optionalChild(method, ENCRYPTION_11, 'MGF');
  const digest = digestMethod ? DIGESTS[attributeOf(digestMethod, 'Algorithm')] : 'sha1';
  const mask = maskMethod ? MASKS[attributeOf(maskMethod, 'Algorithm')] : 'sha1';
  const isOaep = [`${ENCRYPTION}rsa-oaep-mgf1p`, `${ENCRYPTION_11}rsa-oaep`].includes(
    algorithmOf(encryptedKey),
  );
  if (!isOaep || digest === undefined || digest !== mask)
    return failSaml('The encryption of the key is not accepted');
  return digest;
}

function cipherValue(encrypted: XmlElement): Buffer {
  const value = onlyChild(
    onlyChild(encrypted, ENCRYPTION, 'CipherData'),
    ENCRYPTION,
    'CipherValue',
  );
  return Buffer.from(textOf(value), 'base64');
}

function decipher({ name, ivBytes }: Cipher, key: Buffer, content: Buffer): Buffer {
  const iv = content.subarray(0, ivBytes);
  if (name === 'aes-128-gcm' || name === 'aes-192-gcm' || name === 'aes-256-gcm') {
    const opened = createDecipheriv(name, key, iv, { authTagLength: TAG_BYTES });
    opened.setAuthTag(content.subarray(-TAG_BYTES));
    return Buffer.concat([opened.update(content.subarray(ivBytes, -TAG_BYTES)), opened.final()]);
  }
  const opened = createDecipheriv(name, key, iv).setAutoPadding(false);
  const padded = Buffer.concat([opened.update(content.subarray(ivBytes)), opened.final()]);
  // Only the last byte of the padding has a meaning.
  const padding = padded.at(-1) ?? 0;
  if (padding < 1 || padding > BLOCK_BYTES)
    throw new SamlError('The key or the padding has another length');
  return padded.subarray(0, padded.length - padding);
}
