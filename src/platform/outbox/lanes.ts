// Lanes of the outbox: a slow receiver delays its own rows only, and an organisation has a bounded share of the slots.
import type { Types } from 'mongoose';
import type { OutboxDocument } from './outbox.model.ts';
import { NO_ORGANIZATION } from './no-organization.ts';
import type { OutboxPool } from './pools.ts';

/** A lane belongs to one organisation. Rows of an organisation that name none share one, null. */
export type Lane = string | null;

/** Rows that are claimed together, of one lane or of several. */
export const CLAIMED_MAX = 32;
/** Deliveries of one lane at the same time. */
const NAMED_MAX = 2;
const UNNAMED_MAX = 8;
/** What took longer than a second is followed by a rest, so that a dead receiver takes a fifth of a slot's time. */
const QUICK_MS = 1000;
const REST = 4;
/** After a time-out a lane has one slot and a shorter time-out for so long: a receiver that needs the whole time gets it once a minute. */
const SUSPECT_MS = 60_000;
/** What has not begun so long after its claim is given back: it may be erased meanwhile, or its webhook paused. */
const HELD_MS = 1000;
/** How long an ordered lane waits before its first row is looked at again. */
const HEAD_WAIT_MS = 250;
/** How long the pace of a lane is remembered. */
const REMEMBERED_MS = 60_000;
/** An organisation may take this part of the free slots at most: many busy ones together leave some free for the next. */
const SHARE_OF_FREE = 1 / 5;
/** What belongs to no organisation, such as mail for signing up, concerns everybody: it may take this part of all slots. */
const SHARE_OF_NONE = 1 / 2;

interface LaneState {
  organizationId: string;
  lane: Lane;
  /** Its rows are delivered one after another, in the order in which they were written. */
  isOrdered: boolean;
  inUse: number;
  restsUntil: number;
  suspectUntil: number;
  /** In an ordered lane whose first row was not due, when to look again. */
  headWaitsUntil: number;
  /** Of its claim that have not begun. */
  waiting: Claimed[];
  claimedAt: number;
  /** Rows of its next claim: what the last one got through, doubled. */
  size: number;
}

/** Of a due row, what its lane is found by. */
export type LaneRow = Pick<OutboxDocument, 'organizationId' | 'lane' | 'topic'>;

/** Of due rows, those of one lane that may be claimed, and how many of them can begin beside each other. */
export interface LaneShare<R> {
  row: LaneRow;
  isOrdered: boolean;
  rows: R[];
  slots: number;
}

/** A row that a worker holds. */
export interface Claimed {
  row: OutboxDocument;
  /** Before its claim. */
  wasDueAt: Date;
}

/** In which nothing more may begin now. */
export interface Closed {
  lanes: string[];
  /** Organisations whose unnamed lane is closed. */
  unnamed: string[];
  /** Organisations that have their share of the slots. */
  organizations: string[];
}

export interface Lanes {
  closed(room: number): Closed;
  /** The organisation that was served last. */
  lastOrganization(): string;
  /** The lane that was served last in the organisation. */
  lastLane(organizationId: Types.ObjectId): Lane;
  /** Shares the free slots among the lanes of due rows, which are in the order of organisations and lanes. */
  share<R extends LaneRow>(due: readonly R[], room: number): LaneShare<R>[];
  /** In an ordered lane the first row is not due yet: the others wait for it. */
  waitForHead(row: LaneRow): void;
  /** Ends these waits: what a first row waited for may have ended. */
  endHeadWaits(): void;
  /** The lane is served with these. */
  begin(row: LaneRow, claimed: Claimed[]): void;
  /** Takes a slot for deliveries that follow each other. */
  occupySlot(row: LaneRow): DeliverySlot;
}

/** How a delivery ended. */
export interface DeliveryEnd {
  ms: number;
  hasFailed: boolean;
  hasTimedOut: boolean;
  wasSuspect: boolean;
}

/** Of one delivery of a lane at a time. */
export interface DeliverySlot {
  /** Whether the receiver did not answer in time of late. */
  isSuspect(): boolean;
  /** The row that may begin now. */
  next(): OutboxDocument | null;
  /** All others of its topic that wait: they begin together. */
  others(topic: string): OutboxDocument[];
  /** What waits and may not begin any more, as its claim is old, its lane rests, or everything ends (`isOver`). */
  late(isOver: boolean): Claimed[];
  /** What must not begin now, as it has to follow what failed. */
  delivered(end: DeliveryEnd): Claimed[];
  leave(): void;
}

interface LanesDeps {
  pool: Pick<OutboxPool, 'slots' | 'slotsPerOrganization'>;
  /** Topics whose lanes are ordered. */
  ordered: ReadonlySet<string>;
}

const isResting = ({ restsUntil }: LaneState): boolean => restsUntil > performance.now();
const isSuspect = ({ suspectUntil }: LaneState): boolean => suspectUntil > performance.now();
const age = ({ claimedAt }: LaneState): number => performance.now() - claimedAt;
const keyOfLane = ({ organizationId, lane }: LaneRow): string =>
  lane ?? `${organizationId} unnamed`;

function slotsOf(state: LaneState): number {
  if (state.isOrdered || isSuspect(state)) return 1;
  return state.lane === null ? UNNAMED_MAX : NAMED_MAX;
}

export function createLanes({ pool, ordered }: LanesDeps): Lanes {
  const states = new Map<string, LaneState>();
  const inUse = new Map<string, number>();
  const lastLanes = new Map<string, Lane>();
  let lastOrganization = '';

  function stateOf(row: LaneRow): LaneState {
    const key = keyOfLane(row);
    const known = states.get(key);
    if (known) return known;
    const made = newState(row, ordered.has(row.topic));
    states.set(key, made);
    return made;
  }

  /** Slots that the organisation may still take of those that are free. */
  function freeFor(organizationId: string, room: number): number {
    const share = Math.floor(room * SHARE_OF_FREE);
    const most =
      organizationId === NO_ORGANIZATION
        ? pool.slots * SHARE_OF_NONE
        : Math.max(1, Math.min(pool.slotsPerOrganization, share));
    return most - (inUse.get(organizationId) ?? 0);
  }

  const isOpen = (state: LaneState): boolean =>
    state.inUse < slotsOf(state) &&
    state.waiting.length === 0 &&
    !isResting(state) &&
    state.headWaitsUntil <= performance.now();

  function forget(): void {
    for (const [key, state] of states)
      if (state.inUse === 0 && isOpen(state) && !isSuspect(state) && age(state) > REMEMBERED_MS)
        states.delete(key);
    const remembered = new Set([...states.values()].map(({ organizationId }) => organizationId));
    for (const organizationId of lastLanes.keys())
      if (!remembered.has(organizationId)) lastLanes.delete(organizationId);
  }

  function change(organizationId: string, by: number): void {
    const left = (inUse.get(organizationId) ?? 0) + by;
    if (left === 0) inUse.delete(organizationId);
    else inUse.set(organizationId, left);
  }

  return {
    closed(room) {
      forget();
      const closed = [...states.values()].filter((state) => !isOpen(state));
      return {
        lanes: closed.flatMap(({ lane }) => lane ?? []),
        unnamed: closed.filter(({ lane }) => lane === null).map((one) => one.organizationId),
        organizations: [...inUse.keys()].filter((id) => freeFor(id, room) <= 0),
      };
    },
    lastOrganization: () => lastOrganization,
    lastLane: (organizationId) => lastLanes.get(organizationId.toHexString()) ?? null,
    share(due, room) {
      const taken = new Map<string, number>();
      let left = room;
      return [...byLane(due).values()].flatMap((all) => {
        const [row] = all;
        if (!row) return [];
        const state = stateOf(row);
        const rows = all.slice(0, state.size);
        const { organizationId, isOrdered } = state;
        const own = taken.get(organizationId) ?? 0;
        const free = Math.min(left, freeFor(organizationId, left + own) - own);
        const slots = Math.min(slotsOf(state) - state.inUse, rows.length, free);
        if (slots <= 0) return [];
        left -= slots;
        taken.set(organizationId, own + slots);
        return [{ row, isOrdered, rows, slots }];
      });
    },
    waitForHead(row) {
      stateOf(row).headWaitsUntil = performance.now() + HEAD_WAIT_MS;
    },
    endHeadWaits() {
      for (const state of states.values()) state.headWaitsUntil = 0;
    },
    begin(row, claimed) {
      const state = stateOf(row);
      lastOrganization = state.organizationId;
      lastLanes.set(state.organizationId, state.lane);
      if (claimed.length === 0) return;
      state.waiting.push(...claimed);
      state.claimedAt = performance.now();
      state.size = Math.min(CLAIMED_MAX, 2 * state.size);
    },
    occupySlot(row) {
      const state = stateOf(row);
      state.inUse += 1;
      change(state.organizationId, 1);
      return slotIn(state, () => change(state.organizationId, -1));
    },
  };
}

const newState = ({ organizationId, lane }: LaneRow, isOrdered: boolean): LaneState => ({
  organizationId: organizationId.toHexString(),
  lane: lane ?? null,
  isOrdered,
  inUse: 0,
  restsUntil: 0,
  suspectUntil: 0,
  headWaitsUntil: 0,
  waiting: [],
  claimedAt: 0,
  size: CLAIMED_MAX,
});

function slotIn(state: LaneState, onLeave: () => void): DeliverySlot {
  return {
    isSuspect: () => isSuspect(state),
    next: () => state.waiting.shift()?.row ?? null,
    others(topic) {
      const taken = state.waiting.filter(({ row }) => row.topic === topic);
      state.waiting = state.waiting.filter(({ row }) => row.topic !== topic);
      return taken.map(({ row }) => row);
    },
    late(isOver) {
      if (!isOver && !isResting(state) && age(state) <= HELD_MS) return [];
      const late = takeWaiting(state);
      if (late.length > 0) state.size = slotsOf(state);
      return late;
    },
    delivered(end) {
      notePace(state, end);
      return end.hasFailed && state.isOrdered ? takeWaiting(state) : [];
    },
    leave() {
      state.inUse -= 1;
      onLeave();
    },
  };
}

function takeWaiting(state: LaneState): Claimed[] {
  const taken = state.waiting;
  state.waiting = [];
  return taken;
}

function notePace(state: LaneState, { ms, hasFailed, hasTimedOut, wasSuspect }: DeliveryEnd): void {
  const now = performance.now();
  const slow = ms - QUICK_MS;
  if (slow > 0 && state.lane !== null)
    state.restsUntil = Math.max(state.restsUntil, now + REST * slow);
  if (!hasFailed) state.suspectUntil = 0;
  else if (hasTimedOut && !wasSuspect) state.suspectUntil = now + SUSPECT_MS;
}

function byLane<R extends LaneRow>(rows: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const key = keyOfLane(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}
