// Encrypts the nodes of key trees: by the vault, and around that by the key of an epoch where a custodian keeps some.
import { AppError } from '../../../errors.ts';
import { createVault, type Vault } from '../../secrets/vault.ts';
import type { EpochKeys } from './epoch-keys.ts';

/** The epoch of nodes that are encrypted by the vault alone. */
export const NO_EPOCH = 0;

/** A node is encrypted under an epoch whose key this process does not know yet, or not any more. */
export class UnknownEpochError extends AppError {
  constructor(epoch: number) {
    const text = `A key is encrypted under epoch ${epoch}, whose key is not known here; try again soon`;
    super('SERVICE_UNAVAILABLE', text, { headers: { 'Retry-After': '5' } });
  }
}

export interface NodeEncryption {
  /** @throws UnknownEpochError */
  encryptNode(text: string, aad: string, epoch: number): string;
  /** @throws UnknownEpochError; Error when the value was altered or encrypted with another key */
  decryptNode(ciphertext: string, aad: string, epoch: number): string;
}

const ATTEMPTS = 3;

export function createNodeEncryption(
  vault: Pick<Vault, 'encrypt' | 'decrypt'>,
  epochKeys: EpochKeys | null,
): NodeEncryption {
  /** The vault of an epoch; the key is looked up each time, so that a forgotten one opens nothing. */
  function openEpochVault(epoch: number): Vault {
    const key = epochKeys?.findKey(epoch);
    if (!key) throw new UnknownEpochError(epoch);
    return createVault({ key: key.toString('base64url'), formerKeys: [] });
  }

  const formatAad = (epoch: number, aad: string): string => `epoch:${epoch}:${aad}`;

  return {
    encryptNode(text, aad, epoch) {
      const inner = vault.encrypt(text, aad);
      if (epoch === NO_EPOCH) return inner;
      return openEpochVault(epoch).encrypt(inner, formatAad(epoch, aad));
    },
    decryptNode(ciphertext, aad, epoch) {
      if (epoch === NO_EPOCH) return vault.decrypt(ciphertext, aad);
      const inner = openEpochVault(epoch).decrypt(ciphertext, formatAad(epoch, aad));
      return vault.decrypt(inner, aad);
    },
  };
}

/**
 * Repeats work that met an unknown epoch: rows may be encrypted again, and the former key forgotten, between reading and
 * opening them.
 * @throws UnknownEpochError when it meets one every time
 */
export async function retryUnknownEpoch<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UnknownEpochError) || attempt === ATTEMPTS) throw error;
    }
}
