// The key store: a separate database with what remains of each organisation's key tree, every node encrypted (node-encryption.ts).
import { LRUCache } from 'lru-cache';
import { mongo } from 'mongoose';
import { LeafKeys, type KeyPlace, listPlaces, destroyLeaves } from '../../domain/keys/key-tree.ts';
import { generateToken } from '../ids.ts';
import type { Vault } from '../secrets/vault.ts';
import { BatchByKey } from '../concurrency/batch-by-key.ts';
import { DURABLE, MAJORITY, TRANSACTION } from '../mongo/concerns.ts';
import type { EpochKeys } from './epochs/epoch-keys.ts';
import { EPOCHS, type EpochDocument } from './epochs/epoch-store.ts';
import { createNodeEncryption, NO_EPOCH, retryUnknownEpoch } from './epochs/node-encryption.ts';
import { KEYS, OWN, type StoredKey, toNodeAad } from './stored-keys.ts';

export interface KeyStore {
  /** Resolves with the keys of these leaves, except those that were destroyed. */
  loadLeafKeys(organizationId: string, leaves: readonly KeyPlace[]): Promise<LeafKeys>;
  /** The key of the organisation itself, which is destroyed with all others; null: it has none. */
  loadOrganizationKey(organizationId: string): Promise<Buffer | null>;
  /** Creates the keys of an organisation; false when it has some already. */
  ensure(organizationId: string): Promise<boolean>;
  /** Destroys the keys of leaves for good; repeated, it changes nothing. Other instances forget them within seconds. */
  destroy(organizationId: string, leaves: readonly KeyPlace[]): Promise<void>;
  /** Destroys all keys of an organisation. */
  destroyAll(organizationId: string): Promise<void>;
  /** Encrypts all keys again with the current key of the vault. */
  renew(): Promise<void>;
}

interface CachedKeys {
  nodes: Map<KeyPlace, Buffer>;
  keys: LeafKeys;
  /** Requested leaves that have no node. */
  gone: Set<KeyPlace>;
}

/** Cached keys are read again after this time, since another instance may have destroyed some. */
const CACHE_TTL_MS = 5000;
const CACHE_MAX = 1000;
/** Leaves that one transaction destroys. */
const BATCH = 256;
const DUPLICATE_KEY = 11_000;

interface Deps {
  client: mongo.MongoClient;
  /** Name of the database. */
  database: string;
  vault: Pick<Vault, 'encrypt' | 'decrypt'>;
  /** Absent: there are no epochs. */
  epochKeys?: EpochKeys;
}

export function createKeyStore({ client, database, vault, epochKeys }: Deps): KeyStore {
  const stored = client.db(database).collection<StoredKey>(KEYS);
  const epochs = client.db(database).collection<EpochDocument>(EPOCHS);
  const encryption = createNodeEncryption(vault, epochKeys ?? null);
  const keyCache = new LRUCache<string, CachedKeys>({ max: CACHE_MAX, ttl: CACHE_TTL_MS });
  let indexed: Promise<unknown> | null = null;

  const decryptKey = (row: StoredKey): Buffer =>
    Buffer.from(
      encryption.decryptNode(row.key, toNodeAad(row), row.epoch ?? NO_EPOCH),
      'base64url',
    );

  function encryptKey(
    organizationId: string,
    node: { place: KeyPlace; key: string },
    epoch: number,
  ): StoredKey {
    const { place, key } = node;
    const ciphertext = encryption.encryptNode(key, toNodeAad({ organizationId, place }), epoch);
    return { organizationId, place, key: ciphertext, ...(epoch !== NO_EPOCH && { epoch }) };
  }

  /**
   * The epoch that encrypts the rows of an organisation: that of its own row, which every writer changes (epoch-store.ts).
   */
  async function claimEpoch(organizationId: string, session: mongo.ClientSession): Promise<number> {
    if (!epochKeys?.isActive()) return NO_EPOCH;
    const change = { $set: { writer: new mongo.ObjectId() } };
    const own = await stored.findOneAndUpdate({ organizationId, place: OWN }, change, { session });
    return own?.epoch ?? NO_EPOCH;
  }

  /** The epoch that encrypts the rows of new organisations; its row changes, so that a switch waits or is waited for. */
  async function claimCurrentEpoch(session: mongo.ClientSession): Promise<number> {
    if (!epochKeys?.isActive()) return NO_EPOCH;
    const change = { $inc: { organizations: 1 } };
    const options = { session, sort: { _id: -1 } } as const;
    const current = await epochs.findOneAndUpdate({ state: 'current' }, change, options);
    return current?._id ?? NO_EPOCH;
  }

  function getCachedKeys(organizationId: string): CachedKeys {
    const found = keyCache.get(organizationId);
    if (found) return found;
    const nodes = new Map<KeyPlace, Buffer>();
    const made = { nodes, keys: new LeafKeys(nodes), gone: new Set<KeyPlace>() };
    keyCache.set(organizationId, made);
    return made;
  }

  /** The nodes above these leaves. */
  async function readNodes(
    organizationId: string,
    leaves: Iterable<KeyPlace>,
    options: mongo.FindOptions,
  ): Promise<Map<KeyPlace, Buffer>> {
    const places = new Set([...leaves].flatMap(listPlaces));
    const found = stored.find({ organizationId, place: { $in: [...places] } }, options);
    return new Map((await found.toArray()).map((row) => [row.place, decryptKey(row)]));
  }

  async function loadLeafKeys(
    organizationId: string,
    leaves: readonly KeyPlace[],
  ): Promise<LeafKeys> {
    const { nodes, keys, gone } = getCachedKeys(organizationId);
    const unknown = leaves.filter((leaf) => !gone.has(leaf) && !keys.hasKey(leaf));
    if (unknown.length === 0) return keys;
    const found = await retryUnknownEpoch(() => readNodes(organizationId, unknown, MAJORITY));
    for (const [place, key] of found) nodes.set(place, key);
    for (const leaf of unknown) if (!keys.hasKey(leaf)) gone.add(leaf);
    return keys;
  }

  /** Reads and replaces the nodes in one transaction; a conflicting one is repeated. */
  async function destroyNow(organizationId: string, leaves: readonly KeyPlace[]): Promise<void> {
    const replaceNodes = async (session: mongo.ClientSession): Promise<void> => {
      const epoch = await claimEpoch(organizationId, session);
      const nodes = await readNodes(organizationId, leaves, { session });
      const { removed, added } = destroyLeaves(nodes, leaves);
      if (removed.length === 0) return;
      const rows = [...added].map(([place, key]) =>
        encryptKey(organizationId, { place, key: key.toString('base64url') }, epoch),
      );
      await stored.deleteMany({ organizationId, place: { $in: removed } }, { session });
      if (rows.length > 0) await stored.insertMany(rows, { session });
    };
    await retryUnknownEpoch(() =>
      client.withSession((session) =>
        session.withTransaction(() => replaceNodes(session), TRANSACTION),
      ),
    );
    keyCache.delete(organizationId);
  }

  async function insertKeys(organizationId: string): Promise<void> {
    const insertRows = async (session: mongo.ClientSession): Promise<void> => {
      const epoch = await claimCurrentEpoch(session);
      const rows = [OWN, ''].map((place) =>
        encryptKey(organizationId, { place, key: generateToken() }, epoch),
      );
      await stored.insertMany(rows, { session });
    };
    await retryUnknownEpoch(() =>
      client.withSession((session) =>
        session.withTransaction(() => insertRows(session), TRANSACTION),
      ),
    );
  }

  /** Rows that change while they are renewed stay as their writer leaves them. */
  async function renewAll(): Promise<void> {
    for await (const row of stored.find({}, MAJORITY)) {
      const { _id, key, epoch = NO_EPOCH } = row;
      const aad = toNodeAad(row);
      const renewed = {
        key: encryption.encryptNode(encryption.decryptNode(key, aad, epoch), aad, epoch),
      };
      await stored.updateOne({ _id, key }, { $set: renewed }, DURABLE);
    }
  }

  const destructions = new BatchByKey<KeyPlace>(async (organizationId, leaves) => {
    const all = [...new Set(leaves)].sort();
    for (let from = 0; from < all.length; from += BATCH)
      await destroyNow(organizationId, all.slice(from, from + BATCH));
  });

  return {
    loadLeafKeys,
    destroy: (organizationId, leaves) => destructions.addItems(organizationId, leaves),

    async loadOrganizationKey(organizationId) {
      const { nodes } = getCachedKeys(organizationId);
      const cached = nodes.get(OWN);
      if (cached) return cached;
      await retryUnknownEpoch(async () => {
        const row = await stored.findOne({ organizationId, place: OWN }, MAJORITY);
        if (row) nodes.set(OWN, decryptKey(row));
      });
      return nodes.get(OWN) ?? null;
    },

    async ensure(organizationId) {
      indexed ??= stored
        .createIndex({ organizationId: 1, place: 1 }, { name: 'place', unique: true })
        .catch((error: unknown) => {
          indexed = null;
          throw error;
        });
      await indexed;
      if (await stored.findOne({ organizationId }, MAJORITY)) return false;
      try {
        await insertKeys(organizationId);
      } catch (error) {
        if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
      }
      keyCache.delete(organizationId);
      return true;
    },

    renew: () => retryUnknownEpoch(renewAll),

    async destroyAll(organizationId) {
      await stored.deleteMany({ organizationId }, DURABLE);
      keyCache.delete(organizationId);
    },
  };
}
