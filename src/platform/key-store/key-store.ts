// The key store: a separate database with what remains of each organisation's key tree, every node sealed by the vault.
import { LRUCache } from 'lru-cache';
import type { mongo } from 'mongoose';
import { LeafKeys, type KeyPlace, listPlaces, destroyLeaves } from '../../domain/keys/key-tree.ts';
import { generateToken } from '../ids.ts';
import type { Vault } from '../secrets/vault.ts';
import { BatchByKey } from '../concurrency/batch-by-key.ts';
import { DURABLE, MAJORITY, TRANSACTION } from '../mongo/concerns.ts';

/** A node of a key tree; the place `OWN` holds the key of the organisation itself. */
interface StoredKey {
  organizationId: string;
  place: KeyPlace;
  /** Sealed for this organisation and place. */
  key: string;
}

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
  /** Seals all keys again with the current key of the vault. */
  renew(): Promise<void>;
}

interface CachedKeys {
  nodes: Map<KeyPlace, Buffer>;
  keys: LeafKeys;
  /** Requested leaves that have no node. */
  gone: Set<KeyPlace>;
}

const COLLECTION = 'keys';
const OWN = 'organization';
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
  vault: Pick<Vault, 'seal' | 'unseal'>;
}

export function createKeyStore({ client, database, vault }: Deps): KeyStore {
  const stored = client.db(database).collection<StoredKey>(COLLECTION);
  const keyCache = new LRUCache<string, CachedKeys>({ max: CACHE_MAX, ttl: CACHE_TTL_MS });
  let indexed: Promise<unknown> | null = null;

  const createAad = (organizationId: string, place: KeyPlace): string =>
    `key:${organizationId}:${place}`;
  const unsealKey = ({ organizationId, place, key }: StoredKey): Buffer =>
    Buffer.from(vault.unseal(key, createAad(organizationId, place)), 'base64url');
  const sealKey = (organizationId: string, place: KeyPlace, key: string): StoredKey => ({
    organizationId,
    place,
    key: vault.seal(key, createAad(organizationId, place)),
  });

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
    return new Map((await found.toArray()).map((row) => [row.place, unsealKey(row)]));
  }

  async function loadLeafKeys(
    organizationId: string,
    leaves: readonly KeyPlace[],
  ): Promise<LeafKeys> {
    const { nodes, keys, gone } = getCachedKeys(organizationId);
    const unknown = leaves.filter((leaf) => !gone.has(leaf) && !keys.hasKey(leaf));
    if (unknown.length === 0) return keys;
    for (const [place, key] of await readNodes(organizationId, unknown, MAJORITY))
      nodes.set(place, key);
    for (const leaf of unknown) if (!keys.hasKey(leaf)) gone.add(leaf);
    return keys;
  }

  /** Reads and replaces the nodes in one transaction; a conflicting one is repeated. */
  async function destroyNow(organizationId: string, leaves: readonly KeyPlace[]): Promise<void> {
    const replaceNodes = async (session: mongo.ClientSession): Promise<void> => {
      const nodes = await readNodes(organizationId, leaves, { session });
      const { removed, added } = destroyLeaves(nodes, leaves);
      if (removed.length === 0) return;
      const rows = [...added].map(([place, key]) =>
        sealKey(organizationId, place, key.toString('base64url')),
      );
      await stored.deleteMany({ organizationId, place: { $in: removed } }, { session });
      if (rows.length > 0) await stored.insertMany(rows, { session });
    };
    await client.withSession((session) =>
      session.withTransaction(() => replaceNodes(session), TRANSACTION),
    );
    keyCache.delete(organizationId);
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
      const row = await stored.findOne({ organizationId, place: OWN }, MAJORITY);
      if (row) nodes.set(OWN, unsealKey(row));
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
      const rows = [OWN, ''].map((place) => sealKey(organizationId, place, generateToken()));
      try {
        await client.withSession((session) =>
          session.withTransaction(() => stored.insertMany(rows, { session }), TRANSACTION),
        );
      } catch (error) {
        if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
      }
      keyCache.delete(organizationId);
      return true;
    },

    async renew() {
      for await (const row of stored.find({}, MAJORITY)) {
        const { organizationId, place } = row;
        const key = unsealKey(row).toString('base64url');
        await stored.replaceOne(row, sealKey(organizationId, place, key), DURABLE);
      }
    },

    async destroyAll(organizationId) {
      await stored.deleteMany({ organizationId }, DURABLE);
      keyCache.delete(organizationId);
    },
  };
}
