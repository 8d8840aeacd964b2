// Lanes of the outbox: rows for the same receiver share one, so that a receiver that is slow or dead holds up its own rows only.

/** Rows that name no lane share this one. */
export const UNNAMED = null;
export type Lane = string | null;

/** Deliveries of one lane at the same time. */
const NAMED_MAX = 2;
const UNNAMED_MAX = 8;
/** What took longer than a second is followed by a rest, so that a dead receiver takes a fifth of a worker's time. */
const QUICK_MS = 1000;
const REST = 4;

interface State {
  underWay: number;
  restsUntil: number;
}

export interface Lanes {
  /** Lanes that nothing more may begin in now. */
  closed(): Lane[];
  /** The lane that had its turn last. */
  last(): Lane;
  entered(lane: Lane): void;
  /** Takes a place for deliveries that follow each other. */
  takePlace(lane: Lane): Place;
}

/** Of one delivery of a lane at a time. */
export interface Place {
  /** A delivery has ended that took so long. */
  delivered(ms: number): void;
  /** Whether the next may follow at once. */
  mayGoOn(): boolean;
  leave(): void;
}

export function createLanes(): Lanes {
  const states = new Map<Lane, State>();
  let last: Lane = UNNAMED;
  const isResting = ({ restsUntil }: State): boolean => restsUntil > performance.now();
  const isFull = (lane: Lane, { underWay }: State): boolean =>
    underWay >= (lane === UNNAMED ? UNNAMED_MAX : NAMED_MAX);

  return {
    closed() {
      for (const [lane, state] of states)
        if (state.underWay === 0 && !isResting(state)) states.delete(lane);
      return [...states]
        .filter(([lane, state]) => isFull(lane, state) || isResting(state))
        .map(([lane]) => lane);
    },
    last: () => last,
    entered(lane) {
      last = lane;
    },
    takePlace(lane) {
      const state = states.get(lane) ?? { underWay: 0, restsUntil: 0 };
      states.set(lane, state);
      state.underWay += 1;
      return {
        delivered(ms) {
          const slow = ms - QUICK_MS;
          if (slow > 0 && lane !== UNNAMED)
            state.restsUntil = Math.max(state.restsUntil, performance.now() + REST * slow);
        },
        mayGoOn: () => !isResting(state),
        leave: () => void (state.underWay -= 1),
      };
    },
  };
}
