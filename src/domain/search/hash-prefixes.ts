// The first digits of the chain hashes of entries in a row, four bytes each: what a search for the beginning of a hash looks through.

const DIGITS = 8;
const BYTES = DIGITS / 2;

/** Of hashes of at least eight lowercase hex digits, in their order. */
export function packedPrefixes(hashes: readonly string[]): Buffer {
  return Buffer.from(hashes.map((hash) => hash.slice(0, DIGITS)).join(''), 'hex');
}

/** Of how many hashes it holds the first digits. */
export function prefixesIn(packed: Uint8Array): number {
  return packed.length / BYTES;
}

/** The places in the row at which a hash may begin with these hex digits, the last first; more than eight are not told apart. */
export function placesOf(packed: Uint8Array, beginning: string): number[] {
  const digits = beginning.slice(0, DIGITS);
  const least = parseInt(digits.padEnd(DIGITS, '0'), 16);
  const most = parseInt(digits.padEnd(DIGITS, 'f'), 16);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  const places: number[] = [];
  for (let place = prefixesIn(packed) - 1; place >= 0; place--) {
    const prefix = view.getUint32(place * BYTES);
    if (prefix >= least && prefix <= most) places.push(place);
  }
  return places;
}
