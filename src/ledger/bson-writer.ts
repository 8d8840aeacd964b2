// Writes entries to the bytes that the driver would write, in one pass over each (2 % of Node's time, row ingest/R1); anything unusual is left to the driver.
import { mongo, Types } from 'mongoose';
import {
  ARRAY,
  BINARY,
  BOOLEAN,
  DATE,
  DOUBLE,
  INT32,
  NULL,
  OBJECT,
  OBJECT_ID,
  STRING,
  TWO_POW_32,
  UNSUPPORTED,
} from './bson-types.ts';

/** Of a member: its type, the end of its name, and a value of a fixed size. */
const FIXED_BYTES = 2 + 12;
/** Of a character in UTF-8. */
const CHARACTER_BYTES = 3;
const ASCII_MAX = 0x7f;
/** What is longer is written by the engine: calling it takes as long as some twenty characters. */
const SHORT = 24;
/** Of the buffer that all batches are written into; a larger one is let go. */
const KEPT_BYTES = 1024 * 1024;

/** Node's own, without the checks of `write`. */
type Utf8Buffer = Buffer & { utf8Write(text: string, offset: number): number };

/**
 * The bytes of documents, one after the other, as the driver encodes them where it ignores undefined members.
 * @throws BSONError of the driver for what it cannot encode
 */
export function writeDocuments(documents: readonly object[]): Buffer {
  const writer = new Writer();
  for (const document of documents) writer.write(document);
  return writer.end();
}

type Members = Readonly<Record<string, unknown>>;

const kept = Buffer.allocUnsafeSlow(KEPT_BYTES) as Utf8Buffer;

/** Several documents into one buffer, which grows. */
class Writer {
  #bytes = kept;
  #at = 0;

  write(document: object): void {
    const start = this.#at;
    try {
      if (!isPlain(document)) throw UNSUPPORTED;
      this.#members(document);
    } catch (error) {
      if (error !== UNSUPPORTED) throw error;
      this.#at = start;
      const bytes = mongo.BSON.serialize(document, { ignoreUndefined: true });
      this.#reserve(bytes.length);
      this.#raw(bytes);
    }
  }

  end(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  #members(document: Members): void {
    const start = this.#begin();
    for (const name in document) {
      const value = document[name];
      if (value !== undefined) this.#member(name, value);
    }
    this.#finish(start);
  }

  #items(items: readonly unknown[]): void {
    const start = this.#begin();
    for (const [index, item] of items.entries()) this.#member(String(index), item ?? null);
    this.#finish(start);
  }

  #member(name: string, value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.#head(STRING, name);
        return this.#string(value);
      case 'number':
        return this.#number(name, value);
      case 'boolean':
        this.#head(BOOLEAN, name);
        this.#bytes[this.#at++] = value ? 1 : 0;
        return;
      case 'object':
        if (value === null) return this.#head(NULL, name);
        return this.#object(name, value);
      default:
        throw UNSUPPORTED;
    }
  }

  #number(name: string, value: number): void {
    if ((value | 0) === value && !Object.is(value, -0)) {
      this.#head(INT32, name);
      return this.#int32(value);
    }
    this.#head(DOUBLE, name);
    this.#at = this.#bytes.writeDoubleLE(value, this.#at);
  }

  #object(name: string, value: object): void {
    if (isPlain(value)) {
      this.#head(OBJECT, name);
      this.#members(value);
    } else if (Array.isArray(value)) {
      this.#head(ARRAY, name);
      this.#items(value);
    } else if (value instanceof Types.ObjectId) {
      this.#head(OBJECT_ID, name);
      this.#raw(value.id);
    } else if (value instanceof Date) this.#date(name, value.getTime());
    else if (value instanceof Uint8Array) this.#binary(name, value);
    else throw UNSUPPORTED;
  }

  #date(name: string, time: number): void {
    if (Number.isNaN(time)) throw UNSUPPORTED;
    this.#head(DATE, name);
    this.#int32(time % TWO_POW_32);
    this.#int32(Math.floor(time / TWO_POW_32));
  }

  #binary(name: string, value: Uint8Array): void {
    this.#head(BINARY, name);
    this.#int32(value.length);
    this.#bytes[this.#at++] = mongo.Binary.SUBTYPE_DEFAULT;
    this.#reserve(value.length);
    this.#raw(value);
  }

  /** Leaves room for a value of a fixed size. */
  #head(type: number, name: string): void {
    this.#reserve(name.length + FIXED_BYTES);
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = type;
    for (let i = 0; i < name.length; i++) {
      const code = name.charCodeAt(i);
      // The driver refuses names with a zero.
      if (code === 0 || code > ASCII_MAX) throw UNSUPPORTED;
      bytes[at++] = code;
    }
    bytes[at++] = 0;
    this.#at = at;
  }

  #string(text: string): void {
    this.#reserve(CHARACTER_BYTES * text.length + 5);
    const start = this.#at + 4;
    const length = this.#ascii(text, start) ?? this.#bytes.utf8Write(text, start);
    this.#int32(length + 1);
    this.#at += length;
    this.#bytes[this.#at++] = 0;
  }

  /** Writes a short text of ASCII and returns its length; null: it is another one. */
  #ascii(text: string, start: number): number | null {
    const { length } = text;
    if (length > SHORT) return null;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > ASCII_MAX) return null;
      this.#bytes[start + i] = code;
    }
    return length;
  }

  #int32(value: number): void {
    setInt32(this.#bytes, this.#at, value);
    this.#at += 4;
  }

  #raw(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** The length of a document is written at its end. */
  #begin(): number {
    const start = this.#at;
    this.#reserve(5);
    this.#at += 4;
    return start;
  }

  #finish(start: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = 0;
    setInt32(this.#bytes, start, this.#at - start);
  }

  #reserve(more: number): void {
    const wanted = this.#at + more;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#bytes.length)) as Utf8Buffer;
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** An object literal, or what JSON made: no type of BSON, and nothing that says itself how it is written. */
function isPlain(value: object): value is Members {
  return (
    Object.getPrototypeOf(value) === Object.prototype &&
    !('_bsontype' in value) &&
    !('toBSON' in value)
  );
}

function setInt32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}
