// Erased values stay erased in backups: an older copy of the database does not reveal them without the older keys.
// @module-tag long
import { createHash } from 'node:crypto';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ESCALATION } from '../../../src/ledger/contents/contents.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { type Answer, startApp, type TestApp } from '../../setup/start-app.ts';

const MEMBERS = [
  ...['prompt', 'systemPrompt', 'context', 'action', 'toolCalls', 'rationale', 'alternatives'],
  ...['trigger', 'metadata', 'adapter', 'mlBomReference', 'art12', 'conversation', 'crew'],
] as const;
const BY_PERSONS = ['corrected', 'feedbackNotes', 'reason', 'notes', 'escalation'] as const;
type Named = (typeof MEMBERS)[number] | (typeof BY_PERSONS)[number];
/** Unique words of letters only, so that a search treats each as one word. */
const word = (name: Named, of: string): string => `zqx${name.toLowerCase()}${of}wvk`;
const wordsOf = (of: string): string[] => [...MEMBERS, ...BY_PERSONS].map((name) => word(name, of));

const harness = useHarness(
  { ASSAY_MEMORY_INDEXING: 'on' },
  { subscribesToEvents: () => Promise.resolve(true) },
);
const { app } = harness;
const ada = useOwner(harness);
let key: string;
let before: Copy;
let keysBefore: Copy;
const posted: Record<string, { traceId: string; id: string; salt: string; sequence: number }> = {};

const call = (method: string, path: string, body?: object, on: TestApp = app): Promise<Answer> =>
  on.call(method, `/api/v1${path}`, { token: ada.token, ...(body && { body }) });

function bodyOf(of: string): object {
  const w = (name: Named): string => word(name, of);
  return buildDecision('clerk', {
    inputContext: { prompt: w('prompt'), systemPrompt: w('systemPrompt'), context: w('context') },
    outputDecision: { action: `refund ${w('action')}`, toolCalls: [w('toolCalls')] },
    rationale: w('rationale'),
    alternatives: [{ decision: w('alternatives') }],
    triggeringCondition: w('trigger'),
    metadata: { note: w('metadata') },
    adapter: w('adapter'),
    mlBomReference: w('mlBomReference'),
    art12: w('art12'),
    conversation: [w('conversation')],
    crew: w('crew'),
  });
}

async function post(of: string): Promise<void> {
  const { body } = await app.call('POST', '/api/v1/traces', { key, body: bodyOf(of) });
  const { traceId, hashChain } = body.data;
  const found = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  posted[of] = { traceId, id: String(found?._id), ...hashChain };
}

/** Persons add their words: an escalation, a verdict, a correction. */
async function judge(of: string): Promise<void> {
  const { traceId } = posted[of]!;
  const held = await harness.db.collection('ledger').findOne({ traceId, kind: 'trace' });
  const item = `/review-queue/${String(held?.review._id)}`;
  assertOk(await call('POST', `${item}/escalate`, { reason: word('escalation', of) }));
  const verdict = { decision: 'approve', reason: word('reason', of), notes: word('notes', of) };
  assertOk(await call('POST', `${item}/decision`, verdict));
  const feedback = { feedbackNotes: word('feedbackNotes', of) };
  const corrected = { action: word('corrected', of) };
  const body = { traceId, action: 'correct', correctedDecision: corrected, ...feedback };
  assertOk(await app.call('POST', '/api/v1/cpi/ingest', { key, body }));
}

/** Every document of every collection as stored. */
interface Copy {
  collections: Map<string, Buffer[]>;
}

async function copyOf(name: string): Promise<Copy> {
  const client = await new mongo.MongoClient(inject('mongoUri')).connect();
  const collections = new Map<string, Buffer[]>();
  for (const { name: of } of await client.db(name).listCollections().toArray())
    collections.set(
      of,
      await client.db(name).collection(of).find<Buffer>({}, { raw: true }).toArray(),
    );
  await client.close();
  return { collections };
}

async function restore({ collections }: Copy, name: string): Promise<void> {
  const client = await new mongo.MongoClient(inject('mongoUri')).connect();
  for (const [of, documents] of collections) {
    if (of.startsWith('system.') || documents.length === 0) continue;
    const rows = documents.map((bytes) => mongo.BSON.deserialize(bytes, { promoteValues: true }));
    await client.db(name).collection(of).deleteMany({});
    await client.db(name).collection(of).insertMany(rows);
  }
  await client.close();
}

/** Forms in which a text might be stored: plain, in base64 at every alignment, as its plain digest. */
function formsOf(text: string): Buffer[] {
  const inBase64 = [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(' '.repeat(shift) + text).toString('base64url');
    return encoded.slice(shift === 0 ? 0 : 4, -4);
  });
  const digests = [text, JSON.stringify(text)].flatMap((of) => {
    const digest = createHash('sha256').update(of).digest();
    return [digest, Buffer.from(digest.toString('hex')), Buffer.from(digest.toString('base64url'))];
  });
  return [Buffer.from(text), ...inBase64.map((form) => Buffer.from(form)), ...digests];
}

/** Places in a copy where the words are found. */
function found({ collections }: Copy, words: readonly string[]): string[] {
  const places = new Set<string>();
  for (const [name, documents] of collections)
    for (const text of words)
      for (const form of formsOf(text))
        if (documents.some((bytes) => bytes.includes(form))) places.add(`${name}: ${text}`);
  return [...places].sort();
}

beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  assertOk(
    await call('POST', '/policies', {
      name: 'Hold',
      conditions: [{ field: 'outputDecision.action', operator: 'contains', value: 'refund' }],
      actions: [{ type: 'flag_for_review', config: { reason: 'refunds are looked at' } }],
    }),
  );
  await post('gone');
  await post('kept');
  await judge('gone');
  await judge('kept');
  await app.instance.runJobsOnce();
  before = await copyOf(harness.db.databaseName);
  keysBefore = await copyOf(`${harness.db.databaseName}-keys`);
  const body = { traceIds: [posted['gone']!.traceId], reason: 'asked for' };
  const { acknowledgementId, impactDigest } = assertOk(
    await call('POST', '/erasure/acknowledge', body),
  ).body.data;
  assertOk(await call('POST', '/erasure/execute', { acknowledgementId, impactDigest }));
  await app.instance.runJobsOnce();
});

test('a backup without keys holds none of the words, erased or not, in any form', () => {
  const sizes = [...before.collections].map(([name, documents]) => [name, documents.length]);
  expect(Object.fromEntries(sizes)).toMatchObject({
    outbox: expect.any(Number) as number,
    trace_vectors: 2,
    word_segments: 1,
  });
  expect(found(before, [...wordsOf('gone'), ...wordsOf('kept')])).toEqual([]);
});

test('the same search finds words that are stored in clear', () => {
  const text = JSON.stringify({ a: word('prompt', 'gone') });
  const rows = [text, Buffer.from(text).toString('base64')];
  const clear = rows.map((row) => Buffer.from(mongo.BSON.serialize({ row })));
  for (const document of clear)
    expect(found({ collections: new Map([['x', [document]]]) }, wordsOf('gone'))).toEqual([
      `x: ${word('prompt', 'gone')}`,
    ]);
});

test('the live database reads what is left, and verifies', async () => {
  const trace = assertOk(await call('GET', `/traces/${posted['kept']!.id}`)).text;
  for (const name of ['prompt', 'corrected', 'trigger'] as const)
    expect(trace).toContain(word(name, 'kept'));
  expect(assertOk(await call('POST', '/hash-chain/verify')).body.data.verified).toBe(true);
});

/** An app on a copy of the data, with the keys of a database. */
async function restored(data: Copy, keys: string | Copy): Promise<TestApp> {
  const uri = createDatabaseUri();
  const name = new URL(uri).pathname.slice(1);
  const keyUri = new URL(createDatabaseUri(typeof keys === 'string' ? keys : `${name}k`));
  const copy = await startApp(
    { KEY_STORE_URI: keyUri.href, ASSAY_MEMORY_INDEXING: 'on' },
    { mongoUri: uri },
  );
  await copy.stop();
  await restore(data, name);
  if (typeof keys !== 'string') await restore(keys, `${name}k`);
  return startApp({ KEY_STORE_URI: keyUri.href, ASSAY_MEMORY_INDEXING: 'on' }, { mongoUri: uri });
}

const searched = async (on: TestApp, text: string): Promise<string[]> =>
  assertOk(await call('GET', `/traces?search=${text}`, undefined, on)).body.data.map(
    ({ traceId }: { traceId: string }) => traceId,
  );

describe('on a restored copy with the keys of today', () => {
  let copy: TestApp;
  beforeAll(async () => {
    copy = await restored(before, `${harness.db.databaseName}-keys`);
  });
  afterAll(() => copy.stop());

  test('other decisions read as before, by every way', async () => {
    const { id, traceId } = posted['kept']!;
    const trace = assertOk(await call('GET', `/traces/${id}`, undefined, copy)).text;
    for (const name of ['prompt', 'corrected', 'trigger'] as const)
      expect(trace).toContain(word(name, 'kept'));
    expect(await searched(copy, word('trigger', 'kept'))).toEqual([traceId]);
  });

  test('the erased decision is revealed in no way', async () => {
    const { id } = posted['gone']!;
    const words = wordsOf('gone');
    const ways = [
      `/traces/${id}`,
      '/traces?limit=50',
      '/traces/export',
      '/review-queue',
      '/cpi/analytics',
      '/hash-chain/export?fromSequence=1&disclose=inputContext,outputDecision,rationale,metadata',
    ];
    for (const path of ways) {
      const { text, status } = await call('GET', path, undefined, copy);
      expect([path, status]).toEqual([path, 200]);
      expect(words.filter((one) => text.includes(one))).toEqual([]);
    }
    const shown = assertOk(await call('GET', `/traces/${id}`, undefined, copy)).body.data;
    expect(shown).toMatchObject({ inputContext: null, outputDecision: null, rationale: null });
    for (const name of ['trigger', 'rationale'] as const)
      expect(await searched(copy, word(name, 'gone'))).toEqual([]);
  });

  test('verification reports an erasure that the copy does not have, with its place', async () => {
    const answer = await call('POST', '/hash-chain/verify', undefined, copy);
    const { verified, payload } = assertOk(answer).body.data;
    expect(verified).toBe(false);
    expect(payload.mismatched).toEqual([]);
    const { sequence } = posted['gone']!;
    expect(payload.missing).toContainEqual({ sequence, field: 'sealed.inputContext' });
    expect(new Set(payload.missing.map((place: { sequence: number }) => place.sequence))).toContain(
      sequence,
    );
    expect(copy.logged.join()).toContain('its key was destroyed');
  });

  test('it can be erased again, and then the chain verifies', async () => {
    const { traceId } = posted['gone']!;
    const body = { traceIds: [traceId], reason: 'once more' };
    const made = assertOk(await call('POST', '/erasure/acknowledge', body, copy)).body.data;
    const { acknowledgementId, impactDigest } = made;
    assertOk(await call('POST', '/erasure/execute', { acknowledgementId, impactDigest }, copy));
    await copy.instance.runJobsOnce(); // appends the certificate
    const { verified } = assertOk(await call('POST', '/hash-chain/verify', undefined, copy)).body
      .data;
    expect(verified).toBe(true);
  });

  test('new decisions can be ingested, also if a key of their sequence was destroyed', async () => {
    // The live chain has the same keys: the next sequence of the copy must not be one of its entries.
    const at = await copy.instance.platform.ledger.appender.readHead(ada.organizationId);
    const { contents } = copy.instance.platform;
    expect(at?.sequence).toBe(8);
    await contents.destroy(ada.organizationId, [{ sequence: (at?.sequence ?? 0) + 1 }]);
    const answer = await copy.call('POST', '/api/v1/traces', { key, body: bodyOf('later') });
    expect(answer.status).toBe(202);
    const { traceId } = answer.body.data;
    const [row] = await copy.instance.platform.models.traces
      .find({ organizationId: ada.organizationId, traceId })
      .lean();
    expect(row).toMatchObject({ generation: 1 });
    const shown = await call('GET', `/traces/${String(row?._id)}`, undefined, copy);
    expect(assertOk(shown).text).toContain(word('prompt', 'later'));
    expect(
      assertOk(await call('POST', '/hash-chain/verify', undefined, copy)).body.data.verified,
    ).toBe(true);
  });
});

test('a restored copy with the older keys reads everything as before', async () => {
  const copy = await restored(before, keysBefore);
  for (const of of ['gone', 'kept']) {
    const trace = assertOk(await call('GET', `/traces/${posted[of]!.id}`, undefined, copy)).text;
    for (const name of ['prompt', 'corrected', 'trigger', 'metadata'] as const)
      expect(trace).toContain(word(name, of));
    expect(await searched(copy, word('trigger', of))).toEqual([posted[of]!.traceId]);
  }
  expect(
    assertOk(await call('POST', '/hash-chain/verify', undefined, copy)).body.data.verified,
  ).toBe(true);
  await copy.stop();
});

describe('what was altered in the database', () => {
  const ledger = () => harness.db.collection('ledger');
  const where = () => ({ traceId: posted['kept']!.traceId, kind: 'trace' });
  let whole: mongo.Document;
  beforeAll(async () => {
    whole = (await ledger().findOne(where()))!;
  });

  async function findings(change: object): Promise<string[]> {
    await ledger().updateOne(where(), change);
    const shown = await call('GET', `/traces/${posted['kept']!.id}`);
    expect(shown.status).toBe(200);
    expect((await call('GET', '/traces')).status).toBe(200);
    const { verified, payload } = assertOk(await call('POST', '/hash-chain/verify')).body.data;
    await ledger().replaceOne(where(), whole);
    expect(verified).toBe(false);
    const places = [...payload.mismatched, ...payload.missing] as {
      sequence: number;
      field: string;
    }[];
    expect(new Set(places.map(({ sequence }) => sequence))).toEqual(
      new Set([posted['kept']!.sequence]),
    );
    return places.map(({ field }) => field);
  }

  test('a changed byte', async () => {
    const content = Buffer.from(whole['content'].buffer);
    content[content.length - 1]! ^= 1;
    expect(await findings({ $set: { content } })).toContain('sealed.inputContext');
  });

  test('the contents of another entry', async () => {
    const filter = { organizationId: toObjectId(ada.organizationId), kind: 'correction' };
    const other = await ledger().findOne({ ...filter, content: { $exists: true } });
    const content = other!['content'];
    expect(await findings({ $set: { content } })).toContain('sealed.inputContext');
  });

  test('no contents', async () => {
    expect(await findings({ $unset: { content: '' } })).toContain('sealed.inputContext');
  });

  test('a corrected value in the place of another', async () => {
    const { rationale } = whole['changed'];
    const fields = await findings({ $set: { 'changed.outputDecision': rationale } });
    expect(fields).toContain('changed.outputDecision');
  });

  test('another generation, of any kind', async () => {
    for (const generation of [7, 256, -1, 1.5, 'x'])
      expect(await findings({ $set: { generation } })).toContain('sealed.inputContext');
  });

  test('the reason of an escalation is locked', () => {
    expect(
      ESCALATION.split('.')
        .reduce((at, name) => at[name], whole)
        .length(),
    ).toBeGreaterThan(30);
  });
});

test('an organisation without its keys reads and verifies without a failure, and can ingest', async () => {
  await app.instance.platform.keyStore.destroyAll(ada.organizationId);
  const shown = assertOk(await call('GET', `/traces/${posted['kept']!.id}`)).body.data;
  expect(shown).toMatchObject({ inputContext: null, rationale: null });
  expect(assertOk(await call('GET', '/traces?search=anything')).body.total).toBe(0);
  // The verification thread drops its cached keys within seconds.
  const missing = async (): Promise<number> =>
    assertOk(await call('POST', '/hash-chain/verify')).body.data.payload.missing.length;
  await expect.poll(missing, { timeout: 20_000, interval: 500 }).toBeGreaterThan(0);
  const { status } = await app.call('POST', '/api/v1/traces', { key, body: bodyOf('again') });
  expect(status).toBe(202);
  expect(app.logged.join()).toContain('the keys of an organisation are missing');
});
