// Takes in exports of spans: each tool call is judged and sealed as a decision after the fact, once.
import type { ObservedCall } from '../../domain/otlp/map-spans.ts';
import { canonicalize } from '../../domain/record/canonical-json.ts';
import { parseSafeJson, UnsafeJson } from '../../domain/record/safe-json.ts';
import type { AppError } from '../../errors.ts';
import type { BatchService } from '../traces/batch/batch.service.ts';
import type { AskedActs, AskedCall } from './asked-acts.service.ts';
import { type ReadExport, readExport } from './export-reader.ts';
import type { OtlpWorker } from './otlp-worker.ts';
import { Recording } from './recording.ts';
import type { ExportOutcome } from './refusals.ts';
import type { SpanCounts } from './span-counts.service.ts';

interface Deps {
  batches: BatchService;
  askedActs: AskedActs;
  worker: OtlpWorker;
  spanCounts: SpanCounts;
}

type Caller = Parameters<BatchService['recordBatch']>[0];
type BatchItem = ReturnType<BatchService['readObserved']>;

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

/** Decisions that are judged and appended together. */
const BATCH = 200;
const OUTCOMES_AT_A_TIME = 16;

export function createOtlpService({ batches, askedActs, worker, spanCounts }: Deps) {
  /** Reads a call as a decision; an error stands for what cannot be stored. */
  function readCall({ key: { agentId } }: Caller, call: ObservedCall): BatchItem | UnsafeJson {
    const { body, key, tags } = call;
    try {
      // The agent of an agent key is the key's, whatever its spans say. It is as strict as the parser of any other body.
      const decision = parseSafeJson(canonicalize(agentId === null ? body : { ...body, agentId }));
      return batches.readObserved({ decision, key, tags });
    } catch (error) {
      if (error instanceof UnsafeJson) return error;
      throw error;
    }
  }

  async function recordSome(
    caller: Caller,
    calls: readonly ObservedCall[],
    { recording, request }: { recording: Recording; request: ExportRequest },
  ): Promise<void> {
    const items = calls.map((call) => readCall(caller, call));
    const readable = items.filter((item) => !(item instanceof UnsafeJson));
    const { userAgent, hasLeft } = request;
    const sent = { headers: {}, userAgent, hasLeft };
    const outcomes = (await batches.recordBatch(caller, readable, sent)).values();
    for (const [index, call] of calls.entries()) {
      const item = items[index];
      const outcome = item instanceof UnsafeJson ? item : outcomes.next().value;
      if (!outcome) break;
      if (outcome instanceof Error) recording.addFailure(call, outcome);
      else recording.addRecorded(call, outcome.isReplay ? 'repeated' : 'recorded');
    }
  }

  /** Records outcomes, a few at a time. Returns the calls that their decisions no longer permit. */
  async function recordOutcomes(
    { tenant }: Caller,
    asked: readonly AskedCall[],
    recording: Recording,
  ): Promise<ObservedCall[]> {
    const waiting = asked.values();
    const breaches: ObservedCall[] = [];
    const recordNext = async (): Promise<void> => {
      for (const act of waiting) {
        const breach = await askedActs.recordOutcome(tenant, act);
        if (breach) breaches.push(breach);
        else recording.addLinked(act.call);
      }
    };
    await Promise.all(Array.from({ length: OUTCOMES_AT_A_TIME }, recordNext));
    return breaches;
  }

  async function recordAll(
    caller: Caller,
    read: ReadExport,
    request: ExportRequest,
  ): Promise<ExportOutcome> {
    const recording = new Recording(read);
    const { asked, observed } = await askedActs.sortCalls(caller, read.calls);
    try {
      observed.push(...(await recordOutcomes(caller, asked, recording)));
      for (let from = 0; from < observed.length; from += BATCH)
        await recordSome(caller, observed.slice(from, from + BATCH), { recording, request });
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
