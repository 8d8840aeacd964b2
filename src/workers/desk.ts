// Where workers count, and take places and turns: the primary's side of what they share.
import { TakenPlaces } from '../platform/shared/places.ts';
import type { SharedLimits } from '../platform/shared/shared.ts';
import { createTurnQueue, type Leave } from '../platform/shared/turns.ts';
import { WindowCounts } from '../platform/shared/window-counts.ts';
import type { Answers } from './channel.ts';
import type { AskedOfPrimary } from './messages.ts';

export interface Visitor {
  answers: Pick<Answers<AskedOfPrimary>, 'counts' | 'place' | 'turn' | 'leave'>;
  /** The worker is gone: what it held is given back. */
  leave: Leave;
}

export interface Desk {
  /** A worker that has begun. */
  visitor(): Visitor;
}

export function createDesk({ passwords }: SharedLimits): Desk {
  const counts = new WindowCounts();
  const places = new TakenPlaces();
  const turns = createTurnQueue(passwords);

  return {
    visitor() {
      const holds = new Map<number, Leave>();
      let last = 0;
      let isGone = false;

      function hold(leave: Leave | null): number | null {
        if (leave && isGone) leave();
        if (!leave || isGone) return null;
        holds.set(++last, leave);
        return last;
      }

      function giveBack(id: number): void {
        holds.get(id)?.();
        holds.delete(id);
      }

      return {
        answers: {
          counts: (rows) => rows.map((row) => counts.add(row, row.count, performance.now())),
          place: (wanted) => hold(places.take(wanted)),
          turn: async ({ line }) => hold(await turns.take(line)),
          leave({ hold: id }) {
            giveBack(id);
            return null;
          },
        },
        leave() {
          isGone = true;
          for (const id of [...holds.keys()]) giveBack(id);
        },
      };
    },
  };
}
