// An Ed25519 key in the memory of this process. It signs on the event loop: 36 us, where the thread pool takes 90 of CPU.
import { createPrivateKey, createPublicKey, generateKeyPair, sign } from 'node:crypto';
import { type SignNote, toRawPublicKey } from '../../../domain/log/signed-note.ts';

export interface NoteKey {
  /** 32 bytes. */
  publicKey: Buffer;
  sign: SignNote;
}

/** Generates a private key in PEM (PKCS #8). */
export function generateNoteKey(): Promise<string> {
  return new Promise((resolve, reject) => {
    generateKeyPair('ed25519', undefined, (error, _publicKey, privateKey) => {
      if (error) reject(error);
      else resolve(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    });
  });
}

/** @throws TypeError for a key that is not Ed25519 */
export function openNoteKey(pem: string): NoteKey {
  const privateKey = createPrivateKey(pem);
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
  return {
    publicKey: toRawPublicKey(createPublicKey(privateKey)),
    sign: (text) => Promise.resolve(sign(null, text, privateKey)),
  };
}
