// Creates the other ways to read decisions: CSV export, event stream, and memory search.
import type { Consumers } from '../../ledger/follow/consumers.ts';
import { systemTimer } from '../../ledger/timer.ts';
import type { SessionService } from '../../resources/auth/sessions/sessions.service.ts';
import { createThrottle, type Throttle, LOW_LATENCY } from '../../platform/jobs/pace.ts';
import { createTraceExportService } from '../../resources/traces/export/trace-export.service.ts';
import { createMemoryIndexing } from '../../resources/traces/memory/memory-indexing.service.ts';
import { createMemorySearchService } from '../../resources/traces/memory/memory-search.service.ts';
import type { ReadScrubbers } from '../../resources/traces/read-scrubbers.ts';
import { createFrameReader } from '../../resources/traces/stream/trace-frames.ts';
import { createTraceStreamService } from '../../resources/traces/stream/trace-streams.service.ts';
import type { TraceService } from '../../resources/traces/traces.service.ts';
import type { Platform } from '../platform.ts';

interface Deps {
  reader: TraceService;
  scrubbers: ReadScrubbers;
  sessions: SessionService;
  consumers: Consumers;
}

export function createTraceReading(
  platform: Platform,
  { reader, scrubbers, sessions, consumers }: Deps,
) {
  const frames = createFrameReader({ ...platform, scrubbers });
  const createStreamThrottle = (): Throttle => createThrottle(LOW_LATENCY);
  const following = { frames, sessions, timer: systemTimer, createStreamThrottle };
  const streams = createTraceStreamService({ ...platform, ...following });
  const exports = createTraceExportService({ ...platform, reader });
  const indexing = createMemoryIndexing({ ...platform, consumers });
  const memory = createMemorySearchService({ ...platform, scrubbers, indexing });
  return { streams, exports, memory };
}
