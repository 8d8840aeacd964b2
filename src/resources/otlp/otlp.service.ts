// Takes in exports of spans: each tool call is judged and sealed as a decision after the fact, once.
import type { ObservedCall } from '../../domain/otlp/map-spans.ts';
import { canonicalize } from '../../domain/record/canonical-json.ts';
import { parseSafeJson } from '../../domain/record/safe-json.ts';
import type { AppError } from '../../errors.ts';
import { yieldToEventLoop } from '../../platform/concurrency/event-loop.ts';
import type { IngestionService } from '../traces/ingestion/ingestion.service.ts';
import type { TraceService } from '../traces/traces.service.ts';
import { type ReadExport, readExport } from './export-reader.ts';
import type { OtlpWorker } from './otlp-worker.ts';
import { Recording } from './recording.ts';
import type { ExportOutcome } from './refusals.ts';
import type { SpanCounts } from './span-counts.service.ts';

interface Deps {
  ingestion: IngestionService;
  decisions: Pick<TraceService, 'findKnown'>;
  worker: OtlpWorker;
  spanCounts: SpanCounts;
}

type Caller = Parameters<IngestionService['recordDecision']>[0];
type Body = Parameters<IngestionService['recordDecision']>[1];

/** The request of an export. */
interface ExportRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  userAgent: string | null;
  rawBody: Buffer;
  hasLeft: () => boolean;
}

/** A large export that was read in a thread. */
export class LargeExport {
  readonly read: ReadExport;

  constructor(read: ReadExport) {
    this.read = read;
  }
}

/** Decisions of one export that wait to be sealed at a time. */
const UNDER_WAY = 64;
/** Milliseconds of judging between two rests of the event loop. */
const WORK_MS = 8;
const DECISION_ID = /^trc_[0-9a-f]{32}$/;

export function createOtlpService({ ingestion, decisions, worker, spanCounts }: Deps) {
  async function recordCall(
    caller: Caller,
    call: ObservedCall,
    { userAgent, hasLeft }: ExportRequest,
  ): Promise<'recorded' | 'repeated'> {
    // The agent of an agent key is the key's, whatever its spans say.
    const { agentId } = caller.key;
    const text = canonicalize(agentId === null ? call.body : { ...call.body, agentId });
    // As strict as the parser of any other body.
    const body = parseSafeJson(text) as unknown as Body;
    const { isReplay } = await ingestion.recordDecision(caller, body, {
      headers: { 'idempotency-key': call.key },
      userAgent,
      rawBody: Buffer.from(text),
      hasLeft,
      observed: { tags: call.tags },
    });
    return isReplay ? 'repeated' : 'recorded';
  }

  /** Records a few calls at a time, in their order. @throws AppError `SERVICE_UNAVAILABLE`: the export is to be repeated */
  async function recordCalls(
    calls: readonly ObservedCall[],
    record: (call: ObservedCall) => Promise<void>,
  ): Promise<void> {
    const waiting = calls.values();
    let failure: unknown;
    let rested = performance.now();
    async function recordNext(): Promise<void> {
      for (const call of waiting) {
        if (failure !== undefined) return;
        if (performance.now() - rested > WORK_MS) {
          await yieldToEventLoop();
          rested = performance.now();
        }
        await record(call).catch((error: unknown) => (failure ??= error));
      }
    }
    await Promise.all(Array.from({ length: UNDER_WAY }, recordNext));
    if (failure !== undefined) throw failure;
  }

  /** Ids of decisions that guarded calls were asked for under. */
  function findGuarded(
    { tenant }: Caller,
    calls: readonly ObservedCall[],
  ): Promise<ReadonlySet<string>> {
    const ids = calls.flatMap(({ decisionId }) => decisionId ?? []);
    return decisions.findKnown(
      tenant,
      [...new Set(ids)].filter((id) => DECISION_ID.test(id)),
    );
  }

  async function recordAll(
    caller: Caller,
    read: ReadExport,
    request: ExportRequest,
  ): Promise<ExportOutcome> {
    const recording = new Recording(read);
    const guarded = await findGuarded(caller, read.calls);
    const isGuarded = ({ decisionId }: ObservedCall): boolean =>
      decisionId !== null && guarded.has(decisionId);
    for (const call of read.calls.filter(isGuarded)) recording.addLinked(call);
    const calls = read.calls.filter((call) => !isGuarded(call));
    try {
      await recordCalls(calls, async (call) => {
        const recorded = recordCall(caller, call, request);
        await recorded.then(
          (result) => recording.addRecorded(call, result),
          (error: unknown) => recording.addFailure(call, error),
        );
      });
    } finally {
      await spanCounts.addTally(caller.tenant.organizationId, recording.tally);
    }
    return recording.toOutcome();
  }

  return {
    /**
     * Reads a large export in a thread.
     * @throws AppError `SERVICE_UNAVAILABLE`
     */
    async readLarge(
      { tenant, key }: Caller,
      request: ExportRequest,
    ): Promise<{ sent: undefined; body: LargeExport | AppError }> {
      const { organizationId: share } = tenant;
      const origin = { share, client: key.keyId, isAbandoned: request.hasLeft };
      const read = await worker.readBody(toBody(request), origin);
      return { sent: undefined, body: new LargeExport(read) };
    },

    /**
     * Records the tool calls of an export, and answers when all are durable.
     * @throws AppError `VALIDATION_ERROR`, `PAYLOAD_TOO_LARGE`, `SERVICE_UNAVAILABLE`
     */
    recordExport(caller: Caller, body: unknown, request: ExportRequest): Promise<ExportOutcome> {
      const read = body instanceof LargeExport ? body.read : readExport(toBody(request));
      return recordAll(caller, read, request);
    },
  };
}
export type OtlpService = ReturnType<typeof createOtlpService>;

const toBody = ({ rawBody: bytes, headers }: ExportRequest) => ({
  bytes,
  isProtobuf: /^application\/x-protobuf\s*(;|$)/i.test(String(headers['content-type'] ?? '')),
});
