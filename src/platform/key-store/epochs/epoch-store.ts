// The epochs of the key store: which one encrypts, which one is left, and the rows that are still to be encrypted again.
import { createHash } from 'node:crypto';
import type { mongo } from 'mongoose';
import type { Vault } from '../../secrets/vault.ts';
import { DURABLE, MAJORITY } from '../../mongo/concerns.ts';
import { createNodeEncryption, NO_EPOCH } from './node-encryption.ts';
import type { EpochKeys } from './epoch-keys.ts';
import { KEYS, OWN, type StoredKey, toNodeAad } from '../stored-keys.ts';

/**
 * `made`: its key is there, and instances load it. `current`: encrypts. `leaving`: does not encrypt any more, and its rows
 * are encrypted again. `destroyed`: the custodian has destroyed its key.
 */
export type EpochState = 'made' | 'current' | 'leaving' | 'destroyed';

export interface EpochDocument {
  /** Its number, from 1. */
  _id: number;
  state: EpochState;
  /** The custodian that keeps its key. */
  custodian: string;
  /** What the custodian wants back to open the key. */
  ticket: string;
  createdAt: Date;
  /** Rows of new organisations that it encrypted; a change is what makes a switch wait for them. */
  organizations: number;
  /** When no row was left under an earlier epoch. */
  completedAt?: Date;
  destroyedAt?: Date;
  /** The custodian's signed note. */
  statement?: string;
  /** The key that signed it, as verifiers take it. */
  verifierKey?: string;
}

export interface EpochStore {
  /** All epochs, oldest first. */
  listEpochs(): Promise<EpochDocument[]>;
  /** Records a new epoch whose key is there; false when another instance did so. */
  addEpoch(
    epoch: Pick<EpochDocument, '_id' | 'custodian' | 'ticket' | 'createdAt'>,
  ): Promise<boolean>;
  /** This epoch encrypts from now on, and the one before is left. Repeated, it changes nothing. */
  switchTo(epoch: number): Promise<void>;
  /** Encrypts some rows again under this epoch. Returns how many; 0: none is left under an earlier one. */
  reencryptRows(epoch: number): Promise<number>;
  /** Notes that every row is encrypted under this epoch. */
  completeEpoch(epoch: number, at: Date): Promise<void>;
  /** SHA-256 of all rows at one moment. */
  digestRows(): Promise<Buffer>;
  /** Records the destruction of all epochs before this one. */
  recordDestruction(
    before: number,
    destruction: Required<Pick<EpochDocument, 'destroyedAt' | 'statement' | 'verifierKey'>>,
  ): Promise<void>;
}

export const EPOCHS = 'epochs';
/** Rows of one step. */
const BATCH = 500;
const DUPLICATE_KEY = 11_000;

interface Deps {
  client: mongo.MongoClient;
  /** Name of the database of the key store. */
  database: string;
  vault: Pick<Vault, 'encrypt' | 'decrypt'>;
  epochKeys: EpochKeys;
}

export function createEpochStore({ client, database, vault, epochKeys }: Deps): EpochStore {
  const epochs = client.db(database).collection<EpochDocument>(EPOCHS);
  const keys = client.db(database).collection<StoredKey>(KEYS);
  const encryption = createNodeEncryption(vault, epochKeys);

  function toReencryption(row: mongo.WithId<StoredKey>, epoch: number) {
    const { _id, key } = row;
    const aad = toNodeAad(row);
    const text = encryption.decryptNode(key, aad, row.epoch ?? NO_EPOCH);
    const changed = { key: encryption.encryptNode(text, aad, epoch), epoch };
    return { updateOne: { filter: { _id, key }, update: { $set: changed } } };
  }

  /** Replaces rows that have not changed since they were read; others have their turn later. */
  async function reencryptEach(rows: mongo.WithId<StoredKey>[], epoch: number): Promise<number> {
    if (rows.length === 0) return 0;
    const changes = rows.map((row) => toReencryption(row, epoch));
    await keys.bulkWrite(changes, { ordered: false, ...DURABLE });
    return rows.length;
  }

  /** The rows that no epoch or an earlier one has encrypted. A roller that was overtaken MUST NOT set others back. */
  function findBehind(epoch: number, where: mongo.Filter<StoredKey>) {
    return keys.find({ ...where, epoch: { $not: { $gte: epoch } } }, MAJORITY);
  }

  async function ensureIndex(): Promise<void> {
    await keys.createIndex({ epoch: 1, place: 1 }, { name: 'epoch' });
  }

  return {
    listEpochs: () => epochs.find({}, MAJORITY).sort({ _id: 1 }).toArray(),

    async addEpoch(epoch) {
      await ensureIndex();
      try {
        const row: EpochDocument = Object.assign(
          { state: 'made', organizations: 0 } as const,
          epoch,
        );
        await epochs.insertOne(row, DURABLE);
        return true;
      } catch (error) {
        if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
        return false;
      }
    },

    /**
     * New organisations are encrypted by the newest `current` epoch. The former one is left second, by a change that waits
     * for those that it encrypts at this moment, and that others meet.
     */
    async switchTo(epoch) {
      const made = { _id: epoch, state: 'made' } as const;
      await epochs.updateOne(made, { $set: { state: 'current' } }, DURABLE);
      const former = { _id: { $lt: epoch }, state: 'current' } as const;
      await epochs.updateMany(former, { $set: { state: 'leaving' } }, DURABLE);
    },

    /**
     * The row of an organisation itself goes first: writers change it in their transactions, and encrypt under its epoch.
     * So a writer either commits before, and its rows are found here, or repeats its transaction under the new epoch.
     */
    async reencryptRows(epoch) {
      const own = await findBehind(epoch, { place: OWN }).limit(BATCH).toArray();
      const changed = await reencryptEach(own, epoch);
      if (changed > 0) return changed;
      return reencryptEach(await findBehind(epoch, {}).limit(BATCH).toArray(), epoch);
    },

    async completeEpoch(epoch, at) {
      const where = { _id: epoch, completedAt: { $exists: false } };
      await epochs.updateOne(where, { $set: { completedAt: at } }, DURABLE);
    },

    async digestRows() {
      const digest = createHash('sha256');
      const readRows = async (session: mongo.ClientSession): Promise<void> => {
        const rows = keys.find({}, { session }).sort({ organizationId: 1, place: 1 });
        for await (const { organizationId, place, epoch = NO_EPOCH, key } of rows)
          digest.update(`${organizationId} ${place} ${epoch} ${key}\n`);
      };
      await client.withSession({ snapshot: true }, readRows);
      return digest.digest();
    },

    async recordDestruction(before, destruction) {
      const where = { _id: { $lt: before }, state: { $ne: 'destroyed' } } as const;
      const change = { $set: Object.assign({ state: 'destroyed' } as const, destruction) };
      await epochs.updateMany(where, change, DURABLE);
    },
  };
}
