// One page of a list of decisions, whose payloads are read as far as a budget: decisions may be large, and a page has up to 200.
import type { Platform } from '../../composition/platform.ts';
import type { Page } from '../../domain/page.ts';
import type { Scrubber } from '../../domain/scrub/scrubber.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { TraceDocument } from './traces.model.ts';
import {
  payloadLength,
  SUMMARY_MEMBERS,
  toTraceSummary,
  toTraceView,
  type TraceView,
  VIEW_MEMBERS,
} from './traces.view.ts';

/** Characters of payload that a page shows. */
export const PAGE_PAYLOAD = 2 * 1024 * 1024;
/** What a character counts that must be scrubbed anew. */
const SCRUB_WEIGHT = 8;

type Filter = Readonly<Record<string, unknown>> & { organizationId: string };

/** What a decision is scrubbed with on reading; null: it is shown as stored. */
export type ScrubberOf = (trace: TraceDocument) => Scrubber | null;

/** Newest first. From the first decision that exceeds the budget on, the views leave out the payload. */
export async function readTracePage(
  { traces }: Platform['models'],
  where: Filter,
  { page, scrubberOf }: { page: Page; scrubberOf: ScrubberOf },
): Promise<TraceView[]> {
  const views: TraceView[] = [];
  const options = { sort: { sequence: -1 }, maxTimeMS: READ_MAX_MS } as const;
  const cursor = traces
    .find(where, VIEW_MEMBERS, options)
    .skip(page.skip)
    .limit(page.limit)
    .lean<TraceDocument>()
    .cursor();
  let left = PAGE_PAYLOAD;
  for await (const trace of cursor as AsyncIterable<TraceDocument>) {
    const scrubber = scrubberOf(trace);
    left -= payloadLength(trace) * (scrubber ? SCRUB_WEIGHT : 1);
    if (left < 0) break;
    views.push(toTraceView(trace, scrubber));
  }
  if (left >= 0) return views;
  const rest = await traces
    .find(where, SUMMARY_MEMBERS, options)
    .skip(page.skip + views.length)
    .limit(page.limit - views.length)
    .lean<TraceDocument[]>();
  return [...views, ...rest.map(toTraceSummary)];
}
