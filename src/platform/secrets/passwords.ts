// Password hashing with argon2id, off the event loop, with bounded concurrency and a bounded, fair queue.
import { hash, verify } from '@node-rs/argon2';
import { normalizePassword, listPasswordSpellings } from '../../domain/identity/password.ts';
import { AppError } from '../../errors.ts';
import type { Config } from '../../config/config.ts';
import type { Release } from '../concurrency/admission.ts';
import type { AcquireSlot } from '../shared/slots.ts';

export interface PasswordCheck {
  matches: boolean;
  /** A hash that replaces the stored one; null: the stored one stays. */
  renewed: string | null;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** False when `stored` is null, after the same work: an unknown account takes as long as a known one. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** Like `verify`, but also returns a new hash where an earlier version made the stored one. */
  check(stored: string | null, password: string): Promise<PasswordCheck>;
  /** Number of hashes computed; tests compare it. */
  readonly computed: number;
  /** Number of hashes that wait; tests read it. */
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

type Configured = Pick<Config, 'ASSAY_PASSWORD_CONCURRENCY' | 'ASSAY_PASSWORD_QUEUE'>;

export interface PasswordQueue {
  /** Acquires the permit of one hash for a network; null: too many wait. */
  acquire: (network: string) => ReturnType<AcquireSlot>;
  /** Whether the client of the current request has disconnected. */
  isAbandoned: () => boolean;
  /** The network that the request came from. */
  network: () => string;
}

/** Bounds running and waiting hashes on all workers, and serves the waiting networks in rotation. */
export function createPasswordQueue(
  config: Configured,
  { shared, ...caller }: Omit<PasswordQueue, 'acquire'> & { shared: { acquireSlot: AcquireSlot } },
): PasswordQueue {
  const permits = config.ASSAY_PASSWORD_CONCURRENCY;
  const maxWaiting = config.ASSAY_PASSWORD_QUEUE;
  const hashes = { namespace: 'passwords', permits, maxWaiting };
  return { ...caller, acquire: (network) => shared.acquireSlot({ ...hashes, key: network }) };
}

/**
 * When the queue is full, a request of the network with the most waiting requests is refused. Requests of disconnected
 * clients are skipped.
 */
export function createPasswords(
  { acquire, isAbandoned, network }: PasswordQueue,
  cost = PASSWORD_COST,
): Passwords {
  let computed = 0;
  let waiting = 0;
  let decoy: Promise<string> | undefined;

  async function awaitPermit(acquired: Promise<Release | null>): Promise<Release | null> {
    waiting += 1;
    const release = await acquired;
    waiting -= 1;
    return release;
  }

  async function runLimited<T>(work: () => Promise<T>): Promise<T> {
    const acquired = acquire(network());
    const release = acquired instanceof Promise ? await awaitPermit(acquired) : acquired;
    if (release === null) throw createBusyError();
    try {
      if (isAbandoned()) throw createBusyError();
      computed += 1;
      return await work();
    } finally {
      release();
    }
  }

  const compute = (password: string): Promise<string> =>
    runLimited(() => hash(normalizePassword(password), cost));

  /** Returns the spelling that matches the stored hash; null: none does. An unknown account tries as many spellings. */
  async function findSpelling(stored: string | null, password: string): Promise<string | null> {
    decoy ??= hash('no account has this password', cost);
    const against = stored ?? (await decoy);
    for (const spelling of listPasswordSpellings(password)) {
      const matches = await runLimited(() => verify(against, spelling));
      if (stored !== null && matches) return spelling;
    }
    return null;
  }

  return {
    hash: compute,
    verify: async (stored, password) => (await findSpelling(stored, password)) !== null,
    async check(stored, password) {
      const spelling = await findSpelling(stored, password);
      const isCurrent = spelling === null || spelling === normalizePassword(spelling);
      return { matches: spelling !== null, renewed: isCurrent ? null : await compute(spelling) };
    },
    get computed() {
      return computed;
    },
    get waiting() {
      return waiting;
    },
  };
}

/** @returns AppError `SERVICE_UNAVAILABLE` */
const createBusyError = (): AppError =>
  new AppError('SERVICE_UNAVAILABLE', 'Too many sign-ins at the moment', {
    headers: { 'Retry-After': '5' },
  });
