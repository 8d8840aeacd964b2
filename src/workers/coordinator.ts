// The primary's side of the limits that workers share: counts, slots and leases.
import type { Release } from '../platform/concurrency/admission.ts';
import { KeyLeases } from '../platform/shared/key-leases.ts';
import { KeySlots } from '../platform/shared/slots.ts';
import { WindowCounts } from '../platform/shared/window-counts.ts';
import type { Answers } from './channel.ts';
import type { LimitRequests } from './messages.ts';

/** The session of one worker: the answers to its requests. */
export interface WorkerSession {
  answers: Answers<LimitRequests>;
  /** Releases what the worker holds, because it is gone. */
  release: Release;
}

/** Coordinates the limits that workers share. */
export interface Coordinator {
  /** Opens the session of a worker that has started. */
  openSession(): WorkerSession;
}

/** Releases a resource; a lease passes the payload on to its next holder. */
type ReleaseHeld = (payload: string | null) => void;

/** The slots and leases that one worker holds. */
class HeldResources {
  readonly #held = new Map<number, ReleaseHeld>();
  #lastId = 0;
  #isGone = false;

  /** Adds a resource and returns its id; null: there is none, or the worker is gone. */
  addResource(release: ReleaseHeld | null): number | null {
    if (release && this.#isGone) release(null);
    if (!release || this.#isGone) return null;
    this.#held.set(++this.#lastId, release);
    return this.#lastId;
  }

  release(id: number, payload: string | null): void {
    this.#held.get(id)?.(payload);
    this.#held.delete(id);
  }

  releaseAll(): void {
    this.#isGone = true;
    for (const id of [...this.#held.keys()]) this.release(id, null);
  }
}

/** Creates the coordinator; its state lives in the memory of the primary. */
export function createCoordinator(): Coordinator {
  const counts = new WindowCounts();
  const slots = new KeySlots();
  const leases = new KeyLeases();

  return {
    openSession() {
      const held = new HeldResources();
      return {
        answers: {
          reportCounts: (rows) =>
            rows.map((row) => counts.increment(row, row.count, performance.now())),
          acquireSlot: async (request) => held.addResource(await slots.acquire(request)),
          async acquireLease({ key }) {
            const { payload, release } = await leases.acquire(key);
            return { id: held.addResource(release), payload };
          },
          release({ id, payload }) {
            held.release(id, payload);
            return null;
          },
        },
        release: () => held.releaseAll(),
      };
    },
  };
}
