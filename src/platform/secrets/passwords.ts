// Password hashing with argon2id, off the event loop, with bounded concurrency and a bounded, fair queue, so that sign-ins starve nothing.
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../errors.ts';
import { FairQueue } from './fair-queue.ts';

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

interface Waiting {
  resolve: () => void;
  reject: (reason: AppError) => void;
}

export interface PasswordQueue {
  /** Hashes that are computed at a time; of further ones that wait, networks take turns. */
  concurrency: number;
  /** That wait at most: some seconds of work. */
  maxWaiting: number;
  /** Whether nobody waits for the request any more that the work is for. */
  isAbandoned: () => boolean;
  /** The network that the request came from. */
  network: () => string;
}

/**
 * When the queue is full, the network that most of it waits for gives way: that request is told to come back. Whoever has left is
 * passed over.
 */
export function createPasswords(
  { concurrency, maxWaiting, isAbandoned, network }: PasswordQueue,
  cost = PASSWORD_COST,
): Passwords {
  let running = 0;
  let computed = 0;
  const waiting = new FairQueue<Waiting>(maxWaiting);
  let decoy: Promise<string> | undefined;

  function turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push(network(), { resolve, reject })?.reject(busy());
    });
  }

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running < concurrency) running += 1;
    else await turn();
    try {
      if (isAbandoned()) throw busy();
      computed += 1;
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next.resolve();
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
      return waiting.size;
    },
  };
}

/** @returns AppError `SERVICE_UNAVAILABLE` */
const busy = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many sign-ins at the moment', {
    headers: { 'Retry-After': '5' },
  });
