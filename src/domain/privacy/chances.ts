// Exact random choices from random bytes, without floating-point numbers, whose gaps would reveal what noise hides.

/** 16 bytes from a secure source. */
export type Random16 = () => Buffer;

/** A fraction of integers, at least 0. */
export interface Fraction {
  over: bigint;
  under: bigint;
}

const BLOCK_BITS = 128;

/** Draws a uniformly distributed integer from 0 to below the bound. */
export function drawUniform(bound: bigint, random16: Random16): bigint {
  const bits = (bound - 1n).toString(2).length;
  for (;;) {
    const drawn = drawBits(bits, random16);
    if (drawn < bound) return drawn;
  }
}

function drawBits(bits: number, random16: Random16): bigint {
  let drawn = 0n;
  for (let left = bits; left > 0; left -= BLOCK_BITS) {
    const block = BigInt(`0x${random16().toString('hex')}`);
    const taken = Math.min(left, BLOCK_BITS);
    drawn = (drawn << BigInt(taken)) | (block >> BigInt(BLOCK_BITS - taken));
  }
  return drawn;
}

/** True with the chance `over / under`, which is at most 1. */
function drawBernoulli({ over, under }: Fraction, random16: Random16): boolean {
  return drawUniform(under, random16) < over;
}

/** True with the chance e^-x: whole units one after the other, then the rest by its series (Canonne, Kamath, Steinke 2020, algorithm 1). */
export function drawExpBernoulli({ over, under }: Fraction, random16: Random16): boolean {
  let rest = over;
  for (; rest > under; rest -= under)
    if (!drawExpRest({ over: 1n, under: 1n }, random16)) return false;
  return drawExpRest({ over: rest, under }, random16);
}

function drawExpRest({ over, under }: Fraction, random16: Random16): boolean {
  let k = 1n;
  while (drawBernoulli({ over, under: under * k }, random16)) k += 1n;
  return k % 2n === 1n;
}
