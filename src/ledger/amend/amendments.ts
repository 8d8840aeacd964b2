// Amends decisions: majority read, compare-and-set append on `after`, fold before the answer (ledger.md, amendments).
import type { mongo } from 'mongoose';
import { AppError } from '../../errors.ts';
import type { Chain } from '../chains.ts';
import { ABOUT_ONE } from '../reads.ts';
import type { Appender, Draft, Position, Sealed, Stored } from '../entry.ts';
import type { Halt, HaltNotice } from '../../domain/halt/halt.ts';
import type { HaltReader } from '../halts/halt-reader.ts';
import { createHaltedError, toHaltNotice } from '../halts/halted-error.ts';
import { createLimitError } from '../spending/limit-error.ts';
import type { Fold } from './fold.ts';
import { toObjectId } from '../ledger.model.ts';
import type { Probe } from '../probe.ts';

const ATTEMPTS_MAX = 8;
/** Equals the batch size of the appender. */
const BATCH_SIZE = 64;

/** A decision and the newest entry about it: what the next amendment names as `subject` and `after`. */
export interface Subject<T extends Sealed = Stored> {
  trace: T;
  subject: Position;
  after: Position;
}

/** A draft without `after`, `traceId` and organisation: `append` adds them. */
export type Amendment = Pick<
  Draft,
  'kind' | 'payload' | 'payloadDigest' | 'fields' | 'act' | 'spends' | 'session'
>;

/**
 * Decides on an amendment from the current state of the decision; null appends nothing. It is called again whenever
 * another amendment came first, so it MUST tolerate repetition.
 * @throws AppError to refuse
 */
export type Decide<T extends Sealed = Stored> = (
  subject: Subject<T>,
) => Amendment | null | Promise<Amendment | null>;

export interface AmendmentDeps {
  db: mongo.Db;
  chain: Chain;
  appender: Pick<Appender, 'append'>;
  fold: Fold;
  probe?: Probe;
  /** Says of a halt what its refusal says; absent: nothing is halted. */
  halts?: Pick<HaltReader, 'loadNotice'>;
  /** Called after a decision was amended and the amendment folded. */
  onAmended?: (organizationId: string) => void;
}

/** Amends the decisions of a chain. `T`: a decision as it is stored. */
export interface Amendments<T extends Sealed = Stored> {
  /**
   * Appends one amendment of a decision and folds it onto the trace. It resolves after the fold, with the appended
   * entry, or with null when `decide` returned null. The amendment MUST have been decided on the newest earlier entry
   * about the decision; otherwise it is decided again, eight times at most.
   * @throws AppError `NOT_FOUND`, `CONFLICT` (other amendments kept coming first), `HALTED`, `LIMIT_REACHED`, and what appending throws
   */
  append(organizationId: string, traceId: string, decide: Decide<T>): Promise<Stored | null>;
  /** Loads what an amendment would be decided on: the decision with every earlier one folded. @throws AppError `NOT_FOUND`, `CONFLICT` */
  loadSubject(organizationId: string, traceId: string): Promise<Subject<T>>;
  /** Appends one amendment per decision, 64 at once. It resolves with one result each, in order; it MUST NOT reject. */
  appendAll(
    organizationId: string,
    traceIds: readonly string[],
    decide: Decide<T>,
  ): Promise<PromiseSettledResult<Stored | null>[]>;
}

/** Creates the amendments service of one chain. */
export function createAmendments<T extends Sealed = Stored>({
  db,
  chain,
  appender,
  fold,
  halts,
  probe = () => {},
  onAmended = () => {},
}: AmendmentDeps): Amendments<T> {
  const collection = db.collection<Stored>(chain.collection);

  const loadNotice = async (organizationId: string, halt: Halt): Promise<HaltNotice> =>
    halts?.loadNotice(organizationId, halt) ?? toHaltNotice(halt, null);

  async function loadSubject(organizationId: string, traceId: string): Promise<Subject<T>> {
    const filter = { organizationId: toObjectId(organizationId), traceId };
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const newest = await collection.findOne(filter, { ...ABOUT_ONE, sort: { sequence: -1 } });
      const trace = await collection.findOne(filter, { ...ABOUT_ONE, sort: { sequence: 1 } });
      if (trace?.kind !== 'trace' || !newest) throw new AppError('NOT_FOUND');
      const foldedTo = Number(trace.foldedTo ?? trace.sequence);
      if (foldedTo >= newest.sequence)
        return {
          trace: trace as Sealed as T,
          subject: toPosition(trace),
          after: toPosition(newest),
        };
      await fold.applyFold(newest as Stored);
    }
    throw new AppError('CONFLICT');
  }

  async function append(
    organizationId: string,
    traceId: string,
    decide: Decide<T>,
  ): Promise<Stored | null> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const subject = await loadSubject(organizationId, traceId);
      const amendment = await decide(subject);
      if (!amendment) return null;
      const outcome = await appender.append({
        ...amendment,
        organizationId,
        traceId,
        after: subject.after.sequence,
        idempotencyKey: null,
        monthlyLimit: null,
      });
      if (outcome.kind === 'superseded') continue;
      if (outcome.kind === 'halted')
        throw createHaltedError(await loadNotice(organizationId, outcome.halt));
      if (outcome.kind === 'exceeded') throw createLimitError(outcome.passed);
      // An amendment uses no grant.
      if (outcome.kind === 'ungranted') throw new AppError('CONFLICT');
      await probe('before-fold', organizationId);
      await fold.applyFold(outcome.entry);
      await probe('folded', organizationId);
      onAmended(organizationId);
      return outcome.entry;
    }
    throw new AppError('CONFLICT');
  }

  return {
    append,
    loadSubject,
    async appendAll(organizationId, traceIds, decide) {
      const results: PromiseSettledResult<Stored | null>[] = [];
      for (let from = 0; from < traceIds.length; from += BATCH_SIZE) {
        const batch = traceIds.slice(from, from + BATCH_SIZE);
        const appends = batch.map((traceId) => append(organizationId, traceId, decide));
        results.push(...(await Promise.allSettled(appends)));
      }
      return results;
    },
  };
}

function toPosition({ sequence, chainHash }: Position): Position {
  return { sequence, chainHash };
}
