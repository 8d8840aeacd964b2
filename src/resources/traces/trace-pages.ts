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

type Deps = Pick<Platform, 'models' | 'contents'>;
const OPTIONS = { sort: { sequence: -1 }, maxTimeMS: READ_MAX_MS } as const;

type Filter = Readonly<Record<string, unknown>> & { organizationId: string };

/** What a decision is scrubbed with on reading; null: it is shown as stored. */
export type ScrubberOf = (trace: TraceDocument) => Scrubber | null;

/** Newest first. From the first decision that exceeds the budget on, the views leave out the payload. */
export async function readTracePage(
  deps: Deps,
  where: Filter,
  { page, scrubberOf }: { page: Page; scrubberOf: ScrubberOf },
): Promise<TraceView[]> {
  const views: TraceView[] = [];
  const { models, contents } = deps;
  const cursor = models.traces
    .find(where, VIEW_MEMBERS, OPTIONS)
    .skip(page.skip)
    .limit(page.limit)
    .lean<TraceDocument>()
    .cursor();
  let left = PAGE_PAYLOAD;
  for await (const stored of cursor as AsyncIterable<TraceDocument>) {
    const trace = await contents.openOne(where.organizationId, stored);
    const scrubber = scrubberOf(trace);
    left -= payloadLength(trace) * (scrubber ? SCRUB_WEIGHT : 1);
    if (left < 0) break;
    views.push(await toTraceView(trace, scrubber));
  }
  if (left >= 0) return views;
  const { skip, limit } = page;
  const rest = { skip: skip + views.length, limit: limit - views.length };
  return [...views, ...(await readSummaries(deps, where, rest))];
}

async function readSummaries(
  { models, contents }: Deps,
  where: Filter,
  { skip, limit }: Pick<Page, 'skip' | 'limit'>,
): Promise<TraceView[]> {
  const found = await models.traces
    .find(where, SUMMARY_MEMBERS, OPTIONS)
    .skip(skip)
    .limit(limit)
    .lean<TraceDocument[]>();
  return (await contents.open(where.organizationId, found)).map(toTraceSummary);
}
