// Tells each erasure when the keys of its epoch are destroyed, and certifies that in the ledger.
import type { Platform } from '../../../platform/platform.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import type { EpochDocument } from '../../../platform/key-store/epochs/epoch-store.ts';
import { queueAttestation } from '../../hash-chain/attestations.service.ts';
import type { ErasureDestruction, ErasureDocument } from '../erasures.model.ts';

/** Erasures of one step. */
const BATCH = 100;

export function createDestructionService(platform: Platform) {
  const { models, transaction, wakeJob } = platform;
  const { custodian, store } = platform.epochs;

  /** Records the statement with an erasure, and queues its second certificate. */
  async function recordOne(
    { _id, organizationId, workspaceId, certificate }: ErasureDocument,
    { destroyedAt, statement = '', verifierKey }: EpochDocument,
  ): Promise<void> {
    await transaction(async () => {
      const where = { _id, organizationId, 'destruction.status': 'pending' } as const;
      const change = {
        'destruction.status': 'destroyed',
        'destruction.destroyedAt': destroyedAt,
        'destruction.statement': statement,
        'destruction.verifierKey': verifierKey,
      };
      const { modifiedCount } = await models.erasures.updateOne(where, { $set: change });
      if (modifiedCount === 0) return;
      const about = {
        kind: 'certificate',
        organizationId: organizationId.toHexString(),
        workspaceId,
        actor: { kind: 'system', id: null },
        erasureId: _id.toHexString(),
        digest: sha256Hex(certificate ?? ''),
      } as const;
      await queueAttestation(platform, about, { destruction: sha256Hex(statement) });
    });
  }

  return {
    /** Whether erasures can say when their keys are destroyed. */
    isAvailable: custodian !== null,

    /** The destruction that an erasure waits for, once its keys are gone; null: no epoch seals the key store. */
    async describePending(isAsked: boolean): Promise<ErasureDestruction | null> {
      if (!custodian) return null;
      const epochs = await store.listEpochs();
      const sealing = epochs.findLast(({ state }) => state === 'current');
      if (!sealing) return null;
      const none = { destroyedAt: null, statement: null, verifierKey: null };
      return Object.assign({ status: 'pending', epoch: sealing._id, isAsked } as const, none);
    },

    /** Wakes the roll that an erasure asked for. */
    wakeRoll: (): void => wakeJob('erasure.epochs'),

    /** Whether an erasure asked that this epoch ends early. */
    async isRollAsked(epoch: number): Promise<boolean> {
      const where = {
        status: 'executed',
        'destruction.status': 'pending',
        'destruction.isAsked': true,
        'destruction.epoch': epoch,
      } as const;
      return (await models.erasures.exists(where).setOptions({ crossTenant: true })) !== null;
    },

    /** Records what is destroyed with the erasures that wait for it; resolves with their number. */
    async recordDestroyed(): Promise<number> {
      const epochs = await store.listEpochs();
      const destroyed = epochs.filter(({ state }) => state === 'destroyed');
      const byNumber = new Map(destroyed.map((epoch) => [epoch._id, epoch]));
      const newest = destroyed.at(-1);
      if (!newest) return 0;
      const where = {
        status: 'executed',
        'destruction.status': 'pending',
        'destruction.epoch': { $lte: newest._id },
      } as const;
      const found = await models.erasures
        .find(where, null, { crossTenant: true, limit: BATCH })
        .lean<ErasureDocument[]>();
      for (const erasure of found)
        await recordOne(erasure, byNumber.get(erasure.destruction?.epoch ?? 0) ?? newest);
      return found.length;
    },
  };
}
export type DestructionService = ReturnType<typeof createDestructionService>;
