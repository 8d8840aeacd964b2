// The primary's side of the limits that workers share: counts, slots, password permits and leases.
import { Batons } from '../platform/shared/batons.ts';
import { TakenPlaces } from '../platform/shared/places.ts';
import type { SharedLimits } from '../platform/shared/shared.ts';
import { createFairSemaphore, type Release } from '../platform/concurrency/fair-semaphore.ts';
import { WindowCounts } from '../platform/shared/window-counts.ts';
import type { Answers } from './channel.ts';
import type { AskedOfPrimary, Given } from './messages.ts';

/** The session of one worker: the answers to its requests. */
export interface Visitor {
  answers: Pick<Answers<AskedOfPrimary>, 'counts' | 'place' | 'turn' | 'baton' | 'leave'>;
  /** Releases what the worker holds, because it is gone. */
  leave: Release;
}

/** Releases a resource; a lease passes the note on to its next holder. */
type GiveBack = (note: string | null) => void;

/** Coordinates the limits that workers share. */
export interface Desk {
  /** Opens the session of a worker that has started. `wanted` notifies it that another worker waits for its lease. */
  visitor(wanted: (hold: number) => void): Visitor;
}

/** The resources that one worker holds. */
class Holds {
  readonly #taken = new Map<number, GiveBack>();
  #last = 0;
  #isGone = false;

  /** Adds a resource and returns its id; null: there is none, or the worker is gone. */
  add(giveBack: GiveBack | null): number | null {
    if (giveBack && this.#isGone) giveBack(null);
    if (!giveBack || this.#isGone) return null;
    this.#taken.set(++this.#last, giveBack);
    return this.#last;
  }

  giveBack(id: number, note: string | null): void {
    this.#taken.get(id)?.(note);
    this.#taken.delete(id);
  }

  end(): void {
    this.#isGone = true;
    for (const id of [...this.#taken.keys()]) this.giveBack(id, null);
  }
}

/** Creates the coordinator; its state lives in the memory of the primary. */
export function createDesk({ passwords }: SharedLimits): Desk {
  const counts = new WindowCounts();
  const places = new TakenPlaces();
  const passwordPermits = createFairSemaphore(passwords);
  const batons = new Batons();

  return {
    visitor(wanted) {
      const holds = new Holds();
      return {
        answers: {
          counts: (rows) => rows.map((row) => counts.add(row, row.count, performance.now())),
          place: (place) => holds.add(places.take(place)),
          turn: async ({ line }) => holds.add(await passwordPermits.acquire(line)),
          async baton({ key }) {
            const given: Given = { hold: null, note: null, isWanted: false };
            const { note, pass } = await batons.take(key, () => {
              given.isWanted = true;
              if (given.hold !== null) wanted(given.hold);
            });
            given.note = note;
            given.hold = holds.add(pass);
            return given;
          },
          leave({ hold, note }) {
            holds.giveBack(hold, note);
            return null;
          },
        },
        leave: () => holds.end(),
      };
    },
  };
}
