// Lanes of the outbox: rows for the same receiver share one, so that a receiver that is slow or dead holds up its own rows only.
import type { OutboxDocument } from './outbox.model.ts';

/** Rows that name no lane share this one. */
const UNNAMED = null;
export type Lane = string | null;

/** Rows that are claimed together, of one lane or of several. */
export const CLAIMED_MAX = 32;
/** Deliveries of one lane at the same time. */
const NAMED_MAX = 2;
const UNNAMED_MAX = 8;
/** What took longer than a second is followed by a rest, so that a dead receiver takes a fifth of a worker's time. */
const QUICK_MS = 1000;
const REST = 4;
/** What has not begun so long after its claim is given back: it may be erased meanwhile, or its webhook paused. */
const HELD_MS = 1000;
/** How long the pace of a lane is remembered. */
const REMEMBERED_MS = 60_000;

interface State {
  underWay: number;
  restsUntil: number;
  /** Of its claim that have not begun. */
  waiting: Claimed[];
  claimedAt: number;
  /** Rows of its next claim: what the last one got through, doubled. */
  size: number;
}

/** Of due rows, those of one lane that may be claimed, and how many of them can begin beside each other. */
interface Share<R> {
  lane: Lane;
  rows: R[];
  places: number;
}

/** A row that a worker holds. */
export interface Claimed {
  row: OutboxDocument;
  /** Before its claim. */
  wasDueAt: Date;
}

export interface Lanes {
  /** Lanes that nothing more may begin in now. */
  closed(): Lane[];
  /** The lane that had its turn last. */
  last(): Lane;
  /** Shares that many places among the lanes of due rows, which are in the order of their lanes. */
  share<R extends Pick<OutboxDocument, 'lane'>>(due: readonly R[], room: number): Share<R>[];
  /** The lane has its turn with these. */
  begin(lane: Lane, claimed: Claimed[]): void;
  /** Takes a place for deliveries that follow each other. */
  takePlace(lane: Lane): Place;
}

/** Of one delivery of a lane at a time. */
export interface Place {
  /** The row that may begin now. */
  next(): OutboxDocument | null;
  /** All others of its topic that wait: they begin together. */
  others(topic: string): OutboxDocument[];
  /** What waits and may not begin any more, as its claim is old, its lane rests, or everything ends (`isOver`). */
  late(isOver: boolean): Claimed[];
  /** A delivery has ended that took so long. */
  delivered(ms: number): void;
  leave(): void;
}

const mostIn = (lane: Lane): number => (lane === UNNAMED ? UNNAMED_MAX : NAMED_MAX);
const isResting = ({ restsUntil }: State): boolean => restsUntil > performance.now();
const age = ({ claimedAt }: State): number => performance.now() - claimedAt;
const isLate = (state: State): boolean => age(state) > HELD_MS;
const isOpen = (lane: Lane, state: State): boolean =>
  state.underWay < mostIn(lane) && state.waiting.length === 0 && !isResting(state);
const isForgotten = (state: State): boolean =>
  state.underWay === 0 && !isResting(state) && age(state) > REMEMBERED_MS;

export function createLanes(): Lanes {
  const states = new Map<Lane, State>();
  let last: Lane = UNNAMED;

  function stateOf(lane: Lane): State {
    const known = states.get(lane);
    if (known) return known;
    const made = { underWay: 0, restsUntil: 0, waiting: [], claimedAt: 0, size: CLAIMED_MAX };
    states.set(lane, made);
    return made;
  }

  return {
    closed() {
      for (const [lane, state] of states) if (isForgotten(state)) states.delete(lane);
      return [...states].filter(([lane, state]) => !isOpen(lane, state)).map(([lane]) => lane);
    },
    last: () => last,
    share(due, room) {
      let left = room;
      return [...byLane(due)].flatMap(([lane, all]) => {
        const { size, underWay } = stateOf(lane);
        const rows = all.slice(0, size);
        const places = Math.min(mostIn(lane) - underWay, rows.length, left);
        left -= places;
        return places > 0 ? [{ lane, rows, places }] : [];
      });
    },
    begin(lane, claimed) {
      last = lane;
      const state = stateOf(lane);
      if (claimed.length === 0) return;
      state.waiting.push(...claimed);
      state.claimedAt = performance.now();
      state.size = Math.min(CLAIMED_MAX, 2 * state.size);
    },
    takePlace(lane) {
      const state = stateOf(lane);
      state.underWay += 1;
      return placeIn(state, lane);
    },
  };
}

function placeIn(state: State, lane: Lane): Place {
  return {
    next: () => state.waiting.shift()?.row ?? null,
    others(topic) {
      const taken = state.waiting.filter(({ row }) => row.topic === topic);
      state.waiting = state.waiting.filter(({ row }) => row.topic !== topic);
      return taken.map(({ row }) => row);
    },
    late(isOver) {
      if (!isOver && !isResting(state) && !isLate(state)) return [];
      const late = state.waiting;
      state.waiting = [];
      if (late.length > 0) state.size = mostIn(lane);
      return late;
    },
    delivered(ms) {
      const slow = ms - QUICK_MS;
      if (slow > 0 && lane !== UNNAMED)
        state.restsUntil = Math.max(state.restsUntil, performance.now() + REST * slow);
    },
    leave: () => void (state.underWay -= 1),
  };
}

function byLane<R extends Pick<OutboxDocument, 'lane'>>(rows: readonly R[]): Map<Lane, R[]> {
  const groups = new Map<Lane, R[]>();
  for (const row of rows) {
    const lane = row.lane ?? UNNAMED;
    groups.set(lane, [...(groups.get(lane) ?? []), row]);
  }
  return groups;
}
