// Caches vectors of organisations in bounded memory and loads changes; those that do not fit are read for each search.
import { LRUCache } from 'lru-cache';
import { DotProducts } from '../../../domain/nearest/dot-products.ts';
import { Nearest, type Neighbour } from '../../../domain/nearest/nearest.ts';
import { BLOCK_ROWS, VectorBlock } from '../../../domain/nearest/vector-block.ts';
import type { Contents } from '../../../ledger/contents/contents.ts';
import type { Models } from '../../../models.ts';
import type { Embedder } from '../../../platform/embedding/embedder.ts';
import type { MemoryQuestion } from './memory-index.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import { readCursor } from '../../../platform/mongo/queries.ts';
import { type TraceVectorsDocument, toVectorName } from './trace-vectors.model.ts';

interface Deps {
  models: Models;
  embedder: Embedder;
  contents: Contents;
  /** Memory bound of all organisations together. */
  maxBytes: number;
}

type Bytes = { buffer: Uint8Array } | null;
type Row = Pick<TraceVectorsDocument, 'sequence' | 'workspaceId' | 'changedAt'> &
  Record<'question' | 'answer', Bytes>;

interface Index {
  blocks: VectorBlock[];
  /** Changes up to this entry are included. */
  changedAt: number;
}

/** Rows of one database batch. */
const BATCH = 2000;
/** Rows decrypted at a time. */
const OPENED = 256;
const NOTHING = new Uint8Array();
/** Size of an index without blocks. */
const LEAST_BYTES = 1024;
/** Time limit of one database request. */
const READ_MAX_MS = 20_000;

export function createVectorIndex({ models, embedder, contents, maxBytes }: Deps) {
  const { model, dimensions } = embedder;
  const products = new DotProducts(dimensions, BLOCK_ROWS);
  const blockBytes = new VectorBlock(products.width).bytes;
  const indexes = new LRUCache<string, Index>({
    maxSize: maxBytes,
    sizeCalculation: ({ blocks }) => blocks.length * blockBytes + LEAST_BYTES,
  });
  const mutex = new KeyedMutex();

  function readEncrypted(organizationId: string, changedAt: number) {
    return models.traceVectors
      .find({ organizationId, model, changedAt: { $gt: changedAt } })
      .select('-_id sequence workspaceId changedAt question answer')
      .sort({ changedAt: 1 })
      .maxTimeMS(READ_MAX_MS)
      .lean<Row>()
      .cursor({ batchSize: BATCH });
  }

  /** Decrypts the vectors; null for those whose key was destroyed. */
  async function openVectors(organizationId: string, rows: readonly Row[]): Promise<Row[]> {
    const parts = rows.flatMap(({ sequence, question, answer }) => [
      { name: toVectorName('question', sequence), bytes: question?.buffer ?? NOTHING },
      { name: toVectorName('answer', sequence), bytes: answer?.buffer ?? NOTHING },
    ]);
    const vectors = await contents.decryptParts(organizationId, parts);
    const getVector = (at: number): Bytes => {
      const vector = vectors[at];
      return vector ? { buffer: vector } : null;
    };
    return rows.map((row, at) =>
      Object.assign({}, row, { question: getVector(2 * at), answer: getVector(2 * at + 1) }),
    );
  }

  async function* readRows(organizationId: string, changedAt: number): AsyncGenerator<Row> {
    let rows: Row[] = [];
    for await (const row of readCursor(readEncrypted(organizationId, changedAt))) {
      rows.push(row);
      if (rows.length < OPENED) continue;
      yield* await openVectors(organizationId, rows);
      rows = [];
    }
    yield* await openVectors(organizationId, rows);
  }

  async function isWithinBound(organizationId: string): Promise<boolean> {
    const rows = await models.traceVectors
      .countDocuments({ organizationId, model })
      .maxTimeMS(READ_MAX_MS);
    return Math.ceil((rows * 2) / BLOCK_ROWS) * blockBytes + LEAST_BYTES <= maxBytes;
  }

  function addRow(
    blocks: VectorBlock[],
    { sequence: id, workspaceId, question, answer }: Row,
  ): void {
    const group = toGroup(workspaceId);
    for (const [part, bytes] of [question, answer].entries()) {
      if (bytes?.buffer.length !== dimensions) continue;
      let last = blocks.at(-1);
      if (!last || last.isFull) blocks.push((last = new VectorBlock(products.width)));
      last.addVector({ id, part, group }, new Int8Array(bytes.buffer));
    }
  }

  /** Only a later entry of a decision replaces vectors that are loaded already. */
  async function refresh(organizationId: string, index: Index): Promise<void> {
    for await (const row of readRows(organizationId, index.changedAt)) {
      if (row.changedAt > row.sequence)
        for (const block of index.blocks) block.remove(row.sequence);
      addRow(index.blocks, row);
      index.changedAt = row.changedAt;
    }
    // The cache recomputes the size only for a new object.
    indexes.set(organizationId, Object.assign({}, index));
  }

  async function loadIndex(organizationId: string): Promise<Index> {
    const index = { blocks: [], changedAt: 0 };
    await refresh(organizationId, index);
    return index;
  }

  /** Streams the blocks and keeps only the one being filled. */
  async function* streamBlocks(organizationId: string): AsyncGenerator<VectorBlock> {
    let filling: VectorBlock[] = [];
    for await (const row of readRows(organizationId, 0)) {
      addRow(filling, row);
      if (filling.length === 1) continue;
      yield* filling.splice(0, 1);
    }
    yield* filling;
  }

  /** Loads one index at a time: an index being loaded does not count towards the bound. */
  async function* readBlocks(organizationId: string): AsyncGenerator<VectorBlock> {
    const known = indexes.get(organizationId);
    if (known) await refresh(organizationId, known);
    if (known) return yield* known.blocks;
    if (!(await isWithinBound(organizationId))) return yield* streamBlocks(organizationId);
    yield* (await mutex.runExclusive('loading', () => loadIndex(organizationId))).blocks;
  }

  return {
    /** Best first. */
    findNearest(
      vector: Int8Array,
      { organizationId, workspaceId, limit, minScore }: Omit<MemoryQuestion, 'query'>,
    ): Promise<readonly Neighbour[]> {
      const group = workspaceId === null ? null : toGroup(workspaceId);
      return mutex.runExclusive(organizationId, async () => {
        const nearest = new Nearest(limit, minScore);
        for await (const block of readBlocks(organizationId))
          block.compare(vector, { products, group, nearest });
        return nearest.listNearest();
      });
    },
  };
}
export type VectorIndex = ReturnType<typeof createVectorIndex>;

/** A workspace as a 32-bit number; collisions are harmless, since readers check the workspace again. */
function toGroup(workspaceId: string): number {
  return parseInt(workspaceId.slice(-8), 16) >>> 0;
}
