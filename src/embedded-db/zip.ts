// Extracts one file from a zip archive in memory: enough for the wheel, without a dependency.
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);

/**
 * The content of the first entry whose name ends with `suffix` (APPNOTE 6.3, without zip64 and encryption).
 * The caller has verified the archive's hash, so the CRC of the entry is not checked.
 * @throws Error when there is no such entry, or the bytes are no archive
 */
export async function extractEntry(zip: Buffer, suffix: string): Promise<Buffer> {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('not a zip archive');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(at + 28);
    if (zip.toString('utf8', at + 46, at + 46 + nameLength).endsWith(suffix))
      return readContent(zip, at);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`no ${suffix} in the archive`);
}

/** `at` is the entry's header in the central directory; the local header before the data has lengths of its own. */
async function readContent(zip: Buffer, at: number): Promise<Buffer> {
  const local = zip.readUInt32LE(at + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20));
  return zip.readUInt16LE(at + 10) === 0 ? packed : inflate(packed);
}
