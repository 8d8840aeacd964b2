// Reads stored documents from their bytes: what the driver makes of them, in a third of the time; anything unusual is left to the driver.
import { mongo, Types } from 'mongoose';

/** The BSON types that entries are made of. */
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

const TWO_POW_32 = 2 ** 32;
/** What stands in a text for bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd';
const LONGEST_WORD = 20;
/** A power of two. */
const WORDS = 1024;

/** A document, or a part of it, that this reader leaves to the driver. */
const UNUSUAL = new Error('left to the driver');

/**
 * A document as the driver decodes it by default.
 * @throws Error of the driver when the bytes are no document, or a text in it is no UTF-8
 */
export function readDocument(bytes: Buffer): Record<string, unknown> {
  try {
    return new Reader(bytes).document();
  } catch (error) {
    if (error !== UNUSUAL) throw error;
    return mongo.BSON.deserialize(bytes);
  }
}

/** The same; null when the bytes are no document, or a text in it is no UTF-8. */
export function readIntact(bytes: Buffer): Record<string, unknown> | null {
  try {
    return readDocument(bytes);
  } catch (error) {
    if (error instanceof mongo.BSON.BSONError) return null;
    throw error;
  }
}

/** Keys and short values come again in every document: plain ASCII, each in the place that its bytes add up to. */
const words: string[] = new Array<string>(WORDS).fill('');

/** One walk over one document. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  document(): Record<string, unknown> {
    const document: Record<string, unknown> = {};
    const end = this.#begin();
    for (let type = this.#byte(); type !== 0; type = this.#byte()) {
      const key = this.#key();
      // References and prototypes have rules of their own.
      if (key.startsWith('$') || key === '__proto__') throw UNUSUAL;
      document[key] = this.#value(type);
    }
    this.#finish(end);
    return document;
  }

  /** The keys of an array are not looked at. */
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
        return this.document();
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
        throw UNUSUAL;
    }
  }

  /** Where the document that starts here ends. */
  #begin(): number {
    const start = this.#at;
    return start + this.#int32();
  }

  #finish(end: number): void {
    if (this.#at !== end) throw UNUSUAL;
  }

  /** The place before moving on. */
  #advance(length: number): number {
    const at = this.#at;
    this.#at = at + length;
    if (this.#at > this.#bytes.length) throw UNUSUAL;
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
    if (!Number.isSafeInteger(value)) throw UNUSUAL;
    return value;
  }

  #boolean(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw UNUSUAL;
    return byte === 1;
  }

  #binary(): mongo.Binary {
    const length = this.#int32();
    if (length < 0 || this.#byte() !== mongo.Binary.SUBTYPE_DEFAULT) throw UNUSUAL;
    return new mongo.Binary(this.#bytes.subarray(this.#advance(length), this.#at));
  }

  #terminator(): number {
    let end = this.#at;
    while (this.#bytes[end] !== 0) if (++end >= this.#bytes.length) throw UNUSUAL;
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
    if (length <= 0) throw UNUSUAL;
    const start = this.#advance(length);
    const end = start + length - 1;
    if (this.#bytes[end] !== 0) throw UNUSUAL;
    return this.#text(start, end);
  }

  #text(start: number, end: number): string {
    if (end - start > LONGEST_WORD) return this.#decoded(start, end);
    const bytes = this.#bytes;
    let place = end - start;
    for (let at = start; at < end; at++) place = (place * 31 + (bytes[at] as number)) & (WORDS - 1);
    const word = words[place] as string;
    return this.#isWord(word, start, end) ? word : this.#learn(place, start, end);
  }

  #isWord(word: string, start: number, end: number): boolean {
    if (word.length !== end - start) return false;
    for (let i = 0; i < word.length; i++)
      if (word.charCodeAt(i) !== this.#bytes[start + i]) return false;
    return true;
  }

  #learn(place: number, start: number, end: number): string {
    const text = this.#decoded(start, end);
    if (text.length === end - start) words[place] = text;
    return text;
  }

  #decoded(start: number, end: number): string {
    const text = this.#bytes.toString('utf8', start, end);
    // It may stand in the text itself, or for something that is none.
    if (text.includes(REPLACEMENT)) throw UNUSUAL;
    return text;
  }
}
