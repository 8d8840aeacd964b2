// Promises: an answer to an ingestion says, signed, in which log its entry will stand, and by when.
import { buildLevels, computeEmptyRoot, HASH_BYTES, hashLeaf, isIncluded } from './merkle-tree.ts';
import { decodeBase64 } from './signed-note.ts';

const VERSION = 'assay-promise/v1';
const BEFORE = /^before (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/;

/** The statement of a promise about every entry below its root. */
export interface PromiseTerms {
  /** The origin of the log. */
  origin: string;
  /** The time before which a checkpoint will cover the entries. */
  before: Date;
  /** The root over the entries of a batch. */
  root: Buffer;
}

/** A place in a chain. */
export interface PromisedEntry {
  sequence: number;
  /** 64 hex digits. */
  chainHash: string;
}

/** Returns the hash of an entry in the tree of its batch. */
export function hashPromisedEntry({ sequence, chainHash }: PromisedEntry): Buffer {
  const data = Buffer.alloc(8 + HASH_BYTES);
  data.writeBigUInt64BE(BigInt(sequence));
  data.write(chainHash, 8, 'hex');
  return hashLeaf(data);
}

/** Formats the text that is signed; the time is cut to seconds. */
export function formatPromise({ origin, before, root }: PromiseTerms): string {
  const time = `${before.toISOString().slice(0, 19)}Z`;
  return `${VERSION}\n${origin}\nbefore ${time}\n${root.toString('base64')}\n`;
}

/** Parses the text of a promise; null: malformed. */
export function parsePromise(text: string): PromiseTerms | null {
  const [version, origin = '', beforeText = '', rootText = '', ...rest] = text.split('\n');
  const [, time = ''] = BEFORE.exec(beforeText) ?? [];
  const before = new Date(time);
  const root = decodeBase64(rootText);
  if (version !== VERSION || origin === '' || rest.length !== 1 || rest[0] !== '') return null;
  if (Number.isNaN(before.getTime()) || root?.length !== HASH_BYTES) return null;
  return { origin, before, root };
}

/** The tree over the entries of one batch; every hash is computed once, however many paths are asked for. */
export class BatchTree {
  /** The root. */
  readonly root: Buffer;
  /** Every node in base64, level by level. */
  readonly #levels: readonly string[][];

  constructor(entries: readonly PromisedEntry[]) {
    const levels = buildLevels(entries.map(hashPromisedEntry));
    this.root = levels.at(-1)?.[0] ?? computeEmptyRoot();
    this.#levels = levels.map((level) => level.map((hash) => hash.toString('base64')));
  }

  /** Returns the hashes from the entry's sibling up, base64. */
  listPath(index: number): string[] {
    return this.#levels.flatMap((level, height) => {
      const place = Math.floor(index / 2 ** height);
      const sibling = level[place % 2 === 0 ? place + 1 : place - 1];
      return sibling === undefined ? [] : [sibling];
    });
  }
}

/** A promise as an answer carries it: of the entry at `index` of a batch. */
export interface EntryPromise {
  note: string;
  index: number;
  /** Base64. */
  path: string[];
}

/** Entries of a batch at most; their number is not part of a promise. */
const BATCH_MAX = 64;

/** Returns whether a promise is about this entry: whether some batch has it at `index` below the root. */
export function isPromised(
  entry: PromisedEntry,
  { index, path }: Pick<EntryPromise, 'index' | 'path'>,
  root: Uint8Array,
): boolean {
  const hashes = path.map(decodeBase64);
  if (!hashes.every((one) => one?.length === HASH_BYTES)) return false;
  const leaf = hashPromisedEntry(entry);
  for (let size = index + 1; size <= BATCH_MAX; size++)
    if (isIncluded(leaf, { index, path: hashes as Buffer[] }, { size, root })) return true;
  return false;
}
