// Commitments: salted digests in payloads, so that each value can be disclosed or erased by itself (formats.md).
import {
  escapePart,
  canonicalize,
  sortTexts,
  writeString,
  toSortedKeys,
  type Json,
  type JsonObject,
} from '@assay/json';
import { hash } from 'node:crypto';
import { sha256Hex } from './chain.ts';

/** The stored form of a committed value, which recomputes the commitment; without the seed no value can be guessed. */
export interface CommittedValue {
  /** 16 random bytes as 22 base64url characters; never disclosed. */
  seed: string;
  /** The value's canonical text. */
  text: string;
}

/** The value of this name, of an opened entry; null: it was not given, or is erased. */
export function readSealed<T = Json>(
  sealed: Readonly<Record<string, CommittedValue | null | undefined>> | null | undefined,
  name: string,
): T | null {
  const text = sealed?.[name]?.text;
  return text === undefined ? null : (JSON.parse(text) as T);
}

/** Values that are not content: they stay in clear, and every erasure keeps them. */
export const RETAINED: ReadonlySet<string> = new Set(['evaluation', 'state']);

/** The stored values and their commitments, by name. */
interface Commitments {
  sealed: Record<string, CommittedValue>;
  commitments: Record<string, string>;
}

/**
 * Values committed part by part, so that a part can be disclosed alone. Changes make old disclosures irreproducible.
 */
const OPENED = new Set(['outputDecision']);
const OPENED_DEPTH = 4;
const OPENED_NODES = 64;

/**
 * Commits to a value under its name in the payload.
 * @param seed 16 random bytes, new for every value
 * @throws TypeError when the value is not JSON (see `canonicalize`) or the seed is not 16 bytes long
 */
export function commitValue(
  name: string,
  value: Json,
  seed: Buffer,
): CommittedValue & { commitment: string } {
  if (seed.length !== 16) throw new TypeError('A seed must have 16 bytes');
  const seedText = seed.toString('base64url');
  const { text, commitment } = new Commitment(name, seedText).commitValue(value);
  return { seed: seedText, text, commitment };
}

/** Commits to a value that is not opened, with a given salt. */
export function commitClosedValue(name: string, value: Json, salt: string): string {
  return sha256Hex(formatNodeArray(salt, name, canonicalize(value)));
}

/**
 * Commits to every present value; absent and null ones are in neither result.
 * @param nextSeed draws 16 random bytes
 */
export function commitValues(
  values: Readonly<Record<string, Json | undefined>>,
  nextSeed: () => Buffer,
): Commitments {
  const sealed: Record<string, CommittedValue> = {};
  const commitments: Record<string, string> = {};
  for (const name of toSortedKeys(values)) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    const { seed, text, commitment } = commitValue(name, value, nextSeed());
    sealed[name] = { seed, text };
    commitments[name] = commitment;
  }
  return { sealed, commitments };
}

/**
 * Whether a stored value is, byte for byte, the committed one. A closed value is not parsed: all values of an entry
 * take 24 us, recommitting each takes 58 (row verify).
 */
export function isCommittedValue(
  name: string,
  stored: CommittedValue,
  commitment: string,
): boolean {
  if (!OPENED.has(name))
    return (
      sha256Hex(formatNodeArray(deriveSalt(stored.seed, ''), name, stored.text)) === commitment
    );
  try {
    const recomputed = new Commitment(name, stored.seed).commitValue(
      JSON.parse(stored.text) as Json,
    );
    return recomputed.text === stored.text && recomputed.commitment === commitment;
  } catch {
    return false;
  }
}

/** The disclosures of a whole value: the canonical text of every node's array, parents before children. */
export function disclose(name: string, seed: string, text: string): string[] {
  const arrays: string[] = [];
  new Commitment(name, seed, arrays).commitValue(JSON.parse(text) as Json);
  return arrays;
}

/**
 * The salt of the node at a JSON Pointer below the top-level name; the empty pointer is the value itself. Shortening
 * the digest as text takes 0.4 us a node, as a buffer 0.9, for some 16 nodes a decision (rows ingest/R1, verify).
 */
export function deriveSalt(seed: string, path: string): string {
  const digest = hash('sha256', seed + path, 'base64url');
  return digest.slice(0, 21) + SIXTEENTH_BYTE_END[digest.charCodeAt(21)];
}

/**
 * The last base64url character of 16 bytes has two significant bits; the others of the digest's 22nd character are
 * cleared.
 */
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const SIXTEENTH_BYTE_END: string[] = [];
for (let i = 0; i < 64; i++)
  SIXTEENTH_BYTE_END[BASE64URL.charCodeAt(i)] = BASE64URL.charAt(i & 0b110000);

interface Committed {
  text: string;
  commitment: string;
}

interface Node {
  name: string | number;
  value: Json;
  /** JSON Pointer below the top-level name. */
  path: string;
  depth: number;
}

/**
 * Computes canonical text, commitment and, on request, all disclosures in one walk over a value. A decision takes 38
 * us; canonicalising every node's array takes 55 (row ingest/R1).
 */
class Commitment {
  /** The canonical text of the last committed node. */
  private text = '';
  private readonly name: string;
  private readonly seed: string;
  /** Collects the arrays of all nodes, parents before children. */
  private readonly arrays: string[] | undefined;
  private nodesLeft: number;

  constructor(name: string, seed: string, arrays?: string[]) {
    this.name = name;
    this.seed = seed;
    this.arrays = arrays;
    this.nodesLeft = OPENED.has(name) ? OPENED_NODES - 1 : 0;
  }

  commitValue(value: Json): Committed {
    const commitment = this.commitNode({ name: this.name, value, path: '', depth: 0 });
    return { text: this.text, commitment };
  }

  private commitNode(node: Node): string {
    const index = (this.arrays?.push('') ?? 0) - 1;
    const body = this.openContainer(node) ?? (this.text = canonicalize(node.value));
    const array = formatNodeArray(deriveSalt(this.seed, node.path), node.name, body);
    if (this.arrays) this.arrays[index] = array;
    return sha256Hex(array);
  }

  /**
   * Opens a container if its children fit into the allowance, which is spent in canonical order; null: it stays closed.
   */
  private openContainer(node: Node): string | null {
    const { value, depth } = node;
    if (
      this.nodesLeft === 0 ||
      depth === OPENED_DEPTH ||
      typeof value !== 'object' ||
      value === null
    )
      return null;
    const keys = Array.isArray(value) ? [...value.keys()] : toSortedKeys(value);
    if (keys.length === 0 || keys.length > this.nodesLeft) return null;
    this.nodesLeft -= keys.length;
    return this.commitChildren(node, keys);
  }

  /** The text after the name in the array of an opened container. */
  private commitChildren({ value, path, depth }: Node, keys: readonly (string | number)[]): string {
    const isList = Array.isArray(value);
    const commitments: string[] = [];
    let text = '';
    for (const name of keys) {
      const child = (value as JsonObject)[name] as Json;
      const childPath = `${path}/${escapePart(name)}`;
      commitments.push(this.commitNode({ name, value: child, path: childPath, depth: depth + 1 }));
      if (text !== '') text += ',';
      text += typeof name === 'number' ? this.text : `${writeString(name)}:${this.text}`;
    }
    this.text = isList ? `[${text}]` : `{${text}}`;
    const ordered = isList ? commitments : sortTexts(commitments);
    return `"${isList ? 'array' : 'object'}",["${ordered.join('","')}"]`;
  }
}

/** The canonical text of a node's array. */
function formatNodeArray(salt: string, name: string | number, body: string): string {
  return `["${salt}",${typeof name === 'number' ? name : writeString(name)},${body}]`;
}
