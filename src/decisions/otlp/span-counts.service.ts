// Counts what became of received spans: in the metrics of the instance, and by month for `GET /usage/current`.
import type { Platform } from '../../platform/platform.ts';
import { SPAN_DIALECTS, type DialectName } from '@assay/otlp-decisions';
import { SPAN_RESULTS, type SpanCountDocument, type SpanResult } from './span-counts.model.ts';

export type SpanTotals = Record<SpanResult | 'withoutArguments', number> & { dialect: DialectName };

const NONE = { ...mapResults(() => 0), withoutArguments: 0 };

function mapResults(toCount: (result: SpanResult) => number): Record<SpanResult, number> {
  const entries = SPAN_RESULTS.map((result) => [result, toCount(result)]);
  return Object.fromEntries(entries) as Record<SpanResult, number>;
}

/** The counts of one request. */
export class SpanTally {
  readonly totals = new Map<DialectName, SpanTotals>();

  addCount(dialect: DialectName, result: SpanResult, count = 1): void {
    this.#open(dialect)[result] += count;
  }

  addWithoutArguments(dialect: DialectName): void {
    this.#open(dialect).withoutArguments += 1;
  }

  #open(dialect: DialectName): SpanTotals {
    let totals = this.totals.get(dialect);
    if (!totals) this.totals.set(dialect, (totals = { ...NONE, dialect }));
    return totals;
  }
}

export async function addSpanTally(
  platform: Platform,
  organizationId: string,
  { totals }: SpanTally,
): Promise<void> {
  const month = getMonth(platform);
  const changes = [...totals.values()].map(({ dialect, ...counts }) => {
    for (const result of SPAN_RESULTS)
      if (counts[result] > 0) platform.metrics.otlpSpans.inc({ dialect, result }, counts[result]);
    const filter = { organizationId, month, dialect };
    return { updateOne: { filter, update: { $inc: counts }, upsert: true } };
  });
  if (changes.length > 0) await platform.models.spanCounts.bulkWrite(changes, { ordered: false });
}

/** In the order of the dialects; those without a span are left out. */
export async function listSpanTotals(
  platform: Platform,
  organizationId: string,
): Promise<SpanTotals[]> {
  const found = await platform.models.spanCounts
    .find({ organizationId, month: getMonth(platform) })
    .lean<SpanCountDocument[]>();
  return SPAN_DIALECTS.flatMap((dialect) => {
    const counts = found.find((document) => document.dialect === dialect);
    if (!counts) return [];
    const results = mapResults((result) => counts[result] ?? 0);
    return [{ dialect, ...results, withoutArguments: counts.withoutArguments ?? 0 }];
  });
}

const getMonth = (platform: Platform): string => platform.clock.now().toISOString().slice(0, 7);
