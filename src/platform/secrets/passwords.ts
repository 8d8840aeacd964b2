// Password hashing with argon2id, off the event loop, with bounded concurrency and a bounded queue, so that sign-ins starve nothing.
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../errors.ts';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** With `stored` null, does the same work and resolves with false: an unknown account takes as long as a known one. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Number of hashes computed; for tests that compare the work. */
  readonly computed: number;
  /** Number of hashes that wait; likewise. */
  readonly waiting: number;
}

/** The cost of a hash with argon2id, the library's default algorithm. */
export interface PasswordCost {
  /** KiB. */
  memoryCost: number;
  /** Passes over the memory. */
  timeCost: number;
  /** Lanes. */
  parallelism: number;
}

/** OWASP's recommendation: 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export interface PasswordQueue {
  /** Hashes that are computed at a time; further ones wait in order. */
  concurrency: number;
  /** That wait at most: some seconds of work. */
  maxWaiting: number;
  /** Whether nobody waits for the request any more that the work is for. */
  isAbandoned: () => boolean;
}

/** Whoever finds the queue full is told to come back, and whoever has left it is passed over. */
export function createPasswords(
  { concurrency, maxWaiting, isAbandoned }: PasswordQueue,
  cost = PASSWORD_COST,
): Passwords {
  let running = 0;
  let computed = 0;
  const waiting: (() => void)[] = [];
  let decoy: Promise<string> | undefined;

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running < concurrency) running += 1;
    else if (waiting.length >= maxWaiting) throw busy();
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      if (isAbandoned()) throw busy();
      computed += 1;
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    hash: (password) => limited(() => hash(password, cost)),
    async verify(stored, password) {
      decoy ??= hash('no account has this password', cost);
      const against = stored ?? (await decoy);
      const matches = await limited(() => verify(against, password));
      return stored !== null && matches;
    },
    get computed() {
      return computed;
    },
    get waiting() {
      return waiting.length;
    },
  };
}

/** @returns AppError `SERVICE_UNAVAILABLE` */
const busy = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many sign-ins at the moment', {
    headers: { 'Retry-After': '5' },
  });
