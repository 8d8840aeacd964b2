// Reads one page of decisions, with payloads up to a size budget: decisions may be large, and a page has up to 200.
import type { Scrubber } from '@assay/scrub';
import type { Platform } from '../../platform/platform.ts';
import type { Page } from '../../domain/page.ts';
import { READ_MAX_MS } from '../../platform/mongo/queries.ts';
import type { TraceDocument } from './traces.model.ts';
import { readStoredTraces, type TraceFilter, type TraceReading } from './stored-traces.ts';
import {
  measurePayload,
  SUMMARY_MEMBERS,
  toTraceSummary,
  toTraceView,
  type TraceView,
  VIEW_MEMBERS,
} from './traces.view.ts';

/** Characters of payload that one page may show. */
export const PAGE_PAYLOAD = 2 * 1024 * 1024;
/** Weight of a character that must be scrubbed again on reading. */
const SCRUB_WEIGHT = 8;

type Deps = Pick<Platform, 'models' | 'contents'>;

/** Chooses the scrubber for a decision on reading; null: it is shown as stored. */
export type ScrubberOf = (trace: TraceDocument) => Scrubber | null;

interface PageReading {
  page: Page;
  scrubberOf: ScrubberOf;
  signal: AbortSignal | undefined;
  sort?: { sequence: 1 | -1 };
}

/** Newest first, unless it is said otherwise. Once the budget is used up, all further views omit the payload. */
export async function readTracePage(
  deps: Deps,
  where: TraceFilter,
  { page, scrubberOf, signal, sort = { sequence: -1 } }: PageReading,
): Promise<TraceView[]> {
  const views: TraceView[] = [];
  const { skip, limit } = page;
  const bounds = { maxTimeMS: READ_MAX_MS, signal, sort };
  const reading = { where, skip, limit, projection: VIEW_MEMBERS, ...bounds };
  let left = PAGE_PAYLOAD;
  for await (const run of readStoredTraces(deps, reading))
    for (const trace of run) {
      const scrubber = scrubberOf(trace);
      left -= measurePayload(trace) * (scrubber ? SCRUB_WEIGHT : 1);
      if (left < 0) {
        const rest = { skip: skip + views.length, limit: limit - views.length, ...bounds };
        return [...views, ...(await readSummaries(deps, where, rest))];
      }
      views.push(await toTraceView(trace, scrubber));
    }
  return views;
}

async function readSummaries(
  deps: Deps,
  where: TraceFilter,
  part: Omit<TraceReading, 'where' | 'projection'>,
): Promise<TraceView[]> {
  const views: TraceView[] = [];
  const reading = { ...part, where, projection: SUMMARY_MEMBERS };
  for await (const run of readStoredTraces(deps, reading)) views.push(...run.map(toTraceSummary));
  return views;
}
