// Contents of entries at rest: encrypted when sealed, decrypted for reading, lost with their key (ledger.md, keys).
import { mongo } from 'mongoose';
import { GENERATIONS, toLeaf, type LeafKeys } from '../../domain/keys/key-tree.ts';
import { type CommittedValue, RETAINED } from '../../domain/record/commitments.ts';
import type { KeyStore } from '../../platform/key-store/key-store.ts';
import type { Stored } from '../entry.ts';
import { createUnavailableError } from '../append/unavailable.ts';
import { formatLines, encryptContent, decryptBytes, parseLines } from './content-cipher.ts';
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';

/** Marks a decrypted document whose key was destroyed. A symbol, since no stored document can have one. */
export const KEYLESS = Symbol('keyless');

/** Marks a decrypted document whose escalation reason was not encrypted for it. */
export const UNENCRYPTED = Symbol('unencrypted');

/** The members of an entry that may hold encrypted values, and its sequence. */
export interface EncryptedDocument {
  sequence: number;
  generation?: number | undefined;
  /** Values by name; `true`: kept in `content`. */
  sealed?: unknown;
  content?: unknown;
  changed?: unknown;
  review?: unknown;
}

/** The entry whose key encrypts a value. */
export interface CipherPlace {
  organizationId: string;
  sequence: number;
  generation: number;
}

type Values = Readonly<Record<string, CommittedValue>>;
/** A result of `encryptPart`, with the name of the member it was encrypted for. */
export interface EncryptedPart {
  name: string;
  bytes: Uint8Array;
}

/** Encrypts the contents of a sealed document, in place. */
export type EncryptDocument = (document: Stored) => void;

/** Encrypts and decrypts contents. A value MUST NOT decrypt under another key, or at another place, than it was encrypted for. */
export interface Contents {
  /**
   * Reads the keys for these sequences and returns the function that encrypts documents in place. It MUST be called only
   * with documents at these sequences. @throws AppError `SERVICE_UNAVAILABLE` when there is no key
   */
  createEncryption(organizationId: string, sequences: readonly number[]): Promise<EncryptDocument>;
  /** Encrypts one part under the key of an entry, for the member `name`; null: the key was destroyed. */
  encryptPart(place: CipherPlace, name: string, part: string | Uint8Array): Promise<Buffer | null>;
  /** Decrypts parts, one result each, in order; null: the key was destroyed, or the part was altered or moved. */
  decryptParts(organizationId: string, parts: readonly EncryptedPart[]): Promise<(Buffer | null)[]>;
  /** Encrypts the values of a stored entry again; null: its key was destroyed. */
  encryptValues(
    entry: EncryptedDocument & Pick<Stored, 'organizationId'>,
    values: Values,
  ): Promise<Buffer | null>;
  /**
   * Returns copies of the documents with their values decrypted. A value is null where its key was destroyed, and stays
   * encrypted where it was altered or moved. The documents MUST be of this organisation.
   */
  decryptDocuments<T extends EncryptedDocument>(
    organizationId: string,
    documents: readonly T[],
  ): Promise<T[]>;
  /** Decrypts the documents in place; the caller MUST own them. The copies would take a tenth of the time (row list). */
  decryptInPlace(organizationId: string, documents: readonly EncryptedDocument[]): Promise<void>;
  /** Returns a copy of one document with its values decrypted. */
  decryptOne<T extends EncryptedDocument>(organizationId: string, document: T): Promise<T>;
  /** Destroys the keys of entries: their contents MUST NOT be readable by anyone afterwards. */
  destroy(organizationId: string, entries: readonly EncryptedDocument[]): Promise<void>;
}

/** Bytes to decrypt before yielding to other work: about 2 ms. */
const OPENED_BYTES = 500_000;
/** What one entry takes besides its bytes, as bytes. */
const ENTRY_BYTES = 5_000;

/** Creates the contents service over a key store. */
export function createContents(keyStore: KeyStore, onKeysMissing: OnKeysMissing): Contents {
  async function readKey({
    organizationId,
    sequence,
    generation,
  }: CipherPlace): Promise<Buffer | null> {
    const leaf = toLeaf(sequence, generation);
    return (await keyStore.loadLeafKeys(organizationId, [leaf])).deriveKey(leaf);
  }

  async function decryptInPlace(
    organizationId: string,
    documents: readonly EncryptedDocument[],
  ): Promise<void> {
    for (const document of documents) if (hasClearReason(document)) markUnencrypted(document);
    const leaves = documents.flatMap((document) => listLeaves(organizationId, document));
    if (leaves.length === 0) return;
    const keys = await keyStore.loadLeafKeys(organizationId, leaves);
    const yielding = new PeriodicYield(OPENED_BYTES);
    for (const document of documents) {
      const bytes = toCiphertext(document.content)?.length ?? 0;
      decryptDocument(organizationId, document, keys);
      await yielding.addWork(bytes + ENTRY_BYTES);
    }
  }

  async function decryptDocuments<T extends EncryptedDocument>(
    organizationId: string,
    documents: readonly T[],
  ): Promise<T[]> {
    const copies = documents.map((document) => ({ ...document }));
    await decryptInPlace(organizationId, copies);
    return copies;
  }

  return {
    async createEncryption(organizationId, sequences) {
      const found = await findEntryKeys(keyStore, { organizationId, sequences, onKeysMissing });
      return (document) => encryptDocument(document, found);
    },

    async encryptPart(place, name, part) {
      const key = await readKey(place);
      return (
        key &&
        Buffer.concat([
          encodePartHeader(place),
          encryptContent(part, key, toCipherContext(place, name)),
        ])
      );
    },

    async decryptParts(organizationId, parts) {
      const leaves = parts.flatMap(({ bytes }) =>
        toLeafList(parsePartPlace(organizationId, bytes)),
      );
      const keys = await keyStore.loadLeafKeys(organizationId, leaves);
      return parts.map((part) => {
        const decryption = decryptPart(organizationId, part, keys);
        return decryption.kind === 'opened' ? decryption.bytes : null;
      });
    },

    async encryptValues(entry, values) {
      const place = toCipherPlace(entry.organizationId.toHexString(), entry);
      const key = await readKey(place);
      return key && encryptContent(formatLines(values), key, toCipherContext(place, 'content'));
    },

    decryptDocuments,
    decryptInPlace,
    decryptOne: async (organizationId, document) =>
      (await decryptDocuments(organizationId, [document]))[0] ?? document,

    destroy: (organizationId, entries) =>
      keyStore.destroy(
        organizationId,
        entries.map(({ sequence, generation = 0 }) => toLeaf(sequence, generation)),
      ),
  };
}

/** Called when an organisation had entries but no keys: new keys were made, and older entries do not decrypt. */
export type OnKeysMissing = (organizationId: string) => void;

interface EntryKey {
  generation: number;
  key: Buffer;
}

interface EntryKeysQuery {
  organizationId: string;
  sequences: readonly number[];
  onKeysMissing: OnKeysMissing;
}

/** Finds the key of each sequence: that of the first generation that is not destroyed. */
async function findEntryKeys(
  keyStore: KeyStore,
  { organizationId, sequences, onKeysMissing }: EntryKeysQuery,
): Promise<Map<number, EntryKey>> {
  const found = new Map<number, EntryKey>();
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const leaves = sequences
      .filter((sequence) => !found.has(sequence))
      .map((sequence) => ({ sequence, leaf: toLeaf(sequence, generation) }));
    if (leaves.length === 0) return found;
    const candidates = leaves.map(({ leaf }) => leaf);
    const keys = await keyStore.loadLeafKeys(organizationId, candidates);
    for (const { sequence, leaf } of leaves) {
      const key = keys.deriveKey(leaf);
      if (key) found.set(sequence, { generation, key });
    }
    if (found.size > 0 || !(await keyStore.ensure(organizationId))) continue;
    if (Math.min(...sequences) > 1) onKeysMissing(organizationId);
    generation--;
  }
  throw createUnavailableError('There is no key for this entry');
}

function encryptDocument(document: Stored, found: ReadonlyMap<number, EntryKey>): void {
  const { sequence, sealed } = document;
  if (typeof sealed !== 'object' || sealed === null) return;
  const { generation, key } = found.get(sequence) as EntryKey;
  const place = { organizationId: document.organizationId.toHexString(), sequence, generation };
  const { flags, values } = splitForEncryption(sealed as Readonly<Record<string, CommittedValue>>);
  if (Object.keys(values).length === 0) return;
  document['sealed'] = flags;
  document['content'] = encryptContent(formatLines(values), key, toCipherContext(place, 'content'));
  if (generation !== 0) document['generation'] = generation;
}

/** Splits values into those to encrypt and the flags that replace them; `null` and clear values stay in the flags. */
export function splitForEncryption(sealed: Readonly<Record<string, CommittedValue | null>>) {
  const flags: Record<string, CommittedValue | true | null> = {};
  const values: Record<string, CommittedValue> = {};
  for (const [name, value] of Object.entries(sealed)) {
    const isEncrypted = value !== null && !RETAINED.has(name);
    flags[name] = isEncrypted ? true : value;
    if (isEncrypted) values[name] = value;
  }
  return { flags, values };
}

function toCipherContext(
  { organizationId, sequence, generation }: CipherPlace,
  name: string,
): string {
  return `ledger/${organizationId}/${sequence}/${generation}/${name}`;
}

/** Header of a part that is stored in another document: generation and sequence of the entry whose key encrypts it. */
const HEADER_BYTES = 5;

function encodePartHeader({ sequence, generation }: CipherPlace): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(generation, 0);
  header.writeUInt32BE(sequence, 1);
  return header;
}

/** Returns the bytes of an encrypted value, whichever type it was read as; null for anything that is not encrypted. */
export function toCiphertext(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  return value instanceof mongo.Binary ? value.buffer.subarray(0, value.position) : null;
}

function parsePartPlace(organizationId: string, bytes: Uint8Array): CipherPlace | null {
  if (bytes.length <= HEADER_BYTES) return null;
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return { organizationId, sequence: header.readUInt32BE(1), generation: header.readUInt8(0) };
}

function toCipherPlace(
  organizationId: string,
  { sequence, generation = 0 }: EncryptedDocument,
): CipherPlace {
  return { organizationId, sequence, generation };
}

/** Lists the encrypted texts of a document with the member names they are encrypted for. */
function listCiphertexts({ changed, review }: EncryptedDocument): [string, Uint8Array][] {
  const values = Object.entries((changed ?? {}) as Readonly<Record<string, unknown>>).map(
    ([name, value]) => [`changed.${name}`, value] as const,
  );
  const { escalationReason } = (review ?? {}) as { escalationReason?: unknown };
  return [...values, [ESCALATION, escalationReason] as const].flatMap(([name, value]) => {
    const bytes = toCiphertext(value);
    return bytes ? [[name, bytes] as [string, Uint8Array]] : [];
  });
}

/** Names a part in its cipher context: the member's path and the sequence of the decision. */
export function toPartName(path: string, decision: number): string {
  return `${path}@${decision}`;
}

export const ESCALATION = 'review.escalationReason';

function hasClearReason({ review }: EncryptedDocument): boolean {
  return typeof (Object(review) as { escalationReason?: unknown }).escalationReason === 'string';
}

function markUnencrypted(document: EncryptedDocument): void {
  Object.assign(document, { [UNENCRYPTED]: true });
}

function listLeaves(organizationId: string, document: EncryptedDocument): string[] {
  const places = listCiphertexts(document).map(([, bytes]) =>
    parsePartPlace(organizationId, bytes),
  );
  if (toCiphertext(document.content)) places.push(toCipherPlace(organizationId, document));
  return places.flatMap((place) => toLeafList(place));
}

/** Returns the leaf of a place, or none: a stored sequence may be anything. */
function toLeafList(place: CipherPlace | null): string[] {
  try {
    return place ? [toLeaf(place.sequence, place.generation)] : [];
  } catch {
    return [];
  }
}

/** Result of decrypting an encrypted value. `destroyed`: its key is gone; `unreadable`: it was altered or moved. */
type Decryption = { kind: 'destroyed' | 'unreadable' } | { kind: 'opened'; bytes: Buffer };

function decryptAt(
  { place, name, bytes }: EncryptedPart & { place: CipherPlace | null },
  keys: LeafKeys,
): Decryption {
  const [leaf] = toLeafList(place);
  if (place === null || leaf === undefined) return { kind: 'unreadable' };
  const key = keys.deriveKey(leaf);
  if (!key) return { kind: 'destroyed' };
  const opened = decryptBytes(bytes, key, toCipherContext(place, name));
  return opened ? { kind: 'opened', bytes: opened } : { kind: 'unreadable' };
}

function decryptPart(
  organizationId: string,
  { name, bytes }: EncryptedPart,
  keys: LeafKeys,
): Decryption {
  const place = parsePartPlace(organizationId, bytes);
  return decryptAt({ place, name, bytes: bytes.subarray(HEADER_BYTES) }, keys);
}

function decryptDocument(
  organizationId: string,
  document: EncryptedDocument,
  keys: LeafKeys,
): void {
  decryptContent(organizationId, document, keys);
  for (const [name, bytes] of listCiphertexts(document)) {
    const part = { name: toPartName(name, document.sequence), bytes };
    const opening = decryptPart(organizationId, part, keys);
    const isUnreadable = opening.kind === 'unreadable';
    // A value that does not decrypt stays as it is, so that verification can compare it.
    if (isUnreadable && name === ESCALATION) markUnencrypted(document);
    else if (isUnreadable) continue;
    const [member = '', path = ''] = name.split('.');
    const members = document as unknown as Record<string, Record<string, unknown>>;
    members[member] = {
      ...members[member],
      [path]: opening.kind === 'opened' ? opening.bytes.toString() : null,
    };
  }
}

/** Replaces the flags by the decrypted values and removes `content`. */
function decryptContent(organizationId: string, document: EncryptedDocument, keys: LeafKeys): void {
  const bytes = toCiphertext(document.content);
  if (!bytes) return;
  const place = toCipherPlace(organizationId, document);
  const opening = decryptAt({ place, name: 'content', bytes }, keys);
  if (opening.kind === 'unreadable') return;
  const values = opening.kind === 'opened' ? parseLines(opening.bytes.toString()) : {};
  const sealed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document.sealed ?? {}))
    sealed[name] = value === true ? (values[name] ?? null) : value;
  document.sealed = sealed;
  delete document.content;
  if (opening.kind === 'destroyed') Object.assign(document, { [KEYLESS]: true });
}
