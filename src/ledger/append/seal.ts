// Seals a draft on a head with sequence, time, registers and hash; a pure function (ledger.md, appending, 3).
import type { Types } from 'mongoose';
import {
  addSpending,
  listLive,
  isAbove,
  type WindowSlot,
  type Spent,
  sumSlots,
} from '../../domain/budgets/spending.ts';
import { isUsedUp, toGrantKey } from '../../domain/grants/grant-use.ts';
import type { Act, Halt } from '../../domain/halt/halt.ts';
import {
  type KnownSession,
  type SessionDraft,
  type SessionRegister,
  sealSession,
} from '../../domain/sessions/session-register.ts';
import { computeChainHash, formatChainTime } from '../../domain/record/chain.ts';
import type { Chain } from '../chains.ts';
import type { Draft, PassedLimit, Spends, Stored } from '../entry.ts';
import type { Head } from './store.ts';

/** Returns the head of a chain without entries: sequence 0, the genesis hash. */
export function createGenesisHead(chain: Chain): Head {
  return {
    sequence: 0,
    chainHash: chain.genesis,
    createdAt: new Date(0),
    usage: { month: '', count: 0 },
  };
}

/** Returns the members of an entry that the next one builds on. */
export function toHead(entry: Head): Head {
  const { sequence, chainHash, createdAt, usage, control } = entry;
  const head: Head = { sequence, chainHash, createdAt, usage };
  if (control !== undefined) head.control = control;
  return head;
}

/** The ids of the sealed document. */
export interface Ids {
  _id: Types.ObjectId;
  organizationId: Types.ObjectId;
}

/** The head to seal on, what is halted there, the time of the clock, and the chain. */
export interface SealingPoint {
  head: Head;
  now: Date;
  chain: Chain;
  /** Finds what forbids an act; absent: nothing is halted. */
  findHalt?: (organizationId: string, act: Act) => Halt | null;
  /** What the entries up to it add up to; absent: nothing. */
  registers?: Registers;
}

/** What is spent of limits, by the names of the sums, and what sessions have done. */
export interface Registers {
  getSlots(key: string): readonly WindowSlot[];
  /** Null: no entry belongs to it yet. */
  getSession(key: string): KnownSession | null;
}

/** Why a draft is not sealed. */
export class Refusal {
  /** `superseded`: another entry of the session came first. */
  readonly why:
    | 'monthlyLimit'
    | 'superseded'
    | { halt: Halt }
    | { passed: PassedLimit[] }
    | { grantId: string };

  constructor(why: Refusal['why']) {
    this.why = why;
  }
}

/** Counts the decisions in the month of `createdAt`, this one included; other kinds carry the count or start at 0. */
function computeUsage(head: Head, createdAt: string, isCounted: boolean): Head['usage'] {
  const month = createdAt.slice(0, 7);
  const carried = head.usage.month === month ? head.usage.count : 0;
  return { month, count: isCounted ? carried + 1 : carried };
}

/**
 * Seals a draft into the document that follows `point.head`, or says why it is refused.
 * The time MUST NOT be earlier than that of the head, whatever the clock says.
 */
export function sealDraft(draft: Draft, ids: Ids, point: SealingPoint): Stored | Refusal {
  const { head, now } = point;
  const createdAt = now > head.createdAt ? now : head.createdAt;
  const time = formatChainTime(createdAt);
  const usage = computeUsage(head, time, draft.kind === 'trace');
  const refusal = findRefusal(draft, usage, point);
  if (refusal) return refusal;
  const spent = draft.spends && spend(draft.spends, createdAt, point);
  if (spent instanceof Refusal) return spent;
  const session = draft.session && addToSession(draft.session, createdAt, point);
  if (session === null) return new Refusal('superseded');
  return buildDocument(draft, ids, { ...point, createdAt, time, usage, spent, session });
}

function findRefusal(
  { organizationId, kind, act, monthlyLimit }: Draft,
  { count }: Head['usage'],
  { findHalt }: SealingPoint,
): Refusal | null {
  const halt = act && findHalt?.(organizationId, act);
  if (halt) return new Refusal({ halt });
  const isBeyond = kind === 'trace' && monthlyLimit !== null && count > monthlyLimit;
  return isBeyond ? new Refusal('monthlyLimit') : null;
}

const NOTHING: Registers = { getSlots: () => [], getSession: () => null };

const addToSession = (
  draft: SessionDraft,
  createdAt: Date,
  { registers = NOTHING }: SealingPoint,
): SessionRegister | null =>
  sealSession(registers.getSession(draft.committed.key), draft, createdAt);

/** The sums after an entry of this time, or the limits that it would pass. */
function spend(
  { added, caps, grant }: Spends,
  createdAt: Date,
  { registers = NOTHING }: SealingPoint,
): Spent[] | Refusal {
  const spent = added.map((one) => ({
    key: one.key,
    slots: addSpending(registers.getSlots(one.key), one, createdAt),
  }));
  const totals = new Map(spent.map(({ key, slots }) => [key, sumSlots(slots).amount]));
  if (grant && isUsedUp(grant, totals.get(toGrantKey(grant.id)) ?? 0n, createdAt))
    return new Refusal({ grantId: grant.id });
  const passed = caps.filter(
    ({ key, most, amount }) => amount === null || isAbove(totals.get(key) ?? 0n, most),
  );
  if (passed.length === 0) return spent;
  return new Refusal({
    passed: passed.map((limit) => ({
      limit,
      slots: listLive(limit.window, registers.getSlots(limit.key), createdAt),
    })),
  });
}

/** What an entry carries beside its payload. */
interface SealedRegisters {
  usage: Head['usage'];
  spent: Spent[] | undefined;
  session: SessionRegister | undefined;
}

interface Sealing extends SealingPoint, SealedRegisters, Pick<Head, 'createdAt'> {
  /** `createdAt` as it is hashed. */
  time: string;
}

function buildDocument(
  draft: Draft,
  ids: Ids,
  { head, chain, createdAt, time, usage, spent, session }: Sealing,
): Stored {
  const sequence = head.sequence + 1;
  const link = {
    prevHash: head.chainHash,
    payloadDigest: draft.payloadDigest,
    sequence,
    createdAt: time,
  };
  const control = draft.kind === 'halt' ? sequence : head.control;
  return {
    _id: ids._id,
    organizationId: ids.organizationId,
    sequence,
    kind: draft.kind,
    traceId: draft.traceId,
    ...(draft.after === undefined ? {} : { after: draft.after }),
    prevHash: head.chainHash,
    payloadDigest: draft.payloadDigest,
    chainHash: computeChainHash(link),
    createdAt,
    view: draft.payload,
    usage,
    ...(control === undefined ? {} : { control }),
    ...(spent === undefined ? {} : { spent }),
    ...(session === undefined ? {} : { session }),
    ...draft.fields,
    ...(draft.idempotencyKey === null ? {} : { [chain.idempotencyField]: draft.idempotencyKey }),
  };
}
