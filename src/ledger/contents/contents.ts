// Contents of entries at rest: locked at sealing, opened for reading, lost with their key (ledger.md, keys).
import { mongo } from 'mongoose';
import { GENERATIONS, toLeaf, type LeafKeys } from '../../domain/keys/key-tree.ts';
import type { CommittedValue } from '../../domain/record/commitments.ts';
import type { KeyStore } from '../../platform/key-store/key-store.ts';
import type { Stored } from '../entry.ts';
import { createUnavailableError } from '../append/unavailable.ts';
import { formatLines, lockContent, unlock, parseLines } from './locked.ts';
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';

/** Values that stay in clear: the evaluation is repeated in columns and survives erasures. */
const IN_CLEAR: ReadonlySet<string> = new Set(['evaluation']);

/** Marks an opened document whose key was destroyed. A symbol, since no stored document can have one. */
export const KEYLESS = Symbol('keyless');

/** Marks an opened document whose escalation reason was not locked for it. */
export const UNLOCKED = Symbol('unlocked');

/** The members of an entry that may hold locked values, and its sequence. */
export interface Lockable {
  sequence: number;
  generation?: number | undefined;
  /** Values by name; `true`: kept in `content`. */
  sealed?: unknown;
  content?: unknown;
  changed?: unknown;
  review?: unknown;
}

/** The entry whose key locks a value. */
export interface LockPlace {
  organizationId: string;
  sequence: number;
  generation: number;
}

type Values = Readonly<Record<string, CommittedValue>>;
/** A result of `lockPart`, with the name of the member it was locked for. */
export interface LockedPart {
  name: string;
  bytes: Uint8Array;
}

/** Locks the contents of a sealed document, in place. */
export type LockDocument = (document: Stored) => void;

/** Locks and opens contents. A value MUST NOT open under another key, or at another place, than it was locked for. */
export interface Contents {
  /**
   * Reads the keys for these sequences and returns the function that locks documents in place. It MUST be called only
   * with documents at these sequences. @throws AppError `SERVICE_UNAVAILABLE` when there is no key
   */
  createLock(organizationId: string, sequences: readonly number[]): Promise<LockDocument>;
  /** Locks one part under the key of an entry, for the member `name`; null: the key was destroyed. */
  lockPart(place: LockPlace, name: string, part: string | Uint8Array): Promise<Buffer | null>;
  /** Opens parts, one result each, in order; null: the key was destroyed, or the part was altered or moved. */
  openParts(organizationId: string, parts: readonly LockedPart[]): Promise<(Buffer | null)[]>;
  /** Locks the values of a stored entry again; null: its key was destroyed. */
  lockValues(
    entry: Lockable & Pick<Stored, 'organizationId'>,
    values: Values,
  ): Promise<Buffer | null>;
  /**
   * Returns copies of the documents with their values opened. A value is null where its key was destroyed, and stays
   * locked where it was altered or moved. The documents MUST be of this organisation.
   */
  openDocuments<T extends Lockable>(organizationId: string, documents: readonly T[]): Promise<T[]>;
  /** Opens the documents in place; the caller MUST own them. The copies would take a tenth of the time (row list). */
  openInPlace(organizationId: string, documents: readonly Lockable[]): Promise<void>;
  /** Returns a copy of one document with its values opened. */
  openOne<T extends Lockable>(organizationId: string, document: T): Promise<T>;
  /** Destroys the keys of entries: their contents MUST NOT be readable by anyone afterwards. */
  destroy(organizationId: string, entries: readonly Lockable[]): Promise<void>;
}

/** Bytes to open before yielding to other work: about 2 ms. */
const OPENED_BYTES = 500_000;
/** What one entry takes besides its bytes, as bytes. */
const ENTRY_BYTES = 5_000;

/** Creates the contents service over a key store. */
export function createContents(keyStore: KeyStore, onKeysMissing: OnKeysMissing): Contents {
  async function readKey({
    organizationId,
    sequence,
    generation,
  }: LockPlace): Promise<Buffer | null> {
    const leaf = toLeaf(sequence, generation);
    return (await keyStore.loadLeafKeys(organizationId, [leaf])).deriveKey(leaf);
  }

  async function openInPlace(
    organizationId: string,
    documents: readonly Lockable[],
  ): Promise<void> {
    for (const document of documents) if (hasClearReason(document)) markUnlocked(document);
    const leaves = documents.flatMap((document) => listLeaves(organizationId, document));
    if (leaves.length === 0) return;
    const keys = await keyStore.loadLeafKeys(organizationId, leaves);
    const yielding = new PeriodicYield(OPENED_BYTES);
    for (const document of documents) {
      const bytes = toLockedBytes(document.content)?.length ?? 0;
      openDocument(organizationId, document, keys);
      await yielding.addWork(bytes + ENTRY_BYTES);
    }
  }

  async function openDocuments<T extends Lockable>(
    organizationId: string,
    documents: readonly T[],
  ): Promise<T[]> {
    const copies = documents.map((document) => ({ ...document }));
    await openInPlace(organizationId, copies);
    return copies;
  }

  return {
    async createLock(organizationId, sequences) {
      const found = await findLockKeys(keyStore, { organizationId, sequences, onKeysMissing });
      return (document) => lockDocument(document, found);
    },

    async lockPart(place, name, part) {
      const key = await readKey(place);
      return (
        key &&
        Buffer.concat([encodePartHead(place), lockContent(part, key, toLockContext(place, name))])
      );
    },

    async openParts(organizationId, parts) {
      const leaves = parts.flatMap(({ bytes }) =>
        toLeafList(parsePartPlace(organizationId, bytes)),
      );
      const keys = await keyStore.loadLeafKeys(organizationId, leaves);
      return parts.map((part) => {
        const opening = openPart(organizationId, part, keys);
        return opening.kind === 'opened' ? opening.bytes : null;
      });
    },

    async lockValues(entry, values) {
      const place = toLockPlace(entry.organizationId.toHexString(), entry);
      const key = await readKey(place);
      return key && lockContent(formatLines(values), key, toLockContext(place, 'content'));
    },

    openDocuments,
    openInPlace,
    openOne: async (organizationId, document) =>
      (await openDocuments(organizationId, [document]))[0] ?? document,

    destroy: (organizationId, entries) =>
      keyStore.destroy(
        organizationId,
        entries.map(({ sequence, generation = 0 }) => toLeaf(sequence, generation)),
      ),
  };
}

/** Called when an organisation had entries but no keys: new keys were made, and older entries do not open. */
export type OnKeysMissing = (organizationId: string) => void;

interface LockKey {
  generation: number;
  key: Buffer;
}

interface LockKeysQuery {
  organizationId: string;
  sequences: readonly number[];
  onKeysMissing: OnKeysMissing;
}

/** Finds the key of each sequence: that of the first generation that is not destroyed. */
async function findLockKeys(
  keyStore: KeyStore,
  { organizationId, sequences, onKeysMissing }: LockKeysQuery,
): Promise<Map<number, LockKey>> {
  const found = new Map<number, LockKey>();
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

function lockDocument(document: Stored, found: ReadonlyMap<number, LockKey>): void {
  const { sequence, sealed } = document;
  if (typeof sealed !== 'object' || sealed === null) return;
  const { generation, key } = found.get(sequence) as LockKey;
  const place = { organizationId: document.organizationId.toHexString(), sequence, generation };
  const { flags, values } = splitLockable(sealed as Readonly<Record<string, CommittedValue>>);
  if (Object.keys(values).length === 0) return;
  document['sealed'] = flags;
  document['content'] = lockContent(formatLines(values), key, toLockContext(place, 'content'));
  if (generation !== 0) document['generation'] = generation;
}

/** Splits values into those to lock and the flags that replace them; `null` and clear values stay in the flags. */
export function splitLockable(sealed: Readonly<Record<string, CommittedValue | null>>) {
  const flags: Record<string, CommittedValue | true | null> = {};
  const values: Record<string, CommittedValue> = {};
  for (const [name, value] of Object.entries(sealed)) {
    const isLocked = value !== null && !IN_CLEAR.has(name);
    flags[name] = isLocked ? true : value;
    if (isLocked) values[name] = value;
  }
  return { flags, values };
}

function toLockContext({ organizationId, sequence, generation }: LockPlace, name: string): string {
  return `ledger/${organizationId}/${sequence}/${generation}/${name}`;
}

/** The head of a part that is stored in another document: generation and sequence of the entry whose key locks it. */
const HEAD_BYTES = 5;

function encodePartHead({ sequence, generation }: LockPlace): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(generation, 0);
  head.writeUInt32BE(sequence, 1);
  return head;
}

/** Returns the bytes of a locked value, whichever type it was read as; null for anything that is not locked. */
export function toLockedBytes(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  return value instanceof mongo.Binary ? value.buffer.subarray(0, value.position) : null;
}

function parsePartPlace(organizationId: string, bytes: Uint8Array): LockPlace | null {
  if (bytes.length <= HEAD_BYTES) return null;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  return { organizationId, sequence: head.readUInt32BE(1), generation: head.readUInt8(0) };
}

function toLockPlace(organizationId: string, { sequence, generation = 0 }: Lockable): LockPlace {
  return { organizationId, sequence, generation };
}

/** Lists the locked texts of a document with the member names they are locked for. */
function listLockedTexts({ changed, review }: Lockable): [string, Uint8Array][] {
  const values = Object.entries((changed ?? {}) as Readonly<Record<string, unknown>>).map(
    ([name, value]) => [`changed.${name}`, value] as const,
  );
  const { escalationReason } = (review ?? {}) as { escalationReason?: unknown };
  return [...values, [ESCALATION, escalationReason] as const].flatMap(([name, value]) => {
    const bytes = toLockedBytes(value);
    return bytes ? [[name, bytes] as [string, Uint8Array]] : [];
  });
}

/** Names a part in its lock context: the member's path and the sequence of the decision. */
export function toPartName(path: string, decision: number): string {
  return `${path}@${decision}`;
}

export const ESCALATION = 'review.escalationReason';

function hasClearReason({ review }: Lockable): boolean {
  return typeof (Object(review) as { escalationReason?: unknown }).escalationReason === 'string';
}

function markUnlocked(document: Lockable): void {
  Object.assign(document, { [UNLOCKED]: true });
}

function listLeaves(organizationId: string, document: Lockable): string[] {
  const places = listLockedTexts(document).map(([, bytes]) =>
    parsePartPlace(organizationId, bytes),
  );
  if (toLockedBytes(document.content)) places.push(toLockPlace(organizationId, document));
  return places.flatMap((place) => toLeafList(place));
}

/** Returns the leaf of a place, or none: a stored sequence may be anything. */
function toLeafList(place: LockPlace | null): string[] {
  try {
    return place ? [toLeaf(place.sequence, place.generation)] : [];
  } catch {
    return [];
  }
}

/** Result of opening a locked value. `destroyed`: its key is gone; `unreadable`: it was altered or moved. */
type Opening = { kind: 'destroyed' | 'unreadable' } | { kind: 'opened'; bytes: Buffer };

function unlockBytes(
  { place, name, bytes }: LockedPart & { place: LockPlace | null },
  keys: LeafKeys,
): Opening {
  const [leaf] = toLeafList(place);
  if (place === null || leaf === undefined) return { kind: 'unreadable' };
  const key = keys.deriveKey(leaf);
  if (!key) return { kind: 'destroyed' };
  const opened = unlock(bytes, key, toLockContext(place, name));
  return opened ? { kind: 'opened', bytes: opened } : { kind: 'unreadable' };
}

function openPart(organizationId: string, { name, bytes }: LockedPart, keys: LeafKeys): Opening {
  const place = parsePartPlace(organizationId, bytes);
  return unlockBytes({ place, name, bytes: bytes.subarray(HEAD_BYTES) }, keys);
}

function openDocument(organizationId: string, document: Lockable, keys: LeafKeys): void {
  openContent(organizationId, document, keys);
  for (const [name, bytes] of listLockedTexts(document)) {
    const part = { name: toPartName(name, document.sequence), bytes };
    const opening = openPart(organizationId, part, keys);
    const isUnreadable = opening.kind === 'unreadable';
    // A value that does not open stays as it is, so that verification can compare it.
    if (isUnreadable && name === ESCALATION) markUnlocked(document);
    else if (isUnreadable) continue;
    const [member = '', path = ''] = name.split('.');
    const members = document as unknown as Record<string, Record<string, unknown>>;
    members[member] = {
      ...members[member],
      [path]: opening.kind === 'opened' ? opening.bytes.toString() : null,
    };
  }
}

/** Replaces the flags by the opened values and removes `content`. */
function openContent(organizationId: string, document: Lockable, keys: LeafKeys): void {
  const bytes = toLockedBytes(document.content);
  if (!bytes) return;
  const place = toLockPlace(organizationId, document);
  const opening = unlockBytes({ place, name: 'content', bytes }, keys);
  if (opening.kind === 'unreadable') return;
  const values = opening.kind === 'opened' ? parseLines(opening.bytes.toString()) : {};
  const sealed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(document.sealed ?? {}))
    sealed[name] = value === true ? (values[name] ?? null) : value;
  document.sealed = sealed;
  delete document.content;
  if (opening.kind === 'destroyed') Object.assign(document, { [KEYLESS]: true });
}
