// The noise of one released number: its width for an epsilon and a delta, and its draws (docs/reference/privacy.md).
import type { Random16 } from './chances.ts';
import { drawDiscreteGaussian, drawDiscreteLaplace } from './discrete-noise.ts';
import { fromNanos } from './nano-units.ts';

export const MECHANISMS = ['laplace', 'gaussian'] as const;
export type Mechanism = (typeof MECHANISMS)[number];

/** The privacy cost of a number, in billionths. */
export interface Cost {
  epsilon: number;
  delta: number;
}

export interface Noise {
  /** The standard deviation of a draw. */
  standardDeviation: number;
  draw(random16: Random16): bigint;
}

const NANOS = 1_000_000_000n;
/** Exceeds the rounding error of computing a variance. */
const ROUNDING = 1e-12;

/** Noise for a whole number that one decision changes by at most `sensitivity`. */
export function createNoise(mechanism: Mechanism, cost: Cost, sensitivity: number): Noise {
  return mechanism === 'laplace'
    ? createLaplaceNoise(cost, sensitivity)
    : createGaussianNoise(cost, sensitivity);
}

/** Scale sensitivity / epsilon, as an exact fraction: epsilon-differential privacy, without a delta. */
function createLaplaceNoise({ epsilon }: Cost, sensitivity: number): Noise {
  const scale = { over: BigInt(sensitivity) * NANOS, under: BigInt(epsilon) };
  const width = Math.exp(-fromNanos(epsilon) / sensitivity);
  return {
    standardDeviation: Math.sqrt(2 * width) / (1 - width),
    draw: (random16) => drawDiscreteLaplace(scale, random16),
  };
}

/**
 * The variance that concentrated privacy asks for: rho = sensitivity² / (2 variance) gives epsilon = rho + 2 sqrt(rho ln(1/delta)).
 * Rounded up, so what is lost is never more than what is charged.
 */
function createGaussianNoise({ epsilon, delta }: Cost, sensitivity: number): Noise {
  const log = -Math.log(fromNanos(delta));
  const amount = fromNanos(epsilon);
  const root = amount / (Math.sqrt(log + amount) + Math.sqrt(log));
  const variance = BigInt(Math.ceil(((sensitivity / root) ** 2 / 2) * (1 + ROUNDING)));
  return {
    standardDeviation: Math.sqrt(Number(variance)),
    draw: (random16) => drawDiscreteGaussian(variance, random16),
  };
}
