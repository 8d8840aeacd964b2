// The key store: a separate database with what remains of each organisation's key tree, every node sealed by the vault.
import { LRUCache } from 'lru-cache';
import type { mongo } from 'mongoose';
import { LeafKeys, type KeyPlace, placesTo, puncture } from '../../domain/keys/key-tree.ts';
import { randomToken } from '../ids.ts';
import type { Vault } from '../secrets/vault.ts';
import { Turns } from './in-turns.ts';

/** A node of a key tree; the place `OWN` holds the key of the organisation itself. */
interface StoredKey {
  organizationId: string;
  place: KeyPlace;
  /** Sealed for this organisation and place. */
  key: string;
}

export interface KeyStore {
  /** Resolves with the keys of these leaves, except those that were destroyed. */
  leafKeys(organizationId: string, leaves: readonly KeyPlace[]): Promise<LeafKeys>;
  /** The key of the organisation itself, which is destroyed with all others; null: it has none. */
  ownKey(organizationId: string): Promise<Buffer | null>;
  /** Creates the keys of an organisation; false when it has some already. */
  ensure(organizationId: string): Promise<boolean>;
  /** Destroys the keys of leaves for good; repeated, it changes nothing. Other instances forget them within seconds. */
  destroy(organizationId: string, leaves: readonly KeyPlace[]): Promise<void>;
  /** Destroys all keys of an organisation. */
  destroyAll(organizationId: string): Promise<void>;
  /** Seals all keys again with the current key of the vault. */
  renew(): Promise<void>;
}

interface Known {
  nodes: Map<KeyPlace, Buffer>;
  keys: LeafKeys;
  /** Requested leaves that have no node. */
  gone: Set<KeyPlace>;
}

const COLLECTION = 'keys';
const OWN = 'organization';
/** Cached keys are read again after this time, since another instance may have destroyed some. */
const KNOWN_MS = 5000;
const KNOWN_MAX = 1000;
/** Leaves that one transaction destroys. */
const BATCH = 256;
const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', j: true },
  readPreference: 'primary',
} as const;
const DURABLE = { writeConcern: TRANSACTION.writeConcern } as const;
const READ = { readConcern: { level: 'majority' }, readPreference: 'primary' } as const;
const DUPLICATE_KEY = 11_000;

interface Deps {
  client: mongo.MongoClient;
  /** Name of the database. */
  database: string;
  vault: Pick<Vault, 'seal' | 'open'>;
}

export function createKeyStore({ client, database, vault }: Deps): KeyStore {
  const stored = client.db(database).collection<StoredKey>(COLLECTION);
  const known = new LRUCache<string, Known>({ max: KNOWN_MAX, ttl: KNOWN_MS });
  let indexed: Promise<unknown> | null = null;

  const aadOf = (organizationId: string, place: KeyPlace): string =>
    `key:${organizationId}:${place}`;
  const opened = ({ organizationId, place, key }: StoredKey): Buffer =>
    Buffer.from(vault.open(key, aadOf(organizationId, place)), 'base64url');
  const sealed = (organizationId: string, place: KeyPlace, key: string): StoredKey => ({
    organizationId,
    place,
    key: vault.seal(key, aadOf(organizationId, place)),
  });

  function knownOf(organizationId: string): Known {
    const found = known.get(organizationId);
    if (found) return found;
    const nodes = new Map<KeyPlace, Buffer>();
    const made = { nodes, keys: new LeafKeys(nodes), gone: new Set<KeyPlace>() };
    known.set(organizationId, made);
    return made;
  }

  /** The nodes above these leaves. */
  async function nodesAbove(
    organizationId: string,
    leaves: Iterable<KeyPlace>,
    options: mongo.FindOptions,
  ): Promise<Map<KeyPlace, Buffer>> {
    const places = new Set([...leaves].flatMap(placesTo));
    const found = stored.find({ organizationId, place: { $in: [...places] } }, options);
    return new Map((await found.toArray()).map((row) => [row.place, opened(row)]));
  }

  async function leafKeys(organizationId: string, leaves: readonly KeyPlace[]): Promise<LeafKeys> {
    const { nodes, keys, gone } = knownOf(organizationId);
    const unknown = leaves.filter((leaf) => !gone.has(leaf) && !keys.has(leaf));
    if (unknown.length === 0) return keys;
    for (const [place, key] of await nodesAbove(organizationId, unknown, READ))
      nodes.set(place, key);
    for (const leaf of unknown) if (!keys.has(leaf)) gone.add(leaf);
    return keys;
  }

  /** Reads and replaces the nodes in one transaction; a conflicting one is repeated. */
  async function destroyNow(organizationId: string, leaves: readonly KeyPlace[]): Promise<void> {
    const work = async (session: mongo.ClientSession): Promise<void> => {
      const nodes = await nodesAbove(organizationId, leaves, { session });
      const { removed, added } = puncture(nodes, leaves);
      if (removed.length === 0) return;
      const rows = [...added].map(([place, key]) =>
        sealed(organizationId, place, key.toString('base64url')),
      );
      await stored.deleteMany({ organizationId, place: { $in: removed } }, { session });
      if (rows.length > 0) await stored.insertMany(rows, { session });
    };
    await client.withSession((session) =>
      session.withTransaction(() => work(session), TRANSACTION),
    );
    known.delete(organizationId);
  }

  const destructions = new Turns<KeyPlace>(async (organizationId, leaves) => {
    const all = [...new Set(leaves)].sort();
    for (let from = 0; from < all.length; from += BATCH)
      await destroyNow(organizationId, all.slice(from, from + BATCH));
  });

  return {
    leafKeys,
    destroy: (organizationId, leaves) => destructions.add(organizationId, leaves),

    async ownKey(organizationId) {
      const { nodes } = knownOf(organizationId);
      const cached = nodes.get(OWN);
      if (cached) return cached;
      const row = await stored.findOne({ organizationId, place: OWN }, READ);
      if (row) nodes.set(OWN, opened(row));
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
      if (await stored.findOne({ organizationId }, READ)) return false;
      const rows = [OWN, ''].map((place) => sealed(organizationId, place, randomToken()));
      try {
        await client.withSession((session) =>
          session.withTransaction(() => stored.insertMany(rows, { session }), TRANSACTION),
        );
      } catch (error) {
        if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
      }
      known.delete(organizationId);
      return true;
    },

    async renew() {
      for await (const row of stored.find({}, READ)) {
        const { organizationId, place } = row;
        const key = opened(row).toString('base64url');
        await stored.replaceOne(row, sealed(organizationId, place, key), DURABLE);
      }
    },

    async destroyAll(organizationId) {
      await stored.deleteMany({ organizationId }, DURABLE);
      known.delete(organizationId);
    },
  };
}
