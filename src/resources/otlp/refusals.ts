// The spans of an export that could not be recorded, by reason, as the answer reports them.

export interface ExportOutcome {
  partialSuccess?: { rejectedSpans: string; errorMessage: string };
}

/** Reasons that an answer names. */
const MOST_REASONS = 5;
const REASON_CHARACTERS = 300;

export class Refusals {
  readonly #reasons = new Map<string, number>();

  addRefusal(reason: string, spans = 1): void {
    const shown = reason.slice(0, REASON_CHARACTERS).toWellFormed();
    this.#reasons.set(shown, (this.#reasons.get(shown) ?? 0) + spans);
  }

  /** Empty where everything was accepted. */
  toOutcome(): ExportOutcome {
    if (this.#reasons.size === 0) return {};
    const counts = [...this.#reasons].sort(([, a], [, b]) => b - a);
    const rejected = counts.reduce((sum, [, count]) => sum + count, 0);
    const named = counts.slice(0, MOST_REASONS).map(([reason, count]) => `${count}: ${reason}`);
    return { partialSuccess: { rejectedSpans: String(rejected), errorMessage: named.join('; ') } };
  }
}
