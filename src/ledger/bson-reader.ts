// Reads stored documents from BSON in half the driver's time (rows list, verify, export); leaves the unusual to it.
import { isUtf8 } from 'node:buffer';
import { mongo, Types } from 'mongoose';
import type { Stored } from './entry.ts';

/** The BSON types of entries. */
const DOUBLE = 0x01;
const STRING = 0x02;
const OBJECT = 0x03;
const ARRAY = 0x04;
const BINARY = 0x05;
const OBJECT_ID = 0x07;
const BOOLEAN = 0x08;
const DATE = 0x09;
const NULL = 0x0a;
const INT32 = 0x10;
const INT64 = 0x12;

/** The factor between the two halves of a 64-bit integer. */
const TWO_POW_32 = 2 ** 32;

/** Thrown for documents that are left to the driver. */
const UNSUPPORTED = new Error('left to the driver');

/** The character that decoding puts in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';
const INTERNED_LENGTH_MAX = 20;
/** A power of two. */
const INTERNED_SLOTS = 1024;

/** Reads a cursor batch by batch: one by one, each document would cost a promise. */
export async function* readBatches<T>(
  cursor: mongo.AbstractCursor<T>,
  signal?: AbortSignal,
): AsyncGenerator<T[]> {
  for await (const first of cursor) {
    // The abort takes effect between two batches: aborting a running query would leave its cursor in the database.
    signal?.throwIfAborted();
    yield [first, ...cursor.readBufferedDocuments()];
  }
}

/**
 * Reads a document. The result MUST equal what the driver decodes by default.
 * @throws BSONError of the driver when the bytes are not a document, or a text in it is not UTF-8
 */
export function readDocument(bytes: Buffer): Stored {
  try {
    return new Reader(bytes).parseDocument() as Stored;
  } catch (error) {
    if (error !== UNSUPPORTED) throw error;
    return mongo.BSON.deserialize(bytes) as Stored;
  }
}

/**
 * Reads a document that has the form of a stored entry. Null: it has not, because a text is not UTF-8, a member occurs
 * twice, or a type occurs that no entry has.
 */
export function readIntact(bytes: Buffer): Stored | null {
  const reader = new Reader(bytes);
  try {
    const document = reader.parseDocument();
    return reader.hasDuplicates ? null : (document as Stored);
  } catch (error) {
    if (error === UNSUPPORTED) return null;
    throw error;
  }
}

/** Interned keys and short ASCII values, which recur in every document; each is in the slot of its hash. */
const interned: string[] = new Array<string>(INTERNED_SLOTS).fill('');

/** Reads one document in one pass. */
class Reader {
  /** Whether a member occurs twice: the driver takes the last one, a query any of them. */
  hasDuplicates = false;
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  parseDocument(): Record<string, unknown> {
    const document: Record<string, unknown> = {};
    const end = this.#begin();
    let members = 0;
    for (let type = this.#byte(); type !== 0; type = this.#byte()) {
      const key = this.#key();
      // The driver treats database references and prototypes specially.
      if (key.startsWith('$') || key === '__proto__') throw UNSUPPORTED;
      document[key] = this.#value(type);
      members++;
    }
    this.#finish(end);
    this.hasDuplicates ||= Object.keys(document).length !== members;
    return document;
  }

  /** The keys of an array are ignored. */
  #array(): unknown[] {
    const array: unknown[] = [];
    const end = this.#begin();
    for (let type = this.#byte(); type !== 0; type = this.#byte()) {
      this.#at = this.#terminator() + 1;
      array.push(this.#value(type));
    }
    this.#finish(end);
    return array;
  }

  #value(type: number): unknown {
    switch (type) {
      case STRING:
        return this.#string();
      case NULL:
        return null;
      case OBJECT:
        return this.parseDocument();
      case INT32:
        return this.#int32();
      case DOUBLE:
        return this.#bytes.readDoubleLE(this.#advance(8));
      case DATE:
        return new Date(this.#int64());
      case BOOLEAN:
        return this.#boolean();
      case OBJECT_ID:
        return new Types.ObjectId(this.#bytes.subarray(this.#advance(12), this.#at));
      case ARRAY:
        return this.#array();
      case INT64:
        return this.#safeInteger();
      case BINARY:
        return this.#binary();
      default:
        throw UNSUPPORTED;
    }
  }

  /** Returns the end offset of the document that starts here. */
  #begin(): number {
    const start = this.#at;
    return start + this.#int32();
  }

  #finish(end: number): void {
    if (this.#at !== end) throw UNSUPPORTED;
  }

  /** Moves on; returns the offset before. */
  #advance(length: number): number {
    const at = this.#at;
    this.#at = at + length;
    if (this.#at > this.#bytes.length) throw UNSUPPORTED;
    return at;
  }

  #byte(): number {
    return this.#bytes[this.#advance(1)] as number;
  }

  #int32(): number {
    return this.#bytes.readInt32LE(this.#advance(4));
  }

  #int64(): number {
    const low = this.#int32() >>> 0;
    return this.#int32() * TWO_POW_32 + low;
  }

  #safeInteger(): number {
    const value = this.#int64();
    if (!Number.isSafeInteger(value)) throw UNSUPPORTED;
    return value;
  }

  #boolean(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw UNSUPPORTED;
    return byte === 1;
  }

  #binary(): mongo.Binary {
    const length = this.#int32();
    if (length < 0 || this.#byte() !== mongo.Binary.SUBTYPE_DEFAULT) throw UNSUPPORTED;
    return new mongo.Binary(this.#bytes.subarray(this.#advance(length), this.#at));
  }

  #terminator(): number {
    let end = this.#at;
    while (this.#bytes[end] !== 0) if (++end >= this.#bytes.length) throw UNSUPPORTED;
    return end;
  }

  #key(): string {
    const end = this.#terminator();
    const key = this.#text(this.#at, end);
    this.#at = end + 1;
    return key;
  }

  #string(): string {
    const length = this.#int32();
    if (length <= 0) throw UNSUPPORTED;
    const start = this.#advance(length);
    const end = start + length - 1;
    if (this.#bytes[end] !== 0) throw UNSUPPORTED;
    return this.#text(start, end);
  }

  #text(start: number, end: number): string {
    if (end - start > INTERNED_LENGTH_MAX) return this.#decoded(start, end);
    let slot = end - start;
    for (let at = start; at < end; at++)
      slot = (slot * 31 + (this.#bytes[at] as number)) & (INTERNED_SLOTS - 1);
    const text = interned[slot] as string;
    return this.#isText(text, start, end) ? text : this.#intern(slot, start, end);
  }

  #isText(text: string, start: number, end: number): boolean {
    if (text.length !== end - start) return false;
    for (let i = 0; i < text.length; i++)
      if (text.charCodeAt(i) !== this.#bytes[start + i]) return false;
    return true;
  }

  #intern(slot: number, start: number, end: number): string {
    const text = this.#decoded(start, end);
    if (text.length === end - start) interned[slot] = text;
    return text;
  }

  #decoded(start: number, end: number): string {
    const text = this.#bytes.toString('utf8', start, end);
    // The character may be part of the text, or stand for bytes that are not UTF-8.
    if (text.includes(REPLACEMENT) && !isUtf8(this.#bytes.subarray(start, end))) throw UNSUPPORTED;
    return text;
  }
}
