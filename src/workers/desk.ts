// The primary's side of the limits that workers share: counts, slots, password permits and leases.
import { KeyLeases } from '../platform/shared/batons.ts';
import { OccupiedSlots } from '../platform/shared/places.ts';
import type { SharedLimits } from '../platform/shared/shared.ts';
import { createFairSemaphore, type Release } from '../platform/concurrency/fair-semaphore.ts';
import { WindowCounts } from '../platform/shared/window-counts.ts';
import type { Answers } from './channel.ts';
import type { PrimaryRequests, GrantedBaton } from './messages.ts';

/** The session of one worker: the answers to its requests. */
export interface WorkerSession {
  answers: Pick<Answers<PrimaryRequests>, 'counts' | 'place' | 'turn' | 'baton' | 'leave'>;
  /** Releases what the worker holds, because it is gone. */
  release: Release;
}

/** Releases a resource; a lease passes the note on to its next holder. */
type ReleaseResource = (note: string | null) => void;

/** Coordinates the limits that workers share. */
export interface Coordinator {
  /** Opens the session of a worker that has started. `wanted` notifies it that another worker waits for its lease. */
  openSession(wanted: (hold: number) => void): WorkerSession;
}

/** The resources that one worker holds. */
class HeldResources {
  readonly #taken = new Map<number, ReleaseResource>();
  #last = 0;
  #isGone = false;

  /** Adds a resource and returns its id; null: there is none, or the worker is gone. */
  addHold(giveBack: ReleaseResource | null): number | null {
    if (giveBack && this.#isGone) giveBack(null);
    if (!giveBack || this.#isGone) return null;
    this.#taken.set(++this.#last, giveBack);
    return this.#last;
  }

  giveBack(id: number, note: string | null): void {
    this.#taken.get(id)?.(note);
    this.#taken.delete(id);
  }

  releaseAll(): void {
    this.#isGone = true;
    for (const id of [...this.#taken.keys()]) this.giveBack(id, null);
  }
}

/** Creates the coordinator; its state lives in the memory of the primary. */
export function createCoordinator({ passwords }: SharedLimits): Coordinator {
  const counts = new WindowCounts();
  const places = new OccupiedSlots();
  const passwordPermits = createFairSemaphore(passwords);
  const batons = new KeyLeases();

  return {
    openSession(wanted) {
      const held = new HeldResources();
      return {
        answers: {
          counts: (rows) => rows.map((row) => counts.increment(row, row.count, performance.now())),
          place: (place) => held.addHold(places.acquire(place)),
          turn: async ({ line }) => held.addHold(await passwordPermits.acquire(line)),
          async baton({ key }) {
            const grant: GrantedBaton = { hold: null, note: null, isWanted: false };
            const { payload, release } = await batons.acquire(key, () => {
              grant.isWanted = true;
              if (grant.hold !== null) wanted(grant.hold);
            });
            grant.note = payload;
            grant.hold = held.addHold(release);
            return grant;
          },
          leave({ hold, note }) {
            held.giveBack(hold, note);
            return null;
          },
        },
        release: () => held.releaseAll(),
      };
    },
  };
}
