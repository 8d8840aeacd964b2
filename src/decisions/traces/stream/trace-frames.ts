// Renders ledger entries as stream events, once for all readers of an organisation: decisions, ends of reviews, halts.
import type { Platform } from '../../../platform/platform.ts';
import { formatEventFrame } from '../../../domain/event-stream.ts';
import { DECISIONS } from '../../../ledger/chains.ts';
import type { Stored } from '../../../ledger/entry.ts';
import { TailReader } from '../../../ledger/follow/tail-reader.ts';
import { loadReadScrubber } from '../scrubbing/read-scrubbers.service.ts';
import type { ScrubberOf } from '../trace-pages.ts';
import type { TraceDocument } from '../traces.model.ts';
import { readHaltFrames } from './halt-frames.ts';
import { readReviewFrames } from './review-frames.ts';
import { traceView } from '../traces.schemas.ts';
import { measurePayload, toTraceSummary, toTraceView, VIEW_MEMBERS } from '../traces.view.ts';

/** One event, ready to be sent. */
export interface TraceFrame {
  sequence: number;
  /** Null: it concerns all workspaces. */
  workspaceId: string | null;
  /** Null: it concerns all agents. */
  agentId: string | null;
  /** The person whom alone it concerns; absent or null: any. */
  personId?: string | null;
  /** Null: it is about no decision. */
  traceId: string | null;
  bytes: Buffer;
}

/** The events of a run of entries. */
export interface FrameRun {
  frames: readonly TraceFrame[];
  /** `traceId`s of decisions that were erased. */
  erased: readonly string[];
  /** The last sequence that was read. */
  to: number;
  /** True if there may be more entries. */
  isFull: boolean;
}

export interface FrameReader {
  readAfter(organizationId: string, sequence: number): Promise<FrameRun>;
}

/** Entries of one read; each may have megabytes. */
const RUN = 16;
/** Characters of payload above which an event omits the payload. */
export const FRAME_PAYLOAD = 64 * 1024;

const projection = Object.assign({ _id: 1, deletedAt: 1 } as const, VIEW_MEMBERS);

export async function readFrames(
  platform: Platform,
  organizationId: string,
  sequence: number,
): Promise<FrameRun> {
  const { models, connection, contents } = platform;
  const chain = { connection, chain: DECISIONS, organizationId, projection };
  const tail = await new TailReader(chain).readAfter(sequence, RUN);
  const entries = await contents.decryptDocuments(organizationId, tail.entries);
  const scrubberOf = await loadReadScrubber(platform, organizationId);
  const halts = entries.filter(({ kind }) => kind === 'halt').map((entry) => entry.sequence);
  return {
    frames: [
      ...(await toFrames(entries.filter(isShown), scrubberOf)),
      ...(await readReviewFrames(models, organizationId, entries)),
      ...(await readHaltFrames(platform, organizationId, halts)),
    ].sort((a, b) => a.sequence - b.sequence),
    erased: entries.filter(({ kind }) => kind === 'erasure').map(({ traceId }) => traceId ?? ''),
    to: entries.at(-1)?.sequence ?? sequence,
    isFull: !tail.isLast,
  };
}

function isShown(entry: Stored): entry is Stored & TraceDocument {
  return entry.kind === 'trace' && !entry.deletedAt;
}

/** Renders serially, since each may take a while. */
async function toFrames(
  traces: readonly TraceDocument[],
  scrubberOf: ScrubberOf,
): Promise<TraceFrame[]> {
  const frames: TraceFrame[] = [];
  for (const trace of traces) frames.push(await toFrame(trace, scrubberOf));
  return frames;
}

async function toFrame(trace: TraceDocument, scrubberOf: ScrubberOf): Promise<TraceFrame> {
  const { sequence, workspaceId, agentId, traceId } = trace;
  const isLarge = measurePayload(trace) > FRAME_PAYLOAD;
  const view = isLarge ? toTraceSummary(trace) : await toTraceView(trace, scrubberOf(trace));
  const bytes = formatEventFrame('trace', JSON.stringify(traceView.parse(view)), sequence);
  return { sequence, workspaceId, agentId, traceId, bytes };
}
