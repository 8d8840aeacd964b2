// Custodians keep the keys of epochs outside the database, destroy them, and sign that they did.
import type { SignNote } from '@assay/tlog';

/** The key of a new epoch. */
export interface EpochMaterial {
  /** 32 bytes. */
  key: Buffer;
  /** What the key store keeps beside the epoch. It opens nothing without the custodian. */
  ticket: string;
}

/**
 * Every call is bounded in time, and may be repeated: after a crash the same steps run again.
 * All reject with an Error when the custodian does not answer or refuses.
 */
export interface Custodian {
  /** Names the place of the keys, without secrets; an epoch records which custodian keeps it. */
  id: string;
  /** The name that statements are signed under; null: below that of the installation's logs. */
  signerName: string | null;
  /** Makes the key of an epoch, or returns the one that it made before. */
  makeEpoch(epoch: number): Promise<EpochMaterial>;
  /** Opens the key of an epoch; null: it was destroyed, or this custodian never had it. */
  openEpoch(epoch: number, ticket: string): Promise<Buffer | null>;
  /** Destroys the keys of all epochs before this one, for good. */
  destroyBefore(epoch: number, ticket: string): Promise<void>;
  /** The key that signs statements, and its public half, 32 bytes of Ed25519. */
  loadSigner(): Promise<{ publicKey: Buffer; sign: SignNote }>;
}

export const EPOCH_KEY_BYTES = 32;
