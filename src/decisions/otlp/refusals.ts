// The spans of an export that could not be recorded, by reason, as the answer reports them.
import { SPAN_DIALECTS } from '@assay/otlp-decisions';

export interface ExportOutcome {
  partialSuccess?: { rejectedSpans: string; errorMessage: string };
}

/** Reasons that an answer names. */
const MOST_REASONS = 5;
const REASON_CHARACTERS = 300;
const UNREAD = `spans, and none is a tool call or a model's in a dialect that is read: ${SPAN_DIALECTS.filter((name) => name !== 'none').join(', ')}`;

export class Refusals {
  readonly #reasons = new Map<string, number>();

  addRefusal(reason: string, spans = 1): void {
    const shown = reason.slice(0, REASON_CHARACTERS).toWellFormed();
    this.#reasons.set(shown, (this.#reasons.get(shown) ?? 0) + spans);
  }

  /** Empty where everything was accepted. `unread`: the spans of an export of which none is understood; else 0. */
  toOutcome(unread: number): ExportOutcome {
    const counts = [...this.#reasons].sort(([, a], [, b]) => b - a);
    const rejected = counts.reduce((sum, [, count]) => sum + count, 0);
    const named = counts.slice(0, MOST_REASONS).map(([reason, count]) => `${count}: ${reason}`);
    if (unread > 0) named.push(`${unread}: ${UNREAD}`);
    if (named.length === 0) return {};
    return { partialSuccess: { rejectedSpans: String(rejected), errorMessage: named.join('; ') } };
  }
}
