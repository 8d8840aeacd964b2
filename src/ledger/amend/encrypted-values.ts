// Amends encrypted contents: encrypts corrected values in the decision, erases values, and destroys the key with the last.
import type { mongo, Types } from 'mongoose';
import {
  type Contents,
  ESCALATION,
  type EncryptedDocument,
  splitForEncryption,
  toPartName,
} from '../contents/contents.ts';
import { type CommittedValues, type Stored } from '../entry.ts';
import type { UpdateEntry } from '../entry-updates.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';

type EncryptedEntry = EncryptedDocument & Pick<Stored, 'organizationId'>;

interface Deps {
  collection: mongo.Collection<Stored>;
  updateEntry: UpdateEntry;
  contents: Contents;
}

const MEMBERS = { organizationId: 1, sequence: 1, generation: 1, sealed: 1, content: 1 } as const;

export function createEncryptedValues({ collection, updateEntry, contents }: Deps) {
  async function findEncryptedEntries(
    organizationId: Types.ObjectId,
    sequences: readonly number[],
  ) {
    const filter = { organizationId, sequence: { $in: [...sequences] } };
    const found = collection.find<EncryptedEntry>(filter, { ...MAJORITY, projection: MEMBERS });
    return found.toArray();
  }

  /** Encrypts the remaining values of an entry again, without the erased ones. */
  async function encryptRemaining(
    entry: EncryptedEntry,
    remaining: readonly string[],
  ): Promise<void> {
    const { sequence } = entry;
    const organizationId = entry.organizationId.toHexString();
    const opened = await contents.decryptOne(organizationId, entry);
    const sealed = (opened.sealed ?? {}) as CommittedValues;
    const values = Object.fromEntries(
      remaining.flatMap((name) => (sealed[name] ? [[name, sealed[name]]] : [])),
    );
    const content = await contents.encryptValues(entry, splitForEncryption(values).values);
    const filter = { organizationId: entry.organizationId, sequence };
    if (content) await updateEntry({ filter, set: { content } });
  }

  return {
    /** Returns the values that an entry sets on its decision, with the texts encrypted under the key of the entry. */
    async encryptChanges(
      entry: Stored,
      decision: number,
      set: Readonly<Record<string, unknown>>,
    ): Promise<Record<string, unknown>> {
      const { sequence } = entry;
      const generation = Number(entry['generation'] ?? 0);
      const place = {
        organizationId: entry.organizationId.toHexString(),
        sequence,
        generation,
      };
      const encrypted = Object.entries(set).map(async ([path, value]) => [
        path,
        isContent(path) && typeof value === 'string'
          ? await contents.encryptPart(place, toPartName(path, decision), value)
          : value,
      ]);
      return Object.fromEntries(await Promise.all(encrypted)) as Record<string, unknown>;
    },

    /** Erases the named values; destroys the keys of entries without remaining values. Resumable after a crash. */
    async erase(
      organizationId: Types.ObjectId,
      erased: readonly { sequence: number; names: readonly string[] }[],
    ): Promise<void> {
      const emptied: EncryptedEntry[] = [];
      const sequences = erased.map(({ sequence }) => sequence);
      for (const entry of await findEncryptedEntries(organizationId, sequences)) {
        const remaining = Object.entries((entry.sealed ?? {}) as object).flatMap(([name, value]) =>
          value === true ? [name] : [],
        );
        if (remaining.length === 0) emptied.push(entry);
        else await encryptRemaining(entry, remaining);
      }
      await contents.destroy(organizationId.toHexString(), emptied);
      for (const { sequence, content } of emptied)
        if (content !== undefined)
          await updateEntry({
            filter: { organizationId, sequence },
            set: {},
            removed: ['content'],
          });
    },
  };
}
export type EncryptedValues = ReturnType<typeof createEncryptedValues>;

function isContent(path: string): boolean {
  return path.startsWith('changed.') || path === ESCALATION;
}
