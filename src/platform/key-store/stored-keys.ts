// The rows of the key store.
import type { mongo } from 'mongoose';
import type { KeyPlace } from '../../domain/keys/key-tree.ts';

/** A node of a key tree; the place `OWN` holds the key of the organisation itself. */
export interface StoredKey {
  organizationId: string;
  place: KeyPlace;
  /** Encrypted for this organisation and place. */
  key: string;
  /** The epoch whose key encrypts it too; absent: none. */
  epoch?: number;
  /** Changes with every writer, in the row of the organisation itself; absent where there are no epochs. */
  writer?: mongo.ObjectId;
}

export const KEYS = 'keys';
export const OWN = 'organization';

export function toNodeAad({ organizationId, place }: Pick<StoredKey, 'organizationId' | 'place'>) {
  return `key:${organizationId}:${place}`;
}
