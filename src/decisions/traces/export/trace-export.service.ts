// Streams all decisions that match the filters as CSV (document 2, section 4.1).
import type { Context } from '../../../platform/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { formatCsvHeader, formatCsvLine } from '../../../domain/csv.ts';
import { readStoredTraces } from '../stored-traces.ts';
import type { TraceQuery } from '../search/list-query.schemas.ts';
import { selectTraces, type TraceSelection } from '../traces.service.ts';
import { toTraceView, VIEW_MEMBERS } from '../traces.view.ts';
import { TRACE_COLUMNS, toTraceRow } from './trace-rows.ts';

export interface TraceExport {
  filename: string;
  body: AsyncIterable<string>;
}

/** Decisions that are in memory at a time; each may have megabytes. */
const BATCH = 16;
const CHUNK_CHARACTERS = 64 * 1024;
/** Database time limit of one export; time spent waiting for the reader does not count. */
const EXPORT_MAX_MS = 10 * 60_000;

/** Newest first. A failure after the first lines aborts the stream. */
export async function openExport(ctx: Context, query: TraceQuery): Promise<TraceExport> {
  const day = ctx.platform.clock.now().toISOString().slice(0, 10);
  const body = streamLines(ctx.platform, await selectTraces(ctx, query));
  return { filename: `assay-traces-${day}.csv`, body };
}

async function* streamLines(
  platform: Platform,
  { where, scrubberOf, signal }: TraceSelection,
): AsyncGenerator<string> {
  let text = formatCsvHeader(TRACE_COLUMNS);
  const bounds = { maxTimeMS: EXPORT_MAX_MS, batchSize: BATCH, signal };
  const reading = { where, projection: VIEW_MEMBERS, ...bounds };
  for await (const run of readStoredTraces(platform, reading))
    for (const trace of run) {
      text += formatCsvLine(toTraceRow(await toTraceView(trace, scrubberOf(trace))));
      if (text.length < CHUNK_CHARACTERS) continue;
      yield text;
      text = '';
    }
  yield text;
}
