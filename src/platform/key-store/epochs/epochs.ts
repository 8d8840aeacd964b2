// What services know of the epochs of the key store.
import type { Custodian } from '../../custodian/custodian.ts';
import type { EpochFollower } from './epoch-follower.ts';
import type { EpochStore } from './epoch-store.ts';

/** The named steps of a roll, in their order; fault tests end it before each of them. */
export const EPOCH_STEPS = [
  'make',
  'record-made',
  'follow',
  'switch',
  'reseal',
  'complete',
  'digest',
  'destroy',
  'sign',
  'record-destroyed',
  'forget',
  'record-erasures',
] as const;
export type EpochStep = (typeof EPOCH_STEPS)[number];

export interface Epochs {
  store: EpochStore;
  /** Loads the keys of epochs, and forgets them. */
  follower: EpochFollower;
  /** Keeps the keys of epochs; null: there are none. */
  custodian: Custodian | null;
  /** Called before every step of a roll; for fault tests. */
  probe?: ((step: EpochStep) => void | Promise<void>) | undefined;
}
