// Measures a memory search among 100,000 vectors as its thread runs it: embedding, reading changes, comparing all.
import { type Contents, createContents } from '../../src/ledger/contents/contents.ts';
import { createModels, type Models } from '../../src/models.ts';
import { createWordEmbedder } from '../../src/platform/embedding/word-embedder.ts';
import type { Embedder } from '../../src/platform/embedding/embedder.ts';
import { generateId } from '../../src/platform/ids.ts';
import { openKeyStore } from '../../src/platform/key-store/open-key-store.ts';
import { connectMongo } from '../../src/platform/mongo/connection.ts';
import { toVectorName } from '../../src/decisions/traces/memory/trace-vectors.model.ts';
import { createVectorIndex } from '../../src/decisions/traces/memory/vector-index.ts';

const KEY_STORE = {
  uri: null,
  secrets: { encryptionKey: 'an encryption key for measuring', formerEncryption: [] },
};
const DECISIONS = 100_000;
const INSERTED_AT_ONCE = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;
const SEARCHES = 20;
/** How far vectors of the same words are moved apart. */
const NOISE = 40;
const QUERIES = ['a customer wants the money back', 'restart the server', 'lost luggage'];
const TEXTS = [
  'My parcel arrived broken',
  'refund the customer in full',
  'cancel the booking of the hotel',
  'the machine does not respond any more',
  'bags went missing after the flight',
  'the invoice was paid twice',
];

/** Milliseconds of a search, a median of each round; the first search, which reads all, is left out. */
export async function measureMemory(uri: string, rounds: number): Promise<number[]> {
  const { connection, close } = await connectMongo({ uri, poolSize: 2 });
  try {
    const models = createModels(connection);
    const embedder = createWordEmbedder();
    const organizationId = generateId();
    const { keyStore } = await openKeyStore(KEY_STORE, { connection, database: connection.name });
    await keyStore.ensure(organizationId);
    const contents = createContents(keyStore, () => undefined);
    await fillVectors({ models, embedder, contents }, organizationId);
    const index = createVectorIndex({ models, embedder, contents, maxBytes: MAX_BYTES });
    async function search(at: number): Promise<number> {
      const begin = performance.now();
      const [vector] = await embedder.embed([QUERIES[at % QUERIES.length] ?? '']);
      const asked = { organizationId, workspaceId: null, limit: 110, minScore: 0 };
      const found = await index.findNearest(vector ?? new Int8Array(), asked);
      if (found.length !== asked.limit) throw new Error(`${found.length} found`);
      return performance.now() - begin;
    }
    await search(0);
    const figures: number[] = [];
    for (let round = 0; round < rounds; round++) figures.push(await measureMedian(search));
    return figures;
  } finally {
    await connection.dropDatabase();
    await close();
  }
}

async function measureMedian(search: (at: number) => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < SEARCHES; at++) times.push(await search(at));
  return times.sort((a, b) => a - b)[SEARCHES / 2] ?? NaN;
}

interface Filled {
  models: Models;
  embedder: Embedder;
  contents: Contents;
}

async function fillVectors(
  { models, embedder, contents }: Filled,
  organizationId: string,
): Promise<void> {
  const { model } = embedder;
  const vectors = (await embedder.embed(TEXTS)).map((one) => one ?? new Int8Array());
  const createNeighbour = (at: number): Uint8Array =>
    new Uint8Array(Int8Array.from(vectors[at % vectors.length] ?? [], shiftValue).buffer);
  async function createRow(at: number) {
    const sequence = at + 1;
    const place = { organizationId, sequence, generation: 0 };
    const question = await contents.encryptPart(
      place,
      toVectorName('question', sequence),
      createNeighbour(at),
    );
    const answer = await contents.encryptPart(
      place,
      toVectorName('answer', sequence),
      createNeighbour(at + 1),
    );
    const common = { organizationId, workspaceId: organizationId, model };
    return Object.assign(common, { question, answer, sequence, changedAt: sequence });
  }
  for (let from = 0; from < DECISIONS; from += INSERTED_AT_ONCE) {
    const rows = Array.from({ length: INSERTED_AT_ONCE }, (_, at) => createRow(from + at));
    await models.traceVectors.insertMany(await Promise.all(rows));
  }
  await models.traceVectors.createIndexes();
}

function shiftValue(value: number): number {
  return Math.max(-127, Math.min(127, value + Math.round((Math.random() - 0.5) * NOISE)));
}
