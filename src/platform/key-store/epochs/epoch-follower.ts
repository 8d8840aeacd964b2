// Keeps the epoch keys of this instance as the key store says: loads those in use, forgets those that were destroyed.
import type { Custodian } from '../../custodian/custodian.ts';
import type { EpochKeys } from './epoch-keys.ts';
import type { EpochDocument, EpochStore } from './epoch-store.ts';

export interface EpochFollower {
  /**
   * Runs one after another.
   * @throws Error when the key of the current epoch cannot be had: nothing that is encrypted can be read then
   */
  followEpochs(): Promise<void>;
}

interface FollowerDeps {
  epochStore: Pick<EpochStore, 'listEpochs'>;
  epochKeys: EpochKeys;
  custodian: Pick<Custodian, 'id' | 'openEpoch'> | null;
  /** Called with the newest epoch whose key, like those before it, is loaded. */
  announce(epoch: number): Promise<void>;
}

export function createEpochFollower(deps: FollowerDeps): EpochFollower {
  const { epochStore, epochKeys, custodian, announce } = deps;
  let latest: Promise<void> = Promise.resolve();
  let announced = 0;

  /** Returns whether the key is loaded. One that is made or left may be gone; nothing is encrypted by it alone. */
  async function loadEpoch({ _id, state, ticket, custodian: keeper }: EpochDocument) {
    if (epochKeys.findKey(_id)) return true;
    if (custodian?.id !== keeper)
      throw new Error(
        `the key store is encrypted under epoch ${_id}, which the custodian "${keeper}" keeps; ASSAY_ERASURE_CUSTODIAN names ${custodian ? `"${custodian.id}"` : 'none'}`,
      );
    const key = await custodian.openEpoch(_id, ticket);
    if (key) epochKeys.addKey(_id, key);
    else if (state === 'current') throw new Error(`the custodian has no key of epoch ${_id}`);
    return key !== null;
  }

  async function followOnce(): Promise<void> {
    const living = (await epochStore.listEpochs()).filter(({ state }) => state !== 'destroyed');
    let newest = 0;
    for (const epoch of living) if (await loadEpoch(epoch)) newest = epoch._id;
    if (living.length > 0) epochKeys.keepOnly(living.map(({ _id }) => _id));
    if (newest === announced) return;
    await announce(newest);
    announced = newest;
  }

  return {
    followEpochs() {
      latest = latest.catch(() => undefined).then(followOnce);
      return latest;
    },
  };
}
