// Measures verification and export of a long chain: entries per second against hashing or decoding alone, and memory.
import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import type { JsonObject } from '@assay/json';
import { formatChainTime, sha256Hex } from '../../src/domain/record/chain.ts';
import type { Tenant } from '../../src/domain/identity/tenant.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { generateId, generateTraceId, draw16Bytes } from '../../src/platform/ids.ts';
import { openKeyStore } from '../../src/platform/key-store/open-key-store.ts';
import { connectMongo } from '../../src/platform/mongo/connection.ts';
import { countSpareCores } from '../../src/platform/shared/shared.ts';
import { listChainIndexes, DECISIONS } from '../../src/ledger/chains.ts';
import { createContents } from '../../src/ledger/contents/contents.ts';
import { MAJORITY } from '../../src/platform/mongo/concerns.ts';
import type { Stored } from '../../src/ledger/entry.ts';
import { toObjectId } from '../../src/ledger/ledger.model.ts';
import { createThreads } from '../../src/platform/threads/threads.ts';
import {
  createVerificationWorker,
  type VerificationWorker,
} from '../../src/ledger/verify/verification-worker.ts';
import { createGenesisHead, Refusal, sealDraft } from '../../src/ledger/append/seal.ts';
import { walkChain } from './walk.ts';
import { draftDecision } from '../../src/decisions/traces/ingestion/draft.ts';

/** Location of the chain: replica set and database of the benchmark. */
export interface ChainBench {
  uri: string;
  database: string;
  organizationId: string;
  entries: number;
}

/** Resources that one kind of work took in this process, with all its threads. */
export interface ChainMeasure {
  entriesPerSecond: number;
  /** Processor time an entry, microseconds. */
  entryUs: number;
  /** CPU time of the floor: one hash of 156 bytes (R5), or only reading and decoding the same documents. */
  floorUs: number;
  /** Floor / entry. */
  ratio: number;
  /** Growth of the process's memory while it runs, with the threads that it starts; MB. */
  rssGrowthMb: number;
}

const KEY_STORE = {
  uri: null,
  secrets: { encryptionKey: 'an encryption key for measuring', formerEncryption: [] },
};
const INSERTED_AT_ONCE = 1_000;
const SAMPLE_MS = 20;
const HASHES = 1_000_000;

/** Writes a chain of decisions like real ones, locked, about 1.5 KB of payload each, straight into the collection. */
export async function fillChain({
  uri,
  database,
  entries,
}: Omit<ChainBench, 'organizationId'>): Promise<ChainBench> {
  const organizationId = generateId();
  await withCollection({ uri, database }, async (collection, connection) => {
    for (const { key, options } of listChainIndexes(DECISIONS))
      await collection.createIndex(key, options);
    const { keyStore } = await openKeyStore(KEY_STORE, { connection, database });
    const contents = createContents(keyStore, () => undefined);
    const tenant = createTenant(organizationId);
    let head = createGenesisHead(DECISIONS);
    for (let done = 0; done < entries; done += INSERTED_AT_ONCE) {
      const documents: Stored[] = [];
      while (documents.length < Math.min(INSERTED_AT_ONCE, entries - done)) {
        const ids = { _id: toObjectId(generateId()), organizationId: toObjectId(organizationId) };
        const draft = createDecision(tenant, done + documents.length);
        const document = sealDraft(draft, ids, { head, now: systemClock.now(), chain: DECISIONS });
        if (document instanceof Refusal)
          throw new Error('a chain without a limit refused an entry');
        documents.push(document);
        head = document;
      }
      const sequences = documents.map(({ sequence }) => sequence);
      documents.forEach(await contents.createEncryption(organizationId, sequences));
      await collection.insertMany(documents);
    }
  });
  return { uri, database, organizationId, entries };
}

/** Measures full verification in its thread against hashing alone. */
export async function measureVerify(bench: ChainBench): Promise<ChainMeasure> {
  const replay = async (verificationWorker: VerificationWorker): Promise<void> => {
    const { verified, totalChecked } = await verificationWorker.verify(
      DECISIONS,
      bench.organizationId,
      { now: systemClock.now(), reached: 0, erasedUntil: null, after: null },
    );
    if (!verified || totalChecked !== bench.entries)
      throw new Error('the chain of the benchmark does not verify');
  };
  const spent = await withProofs(bench, replay);
  return compareWork(spent, bench.entries, await hashUs());
}

/** Measures verification of the links only, in this thread, against hashing alone. */
export async function measureWalk(bench: ChainBench): Promise<ChainMeasure> {
  const spent = await withCollection(bench, async (collection) => {
    await walkChain(collection, bench);
    return measureWork(() => walkChain(collection, bench));
  });
  return compareWork(spent, bench.entries, await hashUs());
}

/** Measures an export with a fast reader against decoding the same documents in this thread. */
export async function measureExport(bench: ChainBench): Promise<ChainMeasure> {
  const spent = await withProofs(bench, async (verificationWorker) =>
    drain(exportBundle(verificationWorker, bench)),
  );
  // Both are measured warm: the second time.
  const decoding = await withCollection(bench, async (collection) => {
    await decodeAll(collection, bench);
    return measureWork(() => decodeAll(collection, bench));
  });
  return compareWork(spent, bench.entries, decoding.cpuUs / bench.entries);
}

function compareWork(
  { seconds, cpuUs, rssGrowthMb }: Spent,
  entries: number,
  floorUs: number,
): ChainMeasure {
  const entryUs = cpuUs / entries;
  return {
    entriesPerSecond: entries / seconds,
    entryUs,
    floorUs,
    ratio: floorUs / entryUs,
    rssGrowthMb,
  };
}

/** Runs the work once to warm up the thread and the compiler, and once to measure. */
async function withProofs(
  { uri, database }: ChainBench,
  work: (verificationWorker: VerificationWorker) => Promise<void>,
): Promise<Spent> {
  const before = process.memoryUsage.rss();
  const threads = createThreads();
  const verificationWorker = createVerificationWorker({
    threads,
    databaseAccess: { uri, database, keyStore: KEY_STORE },
    threadCount: countSpareCores(1),
  });
  try {
    await work(verificationWorker);
    return await measureWork(() => work(verificationWorker), before);
  } finally {
    await threads.close();
  }
}

async function withCollection<T>(
  { uri, database }: Pick<ChainBench, 'uri' | 'database'>,
  work: (collection: mongo.Collection, connection: Connection) => Promise<T>,
): Promise<T> {
  const { connection, close } = await connectMongo({ uri, poolSize: 2 });
  try {
    const collection = connection.getClient().db(database).collection(DECISIONS.collection);
    return await work(collection, connection);
  } finally {
    await close();
  }
}

function exportBundle(
  verificationWorker: VerificationWorker,
  { organizationId, entries }: ChainBench,
): AsyncIterable<Uint8Array> {
  return verificationWorker.bundle(DECISIONS, {
    chain: 'ledger',
    organizationId,
    exportedAt: formatChainTime(systemClock.now()),
    range:
      entries === 0
        ? { fromSequence: null, toSequence: null }
        : { fromSequence: 1, toSequence: entries },
    head: null,
    count: entries,
    disclosed: [],
  });
}

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  if (bytes === 0) throw new Error('an empty export');
}

async function decodeAll(
  collection: mongo.Collection,
  { organizationId }: ChainBench,
): Promise<void> {
  const shown = {
    organizationId: 1,
    traceId: 1,
    sequence: 1,
    prevHash: 1,
    payloadDigest: 1,
    chainHash: 1,
  };
  const projection = { ...shown, createdAt: 1, view: 1 };
  const options = { ...MAJORITY, projection, sort: { sequence: 1 }, batchSize: 500 } as const;
  let views = 0;
  for await (const { view } of collection.find(
    { organizationId: toObjectId(organizationId) },
    options,
  ))
    if (typeof view === 'string') views++;
  if (views === 0) throw new Error('nothing to decode');
}

interface Spent {
  seconds: number;
  cpuUs: number;
  rssGrowthMb: number;
}

/** Time and memory of some work; the highest memory seen counts. */
async function measureWork(
  work: () => Promise<void>,
  before = process.memoryUsage.rss(),
): Promise<Spent> {
  let highest = before;
  let isDone = false;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const working = work().finally(() => (isDone = true));
  while (!isDone) {
    await Promise.race([working, setTimeout(SAMPLE_MS)]);
    highest = Math.max(highest, process.memoryUsage.rss());
  }
  await working;
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  return { seconds, cpuUs: user + system, rssGrowthMb: (highest - before) / 2 ** 20 };
}

/** Processor time of one hash of 156 bytes (R5). */
async function hashUs(): Promise<number> {
  const { cpuUs } = await measureWork(() => Promise.resolve(hashMany()));
  return cpuUs / HASHES;
}

function hashMany(): void {
  const text = 'a'.repeat(156);
  for (let i = 0; i < HASHES; i++) hash('sha256', text);
}

function createTenant(organizationId: string): Tenant {
  const actor = { kind: 'workspaceKey', id: generateId() } as const;
  return {
    organizationId,
    workspaceId: null,
    defaultWorkspaceId: generateId(),
    plan: 'custom',
    actor,
    agentIds: null,
  };
}

function createDecision(tenant: Tenant, i: number) {
  const at = systemClock.now();
  const kept = createSubmitted(i);
  const evaluation: JsonObject = {
    at: formatChainTime(at),
    confidenceScore: 0.8125,
    tags: ['LOW_CONFIDENCE'],
    matchedPolicies: [],
    decidedBy: null,
    features: { rationaleLength: 0.9, alternatives: 0.5, hedging: 0.1, agreement: 1, context: 0.7 },
    agentPolicies: {
      strictMode: false,
      piiMasking: true,
      logPayloads: true,
      confidenceThreshold: 0.5,
    },
  };
  return draftDecision({
    context: {
      tenant,
      traceId: generateTraceId(systemClock),
      workspaceId: tenant.defaultWorkspaceId,
      reviewSla: {},
      reviewExpiresIn: null,
      agent: null,
      at,
      logPayloads: true,
      schemaVersion: '2026-04-01',
      policySetDigest: sha256Hex('[]'),
      scrubVersion: '1',
      userAgent: 'assay-sdk/1.0.0 (node/22.0.0; linux)',
      agentMark: undefined,
      effectSecret: '',
    },
    actorNames: [],
    rawAction: 'answer',
    judged: {
      verdict: 'approved',
      confidenceScore: 0.8125,
      tags: ['LOW_CONFIDENCE'],
      policy: null,
      granted: null,
      reviewPriority: null,
      reviewExpiry: null,
      approvals: null,
      effects: [],
      singleUse: false,
      halts: null,
      matchedPolicyIds: [],
      limits: [],
      passed: [],
      described: null,
      evaluation,
      facts: {
        agentName: null,
        pii: { types: [], outputTypes: [] },
        policy: null,
        members: Object.keys(kept),
      },
      content: kept,
    },
    requestedExpiry: null,
    rawBody: Buffer.from(JSON.stringify(kept)),
    idempotencyKey: draw16Bytes(),
    monthlyLimit: null,
    newReviewId: () => toObjectId(generateId()),
    draw16Bytes,
  });
}

function createSubmitted(i: number): JsonObject {
  const rationale =
    `Order ${i} was shipped yesterday according to the tracking system, so the customer is informed. `.repeat(
      3,
    );
  return {
    agentId: 'support-agent',
    agentVersion: '1.4.2',
    inputContext: {
      prompt: `Customer ${i} asks where the order is and whether it can be changed. `.repeat(6),
      conversationId: `c-${i}`,
    },
    outputDecision: {
      action: { tool: 'reply', arguments: { order: i, channel: 'mail', template: 'shipped' } },
      rationale,
    },
    alternatives: [
      { decision: 'refund', confidence: 0.2 },
      { decision: 'escalate', confidence: 0.1 },
    ],
    triggeringCondition: 'message',
    metadata: { amount: i % 500, currency: 'EUR', latencyMs: 820, model: 'large-2' },
  };
}
