// What services know of the epochs of the key store.
import type { Custodian } from '../../custodian/custodian.ts';
import type { EpochFollower } from './epoch-follower.ts';
import type { EpochStore } from './epoch-store.ts';

export interface Epochs {
  store: EpochStore;
  /** Loads the keys of epochs, and forgets them. */
  follower: EpochFollower;
  /** Keeps the keys of epochs; null: there are none. */
  custodian: Custodian | null;
  /** Called before every step of a roll; for fault tests. */
  probe?: ((step: string) => void | Promise<void>) | undefined;
}
