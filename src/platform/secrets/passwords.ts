// Password hashing with argon2id, off the event loop and with bounded concurrency, so that sign-ins cannot starve ingestion.
import { hash, verify } from '@node-rs/argon2';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** With `stored` null, does the same work and resolves with false: an unknown account takes as long as a known one. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Number of hashes computed; for tests that compare the work. */
  readonly computed: number;
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

/** Computes up to `concurrency` hashes at a time; further ones wait in order. */
export function createPasswords(concurrency: number, cost = PASSWORD_COST): Passwords {
  let running = 0;
  let computed = 0;
  const waiting: (() => void)[] = [];
  let decoy: Promise<string> | undefined;

  async function limited<T>(work: () => Promise<T>): Promise<T> {
    if (running < concurrency) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    computed += 1;
    try {
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
  };
}
