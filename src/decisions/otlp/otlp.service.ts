// Takes in exports of spans: each tool call is judged and sealed as a decision after the fact, once.
import { canonicalize, UnsafeJson } from '@assay/json';
import { findExportEncoding } from '@assay/otlp-decisions';
import type { KeyContext } from '../../platform/context.ts';
import { perInstance } from '../../platform/per-instance.ts';
import type { ObservedCall } from '../../domain/otlp/observed-call.ts';
import type { AppError } from '../../errors.ts';
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';
import { readObservedItem, recordBatch } from '../traces/batch/batch.service.ts';
import { recordOutcome, sortGuardedCalls, type GuardedCall } from './guarded-calls.service.ts';
import { type ExportBody, type ReadExport, readExport } from './export-reader.ts';
import { Recording } from './recording.ts';
import type { ExportOutcome } from './refusals.ts';
import { addSpanTally } from './span-counts.service.ts';

type BatchItem = ReturnType<typeof readObservedItem>;

/** The request of an export. */
interface ExportRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  userAgent: string | null;
  rawBody: Buffer;
  hasLeft: () => boolean;
  /** Called when all is judged: what is left is waiting. */
  endComputing?: () => void;
}

/** A large export that was read in a thread. */
export class LargeExport {
  readonly read: ReadExport;

  constructor(read: ReadExport) {
    this.read = read;
  }
}

/** What an export is recorded with. */
interface Progress {
  recording: Recording;
  request: ExportRequest;
}

/** Decisions that are judged and appended together, and batches of them that are being appended. */
const BATCH = 64;
const APPENDING = 3;
/** Bytes of decisions that are read before other requests are served: some milliseconds. */
const READ_BYTES = 20_000;
const OUTCOMES_AT_A_TIME = 16;

const openPool = perInstance(({ threads }) => threads.open<ExportBody, ReadExport>('otlp'));

/**
 * Reads a large export in a thread, where organisations take turns, and within one its keys.
 * @throws AppError like `readExport`, `SERVICE_UNAVAILABLE` when too many wait or one takes too long
 */
export async function readLargeExport(
  { platform, tenant, key }: KeyContext,
  request: ExportRequest,
): Promise<{ sent: undefined; body: LargeExport | AppError }> {
  const { organizationId } = tenant;
  const origin = { tenant: organizationId, client: key.keyId, isAbandoned: request.hasLeft };
  const read = await openPool(platform).sendInTurn(toBody(request), origin);
  return { sent: undefined, body: new LargeExport(read) };
}

/**
 * Records the tool calls of an export, and answers when all are durable.
 * @throws AppError `VALIDATION_ERROR`, `PAYLOAD_TOO_LARGE`, `SERVICE_UNAVAILABLE`
 */
export function recordExport(
  ctx: KeyContext,
  body: unknown,
  request: ExportRequest,
): Promise<ExportOutcome> {
  const read = body instanceof LargeExport ? body.read : readExport(toBody(request));
  return recordAll(ctx, read, request);
}

/** Reads a call as a decision; an error stands for what cannot be stored. */
function readCall({ key: { agentId } }: KeyContext, call: ObservedCall): BatchItem | UnsafeJson {
  const { body, key, tags } = call;
  try {
    // The agent of an agent key is the key's, whatever its spans say.
    const text = canonicalize(agentId === null ? body : { ...body, agentId });
    return readObservedItem({ text, key, tags });
  } catch (error) {
    if (error instanceof UnsafeJson) return error;
    throw error;
  }
}

/** Reads calls as decisions, and lets other requests be served from time to time. */
async function readCalls(
  ctx: KeyContext,
  calls: readonly ObservedCall[],
): Promise<(BatchItem | UnsafeJson)[]> {
  const items: (BatchItem | UnsafeJson)[] = [];
  const rest = new PeriodicYield(READ_BYTES);
  for (const call of calls) {
    const item = readCall(ctx, call);
    items.push(item);
    await rest.addWork(item instanceof UnsafeJson ? READ_BYTES : item.rawBody.length);
  }
  return items;
}

/** `endJudging` is called when the decisions are queued to be appended. */
async function recordSome(
  ctx: KeyContext,
  calls: readonly ObservedCall[],
  { recording, request, endJudging }: Progress & { endJudging: () => void },
): Promise<void> {
  const items = await readCalls(ctx, calls);
  const readable = items.filter((item) => !(item instanceof UnsafeJson));
  const { userAgent, hasLeft } = request;
  const sent = { headers: {}, userAgent, hasLeft, endComputing: endJudging };
  const outcomes = (await recordBatch(ctx, readable, sent)).values();
  for (const [index, call] of calls.entries()) {
    const item = items[index];
    const outcome = item instanceof UnsafeJson ? item : outcomes.next().value;
    if (!outcome) break;
    if (outcome instanceof Error) recording.addFailure(call, outcome);
    else recording.addRecorded(call, outcome.isReplay ? 'repeated' : 'recorded');
  }
}

/** Records calls in their order. The next ones are judged while the last are being appended. */
async function recordObserved(
  ctx: KeyContext,
  calls: readonly ObservedCall[],
  progress: Progress,
): Promise<void> {
  const appending: Promise<void>[] = [];
  try {
    for (const some of listBatches(calls)) {
      await new Promise<void>((resolve) => {
        const recorded = recordSome(ctx, some, { ...progress, endJudging: resolve });
        appending.push(recorded);
        recorded.then(resolve, resolve);
      });
      if (appending.length >= APPENDING) await appending.shift();
    }
    progress.request.endComputing?.();
    await Promise.all(appending);
  } finally {
    await Promise.allSettled(appending);
  }
}

/** Records outcomes, a few at a time. Returns the calls that their decisions no longer permit. */
async function recordOutcomes(
  ctx: KeyContext,
  guarded: readonly GuardedCall[],
  recording: Recording,
): Promise<ObservedCall[]> {
  const waiting = guarded.values();
  const violations: ObservedCall[] = [];
  const recordNext = async (): Promise<void> => {
    for (const call of waiting) {
      const violation = await recordOutcome(ctx, call);
      if (violation) violations.push(violation);
      else recording.addLinked(call.call);
    }
  };
  await Promise.all(Array.from({ length: OUTCOMES_AT_A_TIME }, recordNext));
  return violations;
}

async function recordAll(
  ctx: KeyContext,
  read: ReadExport,
  request: ExportRequest,
): Promise<ExportOutcome> {
  const recording = new Recording(read);
  const { guarded, observed } = await sortGuardedCalls(ctx, read.calls);
  try {
    observed.push(...(await recordOutcomes(ctx, guarded, recording)));
    await recordObserved(ctx, observed, { recording, request });
  } finally {
    await addSpanTally(ctx.platform, ctx.tenant.organizationId, recording.tally);
  }
  return recording.toOutcome();
}

const listBatches = (calls: readonly ObservedCall[]): ObservedCall[][] =>
  Array.from({ length: Math.ceil(calls.length / BATCH) }, (_, index) =>
    calls.slice(index * BATCH, (index + 1) * BATCH),
  );

/** A request without a content type is JSON. */
const toBody = ({ rawBody: bytes, headers }: ExportRequest): ExportBody => ({
  bytes,
  encoding: findExportEncoding(String(headers['content-type'] ?? '')) ?? 'json',
});
