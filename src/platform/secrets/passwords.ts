// Password hashing: argon2id off the event loop, with bounded concurrency so that sign-ins cannot starve ingestion.
import { hash, verify } from '@node-rs/argon2';

export interface Passwords {
  hash(password: string): Promise<string>;
  /** With `stored` null the same work is done and the answer is false: an unknown account costs as much as a known one. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Hashes computed so far, for tests that compare work done. */
  readonly computed: number;
}

/** What one hash costs, in the terms of argon2id, which is the library's default algorithm. */
export interface PasswordCost {
  /** KiB. */
  memoryCost: number;
  /** Passes over the memory. */
  timeCost: number;
  /** Lanes. */
  parallelism: number;
}

/** As OWASP recommends: 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** At most `concurrency` hashes at the same time; further ones wait in order. */
export function createPasswords(concurrency: number, cost = PASSWORD_COST): Passwords {
  let running = 0;
  let computed = 0;
  const waiting: (() => void)[] = [];
  let decoy: Promise<string> | undefined;

  async function bounded<T>(work: () => Promise<T>): Promise<T> {
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
    hash: (password) => bounded(() => hash(password, cost)),
    async verify(stored, password) {
      decoy ??= hash('no account has this password', cost);
      const against = stored ?? (await decoy);
      const matches = await bounded(() => verify(against, password));
      return stored !== null && matches;
    },
    get computed() {
      return computed;
    },
  };
}
