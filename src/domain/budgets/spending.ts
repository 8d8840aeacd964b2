// What is spent of a limit, as the entries of the chain carry it (formats.md, section 16).
import {
  formatDecimal,
  isDecimal,
  type Limit,
  LIMIT_WINDOWS,
  type LimitedAction,
  type LimitWindow,
  parseDecimal,
  toUpperDecimal,
} from '@assay/policy';

/** Entries add to that many sums at most. */
export const SPENDS_MAX = 8;
/** The parts of a window: what is spent counts until its part has passed. */
const SLOTS = 24;
const HOUR_MS = 3_600_000;

/** A limit, and the action of a policy that has it. */
export interface ActionLimit extends Limit, Omit<LimitedAction, 'limit' | 'halt'> {}

/** A limit of a decision, as the decision commits to it. */
export interface DecisionLimit extends ActionLimit {
  /** Names the sum: the id of the policy, a colon, 22 characters. */
  key: string;
  /** A decimal; null: it could not be read. */
  amount: string | null;
}

/** A limit as the decision that it stopped commits to it, and as an answer says it. */
export interface LimitNotice extends ActionLimit {
  /** How much could still be spent; null: what it would add cannot be read. */
  left: number | null;
  /** ISO 8601: when the oldest part of what is spent stops counting; null: never. */
  freesAt: string | null;
}

/** What an entry adds to a sum; less than nothing where it gives back. */
export interface Spending {
  key: string;
  window: LimitWindow;
  /** The number of the part of the window; null: that of the entry's own time. */
  slot: number | null;
  /** A decimal. */
  amount: string;
  /** How much of it is not settled by an outcome. */
  open: string;
}

/** What a part of a window holds: its number, the sum, and how much of the sum is not settled. */
export type WindowSlot = [slot: number, amount: string, open: string];

/** A sum as an entry carries it: all parts of its window that still count. */
export interface Spent {
  key: string;
  slots: WindowSlot[];
}

function measureSlot(window: LimitWindow): number | null {
  const hours = LIMIT_WINDOWS[window];
  return hours === null ? null : (hours * HOUR_MS) / SLOTS;
}

/** The number of the part of the window at a time. */
export function findSlot(window: LimitWindow, time: Date): number {
  const length = measureSlot(window);
  return length === null ? 0 : Math.floor(time.getTime() / length);
}

/** When the oldest part that holds something stops counting; null: it always counts, or there is none. */
export function findFreeing(window: LimitWindow, slots: readonly WindowSlot[]): Date | null {
  const length = measureSlot(window);
  const [oldest] = slots.filter(([, amount]) => amount !== '0').map(([slot]) => slot);
  return length === null || oldest === undefined ? null : new Date((oldest + 1 + SLOTS) * length);
}

/** The parts that count at a time: whole ones, so that never too little is counted. */
export function listLive(
  window: LimitWindow,
  slots: readonly WindowSlot[],
  time: Date,
): WindowSlot[] {
  const length = measureSlot(window);
  if (length === null) return [...slots];
  return slots.filter(([slot]) => (slot + 1 + SLOTS) * length > time.getTime());
}

/** Adds what an entry of this time spends. What belongs to a part that counts no more changes nothing. */
export function addSpending(
  slots: readonly WindowSlot[],
  { window, slot, amount, open }: Spending,
  time: Date,
): WindowSlot[] {
  const at = slot ?? findSlot(window, time);
  const known = slots.find(([other]) => other === at) ?? [at, '0', '0'];
  const added: WindowSlot = [at, addDecimals(known[1], amount), addDecimals(known[2], open)];
  const others = slots.filter(([other]) => other !== at);
  return listLive(window, [...others, added], time).sort(([one], [other]) => one - other);
}

/** The sum of the parts, and how much of it is not settled. */
export function sumSlots(slots: readonly WindowSlot[]): { amount: bigint; open: bigint } {
  let [amount, open] = [0n, 0n];
  for (const [, spent, unsettled] of slots) {
    amount += parseDecimal(spent);
    open += parseDecimal(unsettled);
  }
  return { amount, open };
}

const addDecimals = (one: string, other: string): string =>
  formatDecimal(parseDecimal(one) + parseDecimal(other));

/** Whether a sum is above a limit. */
export const isAbove = (amount: bigint, most: number): boolean => amount > toUnits(most);

/** The limit of a policy is a decimal. */
const toUnits = (most: number): bigint => parseDecimal(toUpperDecimal(most) ?? '0');

/** How much of a limit could still be spent. */
export function computeLeft(most: number, spent: bigint): number {
  const left = toUnits(most) - spent;
  return Number(formatDecimal(left < 0n ? 0n : left));
}

/** The part of a limit that is spent; 1: all of it. Of a limit of nothing all is spent. */
export const computeShare = (most: number, spent: bigint): number =>
  most === 0 ? 1 : Number(formatDecimal(spent)) / most;

/** What of a limit an answer and an explanation say. `slots`: null where what would be added cannot be read. */
export function toLimitNotice(
  { policy, at, type, of, per, window, most }: ActionLimit,
  slots: readonly WindowSlot[] | null,
): LimitNotice {
  return {
    policy,
    at,
    type,
    of,
    per,
    window,
    most,
    left: slots && computeLeft(most, sumSlots(slots).amount),
    freesAt: findFreeing(window, slots ?? [])?.toISOString() ?? null,
  };
}

/** What a decision reserves of its limits, each sum once; a limit whose amount is not known counts nothing. */
export function listReservations(limits: readonly DecisionLimit[]): Spending[] {
  const byKey = new Map<string, Spending>();
  for (const { key, window, amount } of limits)
    if (amount !== null) byKey.set(key, { key, window, slot: null, amount, open: amount });
  return [...byKey.values()];
}

/** The limits that an approval must not pass: a person may go beyond those that hold decisions. */
export const listBinding = (
  limits: readonly DecisionLimit[],
  by: 'policy' | 'person',
): DecisionLimit[] => limits.filter(({ type }) => by === 'policy' || type === 'block');

/** What an approval committed to of its limits. */
export interface Reserved {
  /** The limits of the policies that matched a decision, passed or not. */
  limits?: DecisionLimit[];
  /** What the entry adds, each key once. */
  spends?: Spending[];
}

/** What the outcome of an execution changes of what was reserved at `reservedAt`. */
export function settleReservations(
  { limits = [], spends = [] }: Reserved,
  reservedAt: Date,
  { outcome, used = {} }: { outcome: string; used?: Used | undefined },
): Spending[] {
  if (outcome !== 'succeeded' && outcome !== 'failed') return [];
  return spends.map(({ key, window, amount }) => {
    const of = limits.find((limit) => limit.key === key)?.of ?? '';
    const spent = outcome === 'failed' ? '0' : (readUsed(of, used) ?? amount);
    return {
      key,
      window,
      slot: findSlot(window, reservedAt),
      amount: addDecimals(spent, negate(amount)),
      open: negate(amount),
    };
  });
}

/** What was used in fact, as the outcome of an execution reports it. */
export interface Used {
  amount?: number | undefined;
  tokens?: number | undefined;
}

/** Acts are never used in part; null: the outcome does not say. */
function readUsed(of: string, { amount, tokens }: Used): string | null {
  const isOfAction = of.startsWith('action.');
  const used = isOfAction ? amount : tokens;
  return used === undefined || !(isOfAction || of === 'metadata.tokens')
    ? null
    : toUpperDecimal(used);
}

const negate = (decimal: string): string => formatDecimal(-parseDecimal(decimal));

/** Whether a stored value has the form of what is committed. */
export function isSpending(value: unknown): value is Spending {
  const { key, window, slot, amount, open } = Object(value) as Partial<Spending>;
  return (
    typeof key === 'string' &&
    Object.hasOwn(LIMIT_WINDOWS, String(window)) &&
    (slot === null || Number.isSafeInteger(slot)) &&
    isDecimal(amount) &&
    isDecimal(open)
  );
}
