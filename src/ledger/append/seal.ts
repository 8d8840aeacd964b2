// Seals a draft on a head with sequence, time, registers and hash; a pure function (ledger.md, appending, 3).
import type { Types } from 'mongoose';
import type { Act, Halt } from '../../domain/halt/halt.ts';
import { computeChainHash, formatChainTime } from '../../domain/record/chain.ts';
import type { Chain } from '../chains.ts';
import type { Draft, Stored } from '../entry.ts';
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
}

/** Why a draft is not sealed. */
export class Refusal {
  /** Null: the plan's monthly limit is reached. */
  readonly halt: Halt | null;

  constructor(halt: Halt | null) {
    this.halt = halt;
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
  return (
    findRefusal(draft, usage, point) ??
    buildDocument(draft, ids, { ...point, createdAt, time, usage })
  );
}

function findRefusal(
  { organizationId, kind, act, monthlyLimit }: Draft,
  { count }: Head['usage'],
  { findHalt }: SealingPoint,
): Refusal | null {
  const halt = act && findHalt?.(organizationId, act);
  if (halt) return new Refusal(halt);
  const isBeyond = kind === 'trace' && monthlyLimit !== null && count > monthlyLimit;
  return isBeyond ? new Refusal(null) : null;
}

interface Sealing extends SealingPoint, Pick<Head, 'createdAt' | 'usage'> {
  /** `createdAt` as it is hashed. */
  time: string;
}

function buildDocument(
  draft: Draft,
  ids: Ids,
  { head, chain, createdAt, time, usage }: Sealing,
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
    ...draft.fields,
    ...(draft.idempotencyKey === null ? {} : { [chain.idempotencyField]: draft.idempotencyKey }),
  };
}
