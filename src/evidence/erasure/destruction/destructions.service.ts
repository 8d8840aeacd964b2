// Tells each erasure when the keys of its epoch are destroyed, and certifies that in the ledger.
import type { Platform } from '../../../platform/platform.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import type { EpochDocument } from '../../../platform/key-store/epochs/epoch-store.ts';
import { queueAttestation } from '../../hash-chain/attestations.service.ts';
import type { ErasureDestruction, ErasureDocument } from '../erasures.model.ts';

/** Erasures of one step. */
const BATCH = 100;

/** Whether erasures can say when their keys are destroyed. */
export function canDestroy(platform: Platform): boolean {
  return platform.epochs.custodian !== null;
}

/** The destruction that an erasure waits for, once its keys are gone; null: no epoch seals the key store. */
export async function describePending(
  platform: Platform,
  isAsked: boolean,
): Promise<ErasureDestruction | null> {
  const { custodian, store } = platform.epochs;
  if (!custodian) return null;
  const epochs = await store.listEpochs();
  const sealing = epochs.findLast(({ state }) => state === 'current');
  if (!sealing) return null;
  const none = { destroyedAt: null, statement: null, verifierKey: null };
  return Object.assign({ status: 'pending', epoch: sealing._id, isAsked } as const, none);
}

/** Wakes the roll that an erasure asked for. */
export function wakeRoll({ wakeJob }: Platform): void {
  wakeJob('erasure.epochs');
}

/** Whether an erasure asked that this epoch ends early. */
export async function isRollAsked({ models }: Platform, epoch: number): Promise<boolean> {
  const where = {
    status: 'executed',
    'destruction.status': 'pending',
    'destruction.isAsked': true,
    'destruction.epoch': epoch,
  } as const;
  return (await models.erasures.exists(where).setOptions({ crossTenant: true })) !== null;
}

/** Records what is destroyed with the erasures that wait for it; resolves with their number. */
export async function recordDestroyed(platform: Platform): Promise<number> {
  const epochs = await platform.epochs.store.listEpochs();
  const destroyed = epochs.filter(({ state }) => state === 'destroyed');
  const byNumber = new Map(destroyed.map((epoch) => [epoch._id, epoch]));
  const newest = destroyed.at(-1);
  if (!newest) return 0;
  const where = {
    status: 'executed',
    'destruction.status': 'pending',
    'destruction.epoch': { $lte: newest._id },
  } as const;
  const found = await platform.models.erasures
    .find(where, null, { crossTenant: true, limit: BATCH })
    .lean<ErasureDocument[]>();
  for (const erasure of found)
    await recordOne(platform, erasure, byNumber.get(erasure.destruction?.epoch ?? 0) ?? newest);
  return found.length;
}

/** Records the statement with an erasure, and queues its second certificate. */
async function recordOne(
  platform: Platform,
  { _id, organizationId, workspaceId, certificate }: ErasureDocument,
  { destroyedAt, statement = '', verifierKey }: EpochDocument,
): Promise<void> {
  await platform.transaction(async () => {
    const where = { _id, organizationId, 'destruction.status': 'pending' } as const;
    const change = {
      'destruction.status': 'destroyed',
      'destruction.destroyedAt': destroyedAt,
      'destruction.statement': statement,
      'destruction.verifierKey': verifierKey,
    };
    const { modifiedCount } = await platform.models.erasures.updateOne(where, { $set: change });
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
