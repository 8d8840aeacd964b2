// Stores the vectors of ingested and corrected decisions, and clears those of erased ones.
import type { Models } from '../../../models.ts';
import type { Embedder } from '../../../platform/embedding/embedder.ts';
import type { TraceDocument } from '../traces.model.ts';
import { toStoredView, VIEW_MEMBERS } from '../traces.view.ts';
import type { Contents } from '../../../ledger/contents/contents.ts';
import type { ChangedEntry } from './memory-index.ts';
import { extractTexts } from './trace-texts.ts';
import { toVectorName } from './trace-vectors.model.ts';

interface Deps {
  models: Models;
  embedder: Embedder;
  contents: Contents;
  wait: (ms: number) => Promise<void>;
}

/** A decision with its newest entry in the run. */
interface ChangedTrace {
  trace: TraceDocument;
  changedAt: number;
  isErased: boolean;
}

interface Vectors {
  question: Int8Array | null;
  answer: Int8Array | null;
}

/** Thrown if an amendment is still not folded long after it was sealed: the run is retried. */
class NotFoldedYet extends Error {}

const READ = Object.assign({ erasedAt: 1, foldedTo: 1 } as const, VIEW_MEMBERS);
/** An amendment is folded a moment after it was sealed. */
const FOLD_PAUSE_MS = 50;
const FOLD_READS = 20;
/** MongoDB's error for an upsert that would store an older state. */
const DUPLICATE_KEY = 11_000;

export function createTraceVectorService({ models, embedder, contents, wait }: Deps) {
  async function readChanged(
    organizationId: string,
    entries: readonly ChangedEntry[],
  ): Promise<ChangedTrace[]> {
    const newest = new Map(entries.map(({ traceId, sequence }) => [traceId, sequence]));
    const erased = new Set(entries.filter((one) => one.isErasure).map(({ traceId }) => traceId));
    const found = await models.traces
      .find({ organizationId, traceId: { $in: [...newest.keys()] } }, READ)
      .lean<TraceDocument[]>();
    const opened = await contents.decryptDocuments(organizationId, found);
    return opened.map((trace) => ({
      trace,
      changedAt: newest.get(trace.traceId) ?? 0,
      isErased: erased.has(trace.traceId) || Boolean(trace.erasedAt),
    }));
  }

  async function readFolded(
    organizationId: string,
    entries: readonly ChangedEntry[],
  ): Promise<ChangedTrace[]> {
    for (let count = 0; count < FOLD_READS; count++) {
      const changed = await readChanged(organizationId, entries);
      if (changed.every(isFolded)) return changed;
      await wait(FOLD_PAUSE_MS);
    }
    throw new NotFoldedYet(`up to entry ${entries.at(-1)?.sequence}`);
  }

  async function computeVectors(changed: readonly ChangedTrace[]): Promise<Vectors[]> {
    const texts = changed.flatMap(({ trace, isErased }) =>
      isErased ? ['', ''] : extractTexts(toStoredView(trace)),
    );
    const vectors = await embedder.embed(texts);
    return changed.map((_, at) => ({
      question: vectors[at * 2] ?? null,
      answer: vectors[at * 2 + 1] ?? null,
    }));
  }

  /** A vector reveals the content of its decision, so it is encrypted likewise. */
  async function encryptVectors(
    organizationId: string,
    { trace, question, answer }: ChangedTrace & Vectors,
  ): Promise<[Buffer | null, Buffer | null]> {
    const { sequence, generation = 0 } = trace;
    const place = { organizationId, sequence, generation };
    const encryptVector = (part: keyof Vectors, vector: Int8Array | null) =>
      vector && contents.encryptPart(place, toVectorName(part, sequence), toBytes(vector));
    return Promise.all([encryptVector('question', question), encryptVector('answer', answer)]);
  }

  /** Writes in the order of the entries: a reader who has seen one has seen all before it. A newer state stays. */
  async function write(
    organizationId: string,
    rows: readonly (ChangedTrace & Vectors)[],
  ): Promise<void> {
    const { model } = embedder;
    const encrypted = await Promise.all(rows.map((row) => encryptVectors(organizationId, row)));
    const updates = rows.map(({ trace, changedAt }, at) => {
      const { sequence, workspaceId } = trace;
      const [question, answer] = encrypted[at] ?? [null, null];
      const isOlder = { $or: [{ model: { $ne: model } }, { changedAt: { $lt: changedAt } }] };
      const row = { workspaceId, model, changedAt, question, answer };
      const filter = { organizationId, sequence, ...isOlder };
      return { updateOne: { filter, update: { $set: row }, upsert: true } };
    });
    // Not `ordered`: a refused older state does not stop the rest. The updates still run one after the other.
    await models.traceVectors.bulkWrite(updates, { ordered: false }).catch(ignoreNewer);
  }

  return {
    async store(organizationId: string, entries: readonly ChangedEntry[]): Promise<void> {
      const changed = await readFolded(organizationId, entries);
      const vectors = await computeVectors(changed);
      const rows = changed.map((one, at) => Object.assign({}, one, vectors[at] as Vectors));
      if (rows.length > 0) await write(organizationId, rows.sort(compareEntries));
    },
  };
}
export type TraceVectorService = ReturnType<typeof createTraceVectorService>;

function isFolded({ trace, changedAt, isErased }: ChangedTrace): boolean {
  return isErased || (trace.foldedTo ?? trace.sequence) >= changedAt;
}

const compareEntries = (a: ChangedTrace, b: ChangedTrace): number => a.changedAt - b.changedAt;

function toBytes(vector: Int8Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.length);
}

function ignoreNewer(error: unknown): void {
  const { writeErrors = [] } = error as { writeErrors?: { code?: number }[] };
  if (writeErrors.length === 0 || writeErrors.some(({ code }) => code !== DUPLICATE_KEY))
    throw error;
}
