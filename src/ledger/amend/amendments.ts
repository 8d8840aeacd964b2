// Facts about an earlier decision: decided on what a majority read shows, compare-and-set by `after`, folded before the answer.
import type { mongo } from 'mongoose';
import { AppError } from '../../errors.ts';
import type { Chain } from '../chains.ts';
import { ABOUT_ONE } from '../read-write-concerns.ts';
import type { Appender, Draft, Position, Stored } from '../entry.ts';
import type { Fold } from './fold.ts';
import { objectId } from '../ledger.model.ts';
import type { Probe } from '../probe.ts';

const ATTEMPTS = 8;
/** As many as one batch takes. */
const CHUNK = 64;

/** A decision and the newest entry about it: what the next fact names as `subject` and `after`. */
export interface Subject<T extends Stored = Stored> {
  trace: T;
  subject: Position;
  after: Position;
}

/** What the caller makes of it; `after`, `traceId` and the organisation are added. */
export type Amendment = Pick<Draft, 'kind' | 'view' | 'payloadDigest' | 'fields'>;

/** Asked anew whenever somebody else was first. Null: nothing is to be done. @throws AppError to refuse */
export type Decide = (subject: Subject) => Amendment | null | Promise<Amendment | null>;

export interface AmendmentDeps {
  db: mongo.Db;
  chain: Chain;
  appender: Appender;
  fold: Fold;
  probe?: Probe;
}

export interface Amendments {
  /**
   * Appends one fact about a decision and shows it on the trace; null when `decide` wants none.
   * @throws AppError `NOT_FOUND`, `CONFLICT` (somebody else was first, again and again), and what appending throws
   */
  append(organizationId: string, traceId: string, decide: Decide): Promise<Stored | null>;
  /** The same for many, 64 at once; one result each, in order, rejected ones too. */
  appendAll(
    organizationId: string,
    traceIds: readonly string[],
    decide: Decide,
  ): Promise<PromiseSettledResult<Stored | null>[]>;
}

/** Later facts of one chain. */
export function createAmendments({
  db,
  chain,
  appender,
  fold,
  probe = () => {},
}: AmendmentDeps): Amendments {
  const collection = db.collection<Stored>(chain.collection);

  /** The decision as all entries about it so far have left it: what is not folded yet would be decided twice. */
  async function read(organizationId: string, traceId: string): Promise<Subject> {
    const filter = { organizationId: objectId(organizationId), traceId };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const newest = await collection.findOne(filter, { ...ABOUT_ONE, sort: { sequence: -1 } });
      const trace = await collection.findOne(filter, { ...ABOUT_ONE, sort: { sequence: 1 } });
      if (trace?.kind !== 'trace' || !newest) throw new AppError('NOT_FOUND');
      const foldedTo = Number(trace.foldedTo ?? trace.sequence);
      if (foldedTo >= newest.sequence)
        return { trace: trace as Stored, subject: positionOf(trace), after: positionOf(newest) };
      await fold.applyFold(newest as Stored);
    }
    throw new AppError('CONFLICT');
  }

  async function append(
    organizationId: string,
    traceId: string,
    decide: Decide,
  ): Promise<Stored | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const subject = await read(organizationId, traceId);
      const fact = await decide(subject);
      if (!fact) return null;
      const after = subject.after.sequence;
      const draft = { ...fact, organizationId, traceId, after, once: null, monthlyLimit: null };
      const outcome = await appender.append(draft);
      if (outcome.kind === 'superseded') continue;
      if (fact.kind === 'erasure') forget(organizationId, subject.trace);
      await probe('before-fold', organizationId);
      await fold.applyFold(outcome.entry);
      await probe('folded', organizationId);
      return outcome.entry;
    }
    throw new AppError('CONFLICT');
  }

  /** The repetition register holds whole entries, payload included. */
  function forget(organizationId: string, trace: Stored): void {
    const once = trace[chain.idempotencyField];
    if (once !== undefined) appender.forget(organizationId, once as Buffer | string);
  }

  return {
    append,
    async appendAll(organizationId, traceIds, decide) {
      const results: PromiseSettledResult<Stored | null>[] = [];
      for (let from = 0; from < traceIds.length; from += CHUNK) {
        const chunk = traceIds.slice(from, from + CHUNK);
        results.push(
          ...(await Promise.allSettled(
            chunk.map((traceId) => append(organizationId, traceId, decide)),
          )),
        );
      }
      return results;
    },
  };
}

function positionOf({ sequence, chainHash }: Position): Position {
  return { sequence, chainHash };
}
