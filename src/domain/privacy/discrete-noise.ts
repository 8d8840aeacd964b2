// Integer noise whose distribution is exact: discrete Laplace and discrete Gaussian (Canonne, Kamath, Steinke 2020, algorithms 2 and 3).
import { type Fraction, drawExpBernoulli, type Random16, drawUniform } from './chances.ts';

/** Draws an integer x with a chance in proportion to e^(-|x| / scale). */
export function drawDiscreteLaplace({ over, under }: Fraction, random16: Random16): bigint {
  for (;;) {
    const within = drawUniform(over, random16);
    if (!drawExpBernoulli({ over: within, under: over }, random16)) continue;
    const size = (within + over * countWholeUnits(random16)) / under;
    const isNegative = drawUniform(2n, random16) === 1n;
    // Zero has no sign: it would be drawn twice as often.
    if (size === 0n && isNegative) continue;
    return isNegative ? -size : size;
  }
}

/** Counts how often an event of chance e^-1 happens before it does not. */
function countWholeUnits(random16: Random16): bigint {
  let units = 0n;
  while (drawExpBernoulli({ over: 1n, under: 1n }, random16)) units += 1n;
  return units;
}

/** Draws an integer x with a chance in proportion to e^(-x² / (2 variance)), by rejection from a Laplace as wide. */
export function drawDiscreteGaussian(variance: bigint, random16: Random16): bigint {
  const scale = computeSquareRoot(variance) + 1n;
  for (;;) {
    const drawn = drawDiscreteLaplace({ over: scale, under: 1n }, random16);
    const size = drawn < 0n ? -drawn : drawn;
    const distance = size * scale - variance;
    const over = distance * distance;
    if (drawExpBernoulli({ over, under: 2n * variance * scale * scale }, random16)) return drawn;
  }
}

/** The integer square root, rounded down. */
function computeSquareRoot(square: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(square))));
  while (root * root > square) root -= 1n;
  while ((root + 1n) * (root + 1n) <= square) root += 1n;
  return root;
}
