// Packed prefixes of consecutive chain hashes, four bytes each, for searches by the beginning of a hash.

const DIGITS = 8;
const BYTES = DIGITS / 2;
const PREFIX = /.{8}/g;

/** Packs the prefixes of hashes of at least eight lowercase hex digits, in their order. */
export function packPrefixes(hashes: readonly string[]): Buffer {
  return Buffer.from(hashes.map((hash) => hash.slice(0, DIGITS)).join(''), 'hex');
}

/** The first eight digits of each packed hash. */
export function unpackPrefixes(packed: Uint8Array): string[] {
  const { buffer, byteOffset, length } = packed;
  return Buffer.from(buffer, byteOffset, length).toString('hex').match(PREFIX) ?? [];
}

/** The number of packed prefixes. */
export function countPrefixes(packed: Uint8Array): number {
  return packed.length / BYTES;
}

/** Positions whose hash may begin with these hex digits, the last first; only the first eight digits count. */
export function findPrefixPositions(packed: Uint8Array, beginning: string): number[] {
  const digits = beginning.slice(0, DIGITS);
  const least = parseInt(digits.padEnd(DIGITS, '0'), 16);
  const most = parseInt(digits.padEnd(DIGITS, 'f'), 16);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const places: number[] = [];
  for (let place = countPrefixes(packed) - 1; place >= 0; place--) {
    const prefix = view.getUint32(place * BYTES);
    if (prefix >= least && prefix <= most) places.push(place);
  }
  return places;
}
