// Lanes of the outbox: a slow receiver delays only its own rows, and an organisation has a bounded number of the slots.
import type { Types } from 'mongoose';
import type { OutboxDocument } from './outbox.model.ts';
import { NO_ORGANIZATION } from './no-organization.ts';
import type { OutboxPool } from './pools.ts';

/** A lane belongs to one organisation. Rows without a lane share the organisation's lane null. */
export type Lane = string | null;

/** Rows that one claim takes at most, in one lane or several. */
export const CLAIMED_MAX = 32;
/** Concurrent deliveries of one named lane. */
const NAMED_MAX = 2;
const UNNAMED_MAX = 8;
/** A lane rests after a delivery of over a second, so that a dead receiver takes a fifth of a slot's time. */
const QUICK_MS = 1000;
const REST = 4;
/** Time with one slot and a shorter timeout after a timeout: a slow receiver gets the full one once a minute. */
const SUSPECT_MS = 60_000;
/** Claimed rows that have not started within this time are given back: they may be erased, or their webhook paused. */
const UNSTARTED_MS = 1000;
/** How long an ordered lane waits before its first row is checked again. */
const FIRST_WAIT_MS = 250;
/** How long the state of an idle lane is kept. */
const REMEMBERED_MS = 60_000;
/** Largest part of the free slots for one organisation: many busy ones still leave some free for the next. */
const PART_OF_FREE = 1 / 5;
/** Part of all slots for rows without an organisation, such as sign-up mail. */
const PART_OF_NONE = 1 / 2;

interface LaneState {
  organizationId: string;
  lane: Lane;
  /** Rows are delivered one by one, oldest first. */
  isOrdered: boolean;
  inUse: number;
  restsUntil: number;
  suspectUntil: number;
  /** When to check an ordered lane again whose first row was not due. */
  firstWaitsUntil: number;
  /** Claimed rows whose delivery has not started. */
  waiting: Claimed[];
  claimedAt: number;
  /** Size of the next claim: twice what the last one completed. */
  size: number;
}

/** The members of a due row that identify its lane. */
export type LaneRow = Pick<OutboxDocument, 'organizationId' | 'lane' | 'topic'>;

/** The due rows of one lane that may be claimed, and how many of them can start concurrently. */
export interface LaneAllocation<R> {
  row: LaneRow;
  isOrdered: boolean;
  rows: R[];
  slots: number;
}

/** A row that a worker has claimed. */
export interface Claimed {
  row: OutboxDocument;
  /** Its due time before the claim. */
  wasDueAt: Date;
}

/** Lanes and organisations in which no delivery may start now. */
export interface ClosedLanes {
  lanes: string[];
  /** Organisations whose unnamed lane is closed. */
  unnamed: string[];
  /** Organisations that have all the slots that they may. */
  organizations: string[];
}

export interface Lanes {
  listClosed(room: number): ClosedLanes;
  /** The organisation that was served last. */
  lastOrganization(): string;
  /** The lane that was served last in the organisation. */
  lastLane(organizationId: Types.ObjectId): Lane;
  /** Divides the free slots among the lanes of due rows, which are sorted by organisation and lane. */
  allocateSlots<R extends LaneRow>(due: readonly R[], room: number): LaneAllocation<R>[];
  /** Makes an ordered lane wait whose first row is not due yet. */
  waitForFirst(row: LaneRow): void;
  /** Ends these waits, since the cause may be gone. */
  endFirstWaits(): void;
  /**
   * Adds claimed rows to their lane, and takes at most `slots` free slots for their deliveries. Another run may have
   * taken slots since they were allocated; its deliveries then take these rows too.
   */
  begin(row: LaneRow, claimed: readonly Claimed[], slots: number): DeliverySlot[];
}

/** Result of a delivery, which determines the pace of its lane. */
export interface DeliveryEnd {
  ms: number;
  hasFailed: boolean;
  hasTimedOut: boolean;
  wasSuspect: boolean;
}

/** A slot of a lane, for one delivery at a time. */
export interface DeliverySlot {
  /** Whether the receiver timed out recently. */
  isSuspect(): boolean;
  /** Takes the next row to deliver; null: there is none. */
  takeNext(): OutboxDocument | null;
  /** Takes all other waiting rows of the topic, for a joint delivery. */
  takeOthers(topic: string): OutboxDocument[];
  /** Takes the waiting rows that may not start: the claim is old, the lane rests, or the worker stops (`isOver`). */
  takeLate(isOver: boolean): Claimed[];
  /** Records a delivery; returns the rows that must not start now, because they come after a failed one. */
  recordDelivery(end: DeliveryEnd): Claimed[];
  release(): void;
}

interface LanesDeps {
  pool: Pick<OutboxPool, 'slots' | 'slotsPerOrganization'>;
  /** Topics whose lanes are ordered. */
  ordered: ReadonlySet<string>;
  /** Milliseconds of a clock that cannot be set back. */
  elapsed: () => number;
}

const isResting = ({ restsUntil }: LaneState, now: number): boolean => restsUntil > now;
const isSuspect = ({ suspectUntil }: LaneState, now: number): boolean => suspectUntil > now;
const computeAge = ({ claimedAt }: LaneState, now: number): number => now - claimedAt;
const toLaneKey = ({ organizationId, lane }: LaneRow): string =>
  lane ?? `${organizationId} unnamed`;

function countSlots(state: LaneState, now: number): number {
  if (state.isOrdered || isSuspect(state, now)) return 1;
  return state.lane === null ? UNNAMED_MAX : NAMED_MAX;
}

export function createLanes({ pool, ordered, elapsed }: LanesDeps): Lanes {
  const states = new Map<string, LaneState>();
  const inUse = new Map<string, number>();
  const lastLanes = new Map<string, Lane>();
  let lastOrganization = '';

  function getState(row: LaneRow): LaneState {
    const key = toLaneKey(row);
    const known = states.get(key);
    if (known) return known;
    const made = createState(row, ordered.has(row.topic));
    states.set(key, made);
    return made;
  }

  /** Number of free slots that the organisation may still take. */
  function countFreeSlots(organizationId: string, room: number): number {
    const part = Math.floor(room * PART_OF_FREE);
    const most =
      organizationId === NO_ORGANIZATION
        ? pool.slots * PART_OF_NONE
        : Math.max(1, Math.min(pool.slotsPerOrganization, part));
    return most - (inUse.get(organizationId) ?? 0);
  }

  const isOpen = (state: LaneState, now: number): boolean =>
    state.inUse < countSlots(state, now) &&
    state.waiting.length === 0 &&
    !isResting(state, now) &&
    state.firstWaitsUntil <= now;

  function forget(now: number): void {
    for (const [key, state] of states)
      if (
        state.inUse === 0 &&
        isOpen(state, now) &&
        !isSuspect(state, now) &&
        computeAge(state, now) > REMEMBERED_MS
      )
        states.delete(key);
    const remembered = new Set([...states.values()].map(({ organizationId }) => organizationId));
    for (const organizationId of lastLanes.keys())
      if (!remembered.has(organizationId)) lastLanes.delete(organizationId);
  }

  function changeInUse(organizationId: string, by: number): void {
    const left = (inUse.get(organizationId) ?? 0) + by;
    if (left === 0) inUse.delete(organizationId);
    else inUse.set(organizationId, left);
  }

  function acquireSlot(state: LaneState): DeliverySlot {
    state.inUse += 1;
    changeInUse(state.organizationId, 1);
    const onLeave = (): void => changeInUse(state.organizationId, -1);
    return createSlot(state, { elapsed, onLeave });
  }

  return {
    listClosed(room) {
      const now = elapsed();
      forget(now);
      const closed = [...states.values()].filter((state) => !isOpen(state, now));
      return {
        lanes: closed.flatMap(({ lane }) => lane ?? []),
        unnamed: closed.filter(({ lane }) => lane === null).map((one) => one.organizationId),
        organizations: [...inUse.keys()].filter((id) => countFreeSlots(id, room) <= 0),
      };
    },
    lastOrganization: () => lastOrganization,
    lastLane: (organizationId) => lastLanes.get(organizationId.toHexString()) ?? null,
    allocateSlots(due, room) {
      const taken = new Map<string, number>();
      const now = elapsed();
      let left = room;
      return [...groupLanes(due).values()].flatMap((all) => {
        const [row] = all;
        if (!row) return [];
        const state = getState(row);
        const rows = all.slice(0, state.size);
        const { organizationId, isOrdered } = state;
        const own = taken.get(organizationId) ?? 0;
        const free = Math.min(left, countFreeSlots(organizationId, left + own) - own);
        const slots = Math.min(countSlots(state, now) - state.inUse, rows.length, free);
        if (slots <= 0) return [];
        left -= slots;
        taken.set(organizationId, own + slots);
        return [{ row, isOrdered, rows, slots }];
      });
    },
    waitForFirst(row) {
      getState(row).firstWaitsUntil = elapsed() + FIRST_WAIT_MS;
    },
    endFirstWaits() {
      for (const state of states.values()) state.firstWaitsUntil = 0;
    },
    begin(row, claimed, slots) {
      const state = getState(row);
      lastOrganization = state.organizationId;
      lastLanes.set(state.organizationId, state.lane);
      if (claimed.length === 0) return [];
      const now = elapsed();
      state.waiting.push(...claimed);
      state.claimedAt = now;
      state.size = Math.min(CLAIMED_MAX, 2 * state.size);
      const free = Math.max(0, countSlots(state, now) - state.inUse);
      return Array.from({ length: Math.min(slots, free) }, () => acquireSlot(state));
    },
  };
}

const createState = ({ organizationId, lane }: LaneRow, isOrdered: boolean): LaneState => ({
  organizationId: organizationId.toHexString(),
  lane: lane ?? null,
  isOrdered,
  inUse: 0,
  restsUntil: 0,
  suspectUntil: 0,
  firstWaitsUntil: 0,
  waiting: [],
  claimedAt: 0,
  size: CLAIMED_MAX,
});

interface SlotDeps extends Pick<LanesDeps, 'elapsed'> {
  onLeave: () => void;
}

function createSlot(state: LaneState, { elapsed, onLeave }: SlotDeps): DeliverySlot {
  return {
    isSuspect: () => isSuspect(state, elapsed()),
    takeNext: () => state.waiting.shift()?.row ?? null,
    takeOthers(topic) {
      const taken = state.waiting.filter(({ row }) => row.topic === topic);
      state.waiting = state.waiting.filter(({ row }) => row.topic !== topic);
      return taken.map(({ row }) => row);
    },
    takeLate(isOver) {
      const now = elapsed();
      if (!isOver && !isResting(state, now) && computeAge(state, now) <= UNSTARTED_MS) return [];
      const late = takeWaiting(state);
      if (late.length > 0) state.size = countSlots(state, now);
      return late;
    },
    recordDelivery(end) {
      notePace(state, end, elapsed());
      return end.hasFailed && state.isOrdered ? takeWaiting(state) : [];
    },
    release() {
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

function notePace(
  state: LaneState,
  { ms, hasFailed, hasTimedOut, wasSuspect }: DeliveryEnd,
  now: number,
): void {
  const slow = ms - QUICK_MS;
  if (slow > 0 && state.lane !== null)
    state.restsUntil = Math.max(state.restsUntil, now + REST * slow);
  if (!hasFailed) state.suspectUntil = 0;
  else if (hasTimedOut && !wasSuspect) state.suspectUntil = now + SUSPECT_MS;
}

function groupLanes<R extends LaneRow>(rows: readonly R[]): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const key = toLaneKey(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}
