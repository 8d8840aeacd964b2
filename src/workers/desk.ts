// Where workers count, and take places and turns: the primary's side of what they share.
import { Batons } from '../platform/shared/batons.ts';
import { TakenPlaces } from '../platform/shared/places.ts';
import type { SharedLimits } from '../platform/shared/shared.ts';
import { createFairSemaphore, type Release } from '../platform/concurrency/fair-semaphore.ts';
import { WindowCounts } from '../platform/shared/window-counts.ts';
import type { Answers } from './channel.ts';
import type { AskedOfPrimary, Given } from './messages.ts';

export interface Visitor {
  answers: Pick<Answers<AskedOfPrimary>, 'counts' | 'place' | 'turn' | 'baton' | 'leave'>;
  /** The worker is gone: what it held is given back. */
  leave: Release;
}

/** Gives back what was taken; a baton goes on with the note. */
type GiveBack = (note: string | null) => void;

export interface Desk {
  /** A worker that has begun. `wanted` tells it which baton somebody else waits for. */
  visitor(wanted: (hold: number) => void): Visitor;
}

/** What one worker has taken. */
class Holds {
  readonly #taken = new Map<number, GiveBack>();
  #last = 0;
  #isGone = false;

  /** Null: there is nothing to hold, or nobody any more who could. */
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
