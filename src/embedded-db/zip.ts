// Takes one file out of a zip archive held in memory, which spares a dependency for the one archive Assay opens.
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

const inflate = promisify(inflateRaw);

/**
 * The content of the first entry whose name ends with `suffix` (APPNOTE 6.3, without zip64 and encryption).
 * The caller has checked the archive's hash, so the entry's CRC is not read.
 * @throws Error when there is no such entry or no archive.
 */
export async function unzipEntry(zip: Buffer, suffix: string): Promise<Buffer> {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('not a zip archive');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = zip.readUInt16LE(at + 28);
    if (zip.toString('utf8', at + 46, at + 46 + nameLength).endsWith(suffix))
      return content(zip, at);
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  throw new Error(`the archive holds no ${suffix}`);
}

/** `at` is the entry's header in the central directory; the local header in front of the data has lengths of its own. */
async function content(zip: Buffer, at: number): Promise<Buffer> {
  const local = zip.readUInt32LE(at + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20));
  return zip.readUInt16LE(at + 10) === 0 ? packed : inflate(packed);
}
