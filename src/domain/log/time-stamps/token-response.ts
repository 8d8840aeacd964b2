// The file of a time stamp: the answer of an authority (TimeStampResp), made of the token that was kept of it.

const SEQUENCE = 0x30;
/** PKIStatusInfo with the status granted (0). */
const GRANTED = Buffer.from('3003020100', 'hex');
const SHORT_FORM_MAX = 127;

/** Encodes the length of a DER element. */
function encodeLength(length: number): Buffer {
  if (length <= SHORT_FORM_MAX) return Buffer.of(length);
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

/** Makes an answer of a token. */
export function wrapToken(token: Uint8Array): Buffer {
  const length = encodeLength(GRANTED.length + token.length);
  return Buffer.concat([Buffer.of(SEQUENCE), length, GRANTED, token]);
}
