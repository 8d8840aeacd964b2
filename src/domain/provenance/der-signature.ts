// Converts ECDSA signatures of key management services (DER) to the form of a JWS (IEEE P1363: r and s, 32 bytes each).

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const HALF = 32;

/** The concatenated r and s of a signature on P-256. @throws TypeError for anything else */
export function convertDerSignature(der: Uint8Array): Uint8Array {
  const body = readElement(der, 0, SEQUENCE);
  const r = readElement(body, 0, INTEGER);
  const s = readElement(body, r.length + 2, INTEGER);
  if (der.length !== body.length + 2 || body.length !== r.length + s.length + 4)
    throw createMalformedError();
  return Buffer.concat([padInteger(r), padInteger(s)]);
}

/** The value of the element at `offset`. A signature on P-256 is shorter than 128 bytes, so each length is one byte. */
function readElement(bytes: Uint8Array, offset: number, tag: number): Uint8Array {
  const length = bytes[offset + 1] ?? 0;
  const value = bytes.subarray(offset + 2, offset + 2 + length);
  if (bytes[offset] !== tag || length >= 0x80 || value.length !== length)
    throw createMalformedError();
  return value;
}

/** A positive DER integer without superfluous zeros, padded to 32 bytes. */
function padInteger(integer: Uint8Array): Uint8Array {
  const [first = 0x80, second = 0] = integer;
  const isNegative = first >= 0x80;
  const isPadded = first === 0 && second < 0x80;
  const digits = first === 0 ? integer.subarray(1) : integer;
  if (isNegative || isPadded || digits.length > HALF) throw createMalformedError();
  return Buffer.concat([new Uint8Array(HALF - digits.length), digits]);
}

const createMalformedError = (): TypeError => new TypeError('not a DER signature on P-256');
