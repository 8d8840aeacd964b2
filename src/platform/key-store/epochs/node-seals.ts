// Seals the nodes of key trees: by the vault, and around that by the key of an epoch where a custodian keeps some.
import { AppError } from '../../../errors.ts';
import { createVault, type Vault } from '../../secrets/vault.ts';
import type { EpochKeys } from './epoch-keys.ts';

/** The epoch of nodes that are sealed by the vault alone. */
export const NO_EPOCH = 0;

/** A node is sealed under an epoch whose key this process does not know yet, or not any more. */
export class UnknownEpochError extends AppError {
  constructor(epoch: number) {
    const text = `A key is sealed under epoch ${epoch}, whose key is not known here; try again soon`;
    super('SERVICE_UNAVAILABLE', text, { headers: { 'Retry-After': '5' } });
  }
}

export interface NodeSeals {
  /** @throws UnknownEpochError */
  sealNode(text: string, aad: string, epoch: number): string;
  /** @throws UnknownEpochError; Error when the value was altered or sealed with another key */
  unsealNode(sealed: string, aad: string, epoch: number): string;
}

const ATTEMPTS = 3;

export function createNodeSeals(
  vault: Pick<Vault, 'seal' | 'unseal'>,
  epochKeys: EpochKeys | null,
): NodeSeals {
  /** The vault of an epoch; the key is looked up each time, so that a forgotten one opens nothing. */
  function openEpochVault(epoch: number): Vault {
    const key = epochKeys?.findKey(epoch);
    if (!key) throw new UnknownEpochError(epoch);
    return createVault({ key: key.toString('base64url'), formerKeys: [] });
  }

  const formatAad = (epoch: number, aad: string): string => `epoch:${epoch}:${aad}`;

  return {
    sealNode(text, aad, epoch) {
      const sealed = vault.seal(text, aad);
      if (epoch === NO_EPOCH) return sealed;
      return openEpochVault(epoch).seal(sealed, formatAad(epoch, aad));
    },
    unsealNode(sealed, aad, epoch) {
      if (epoch === NO_EPOCH) return vault.unseal(sealed, aad);
      const inner = openEpochVault(epoch).unseal(sealed, formatAad(epoch, aad));
      return vault.unseal(inner, aad);
    },
  };
}

/**
 * Repeats work that met an unknown epoch: rows may be sealed again, and the former key forgotten, between reading and
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
