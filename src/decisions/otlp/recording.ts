// One export while it is recorded: what became of each span, and what its answer says.
import { UnsafeJson } from '@assay/json';
import type { ObservedCall } from '../../domain/otlp/observed-call.ts';
import { NO_ARGUMENTS } from '../../domain/otlp/observed.ts';
import { AppError } from '../../errors.ts';
import type { ReadExport } from './export-reader.ts';
import { type ExportOutcome, Refusals } from './refusals.ts';
import { SpanTally } from './span-counts.service.ts';

/** Refusals of one decision; a retry would not help. */
const REJECTED: ReadonlySet<string> = new Set([
  'FORBIDDEN',
  'CONFLICT',
  'DECISION_ERASED',
  'SVC_VALIDATION_FAILED',
  'USAGE_LIMIT_EXCEEDED',
]);

export class Recording {
  readonly tally = new SpanTally();
  readonly #refusals = new Refusals();
  /** Spans of an export of which none is understood. */
  readonly #unread: number;

  constructor({ calls, counts, refused }: ReadExport) {
    const isRead = calls.length > 0 || counts.some(({ result }) => result === 'context');
    this.#unread = isRead ? 0 : counts.reduce((sum, { count }) => sum + count, 0);
    for (const { dialect, result, count } of counts) this.tally.addCount(dialect, result, count);
    for (const [reason, count] of refused) {
      this.#refusals.addRefusal(reason, count);
      this.tally.addCount('none', 'rejected', count);
    }
  }

  addLinked({ dialect }: ObservedCall): void {
    this.tally.addCount(dialect, 'linked');
  }

  addRecorded({ dialect, tags }: ObservedCall, result: 'recorded' | 'repeated'): void {
    this.tally.addCount(dialect, result);
    if (result === 'recorded' && tags.includes(NO_ARGUMENTS))
      this.tally.addWithoutArguments(dialect);
  }

  /** @throws what is no refusal of one call */
  addFailure({ dialect }: ObservedCall, error: unknown): void {
    this.#refusals.addRefusal(explainRefusal(error));
    this.tally.addCount(dialect, 'rejected');
  }

  toOutcome(): ExportOutcome {
    return this.#refusals.toOutcome(this.#unread);
  }
}

function explainRefusal(error: unknown): string {
  if (error instanceof UnsafeJson) return `what cannot be stored: ${error.reason}`;
  if (error instanceof AppError && REJECTED.has(error.code))
    return `${error.code}: ${error.message}`;
  throw error;
}
