// The codes that people type in to sign in a device: no vowels, so no words, and no letters that look alike (RFC 8628, 6.1).

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);
/** The largest multiple of the number of letters in a byte: higher bytes would prefer the first letters. */
const FAIR_BELOW = 256 - (256 % LETTERS.length);

/** A code such as `WDJB-MJHT`, about 34 bits. `drawBytes` is called until it has given enough. */
export function drawUserCode(drawBytes: () => Buffer): string {
  let code = '';
  while (code.length < LENGTH)
    for (const byte of drawBytes())
      if (byte < FAIR_BELOW && code.length < LENGTH) code += LETTERS[byte % LETTERS.length];
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** The letters of a code, however it was typed; null: it is none. */
export function parseUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s-]/g, '');
  return CODE.test(code) ? code : null;
}
