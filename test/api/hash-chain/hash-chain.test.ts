// The hash chain over HTTP (document 2, section 4.5): every operation, every rule, every code.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPin, type Value, verifyBundle, type FieldRow } from '@assay/verifier';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { createAgent, createOwner, type Owner, createWorkspaceKey } from '../../setup/personas.ts';
import type { Answer, Call } from '../../setup/start-app.ts';
import { type ChainHarness, History, startChainHarness } from './hash-chain-history.ts';

const AT = '/api/v1/hash-chain';
let harness: ChainHarness;
let history: History;
let ada: Owner;
beforeAll(async () => {
  harness = await startChainHarness();
  history = await History.begin(harness, 'Ada');
  ada = history.owner;
  await history.everything();
});
afterAll(() => harness.stop());

function get(path: string, call: Call = { token: ada.token }): Promise<Answer> {
  return harness.app.call('GET', AT + path, call);
}

async function* linesOf(text: string): AsyncGenerator<string> {
  for (const line of text.replace(/\n$/, '').split('\n')) yield await Promise.resolve(line);
}

const OPERATIONS = [
  ...['/status', '/entry/trc_x', '/entries', '/entries/65f000000000000000000001', '/anchors'],
  ...['/anchors/a/proof?sequence=1', '/export', '/bundle'],
];

test.for(OPERATIONS)('%s needs a credential, the plan and no limited key', async (path) => {
  expect((await get(path, {})).body).toMatchObject({ code: 'NO_TOKEN' });
  const { key } = await createWorkspaceKey(harness.app, ada, {
    scope: { agentIds: [(await createAgent(harness.app, ada)).id], readOnly: true },
  });
  expect((await get(path, { key })).body).toMatchObject({ code: 'FORBIDDEN' });
  const bound = await createWorkspaceKey(harness.app, ada, { workspaceId: ada.workspaceId });
  expect((await get(path, { key: bound.key })).body).toMatchObject({ code: 'FORBIDDEN' });
  const poor = await createOwner(harness.app, 'Poor');
  await harness.db
    .collection('organizations')
    .updateOne(
      { _id: toObjectId(poor.organizationId) },
      { $set: { 'subscription.plan': 'scale' } },
    );
  await expect
    .poll(async () => (await get(path, { token: poor.token })).body)
    .toMatchObject({ code: 'UPGRADE_REQUIRED', data: { feature: 'hashChainAudit' } });
});

test('verification needs a session, not a key', async () => {
  const { key } = await createWorkspaceKey(harness.app, ada);
  expect((await harness.app.call('POST', `${AT}/verify`, { key })).body).toMatchObject({
    code: 'FORBIDDEN',
  });
  expect((await harness.app.call('POST', `${AT}/verify`)).body).toMatchObject({ code: 'NO_TOKEN' });
  expect((await harness.app.call('GET', `${AT}/verify`, { token: ada.token })).status).toBe(405);
});

test('the status of an empty chain, of a chain that grows, and after a verification', async () => {
  const young = await History.begin(harness, 'Young');
  const status = async () => (await get('/status', { token: young.owner.token })).body.data;
  expect(await status()).toEqual({
    totalEntries: 0,
    lastSequence: 0,
    lastChainHash: null,
    lastEntryAt: null,
    anchorCount: 0,
    lastAnchorAt: null,
    lastVerifiedAt: null,
    lastVerificationOk: null,
    algorithm: 'sha256',
    canonicalization: 'rfc8785',
    appendLatencyP95Ms: null,
    appendLatency: { p50Ms: null, p95Ms: null, p99Ms: null },
  });
  await young.post();
  await young.post();
  const [, newest] = young.receipts;
  const grown = await status();
  expect(grown).toMatchObject({
    totalEntries: 2,
    lastSequence: 2,
    lastChainHash: newest?.chainHash,
  });
  expect(grown.appendLatencyP95Ms).toBe(grown.appendLatency.p95Ms);
  expect(grown.appendLatency.p50Ms).toBeLessThanOrEqual(grown.appendLatency.p99Ms);
  const { verifiedAt } = await young.verify();
  expect(await status()).toMatchObject({ lastVerifiedAt: verifiedAt, lastVerificationOk: true });
  await young.store((await young.stored()).slice(1));
  await young.verify();
  expect(await status()).toMatchObject({ lastVerificationOk: false });
});

test('two concurrent verifications share one replay', async () => {
  const found = await Promise.all([history.verify(), history.verify(), history.verify()]);
  expect(found.map(({ verified, totalChecked }) => [verified, totalChecked])).toEqual(
    Array.from({ length: 3 }, () => [true, 14]),
  );
});

test('the entry of a decision comes with the later ones about it', async () => {
  const [first] = history.receipts;
  const { data } = (await get(`/entry/${first?.traceId}`)).body;
  expect(data).toMatchObject({
    proof: null,
    entry: { sequence: 1, traceId: first?.traceId, kind: 'trace' },
  });
  expect(data.entry).toMatchObject({
    chainHash: first?.chainHash,
    organizationId: ada.organizationId,
  });
  expect(data.related.map(({ kind }: { kind: string }) => kind)).toEqual(['status']);
  const clause = (await get(`/entry/${encodeURIComponent('compliance:iso-42001:A.6.2')}`)).body
    .data;
  expect(
    [clause.entry, ...clause.related].map(({ sequence }: { sequence: number }) => sequence),
  ).toEqual([9, 13]);
  for (const unknown of ['trc_unknown', '%00', '%24ne', 'a'.repeat(300)])
    expect((await get(`/entry/${unknown}`)).body).toMatchObject({ code: 'NOT_FOUND' });
});

test('entries are paged from the newest, and show the specified members and no others', async () => {
  const sequences = (answer: Answer): number[] =>
    answer.body.data.entries.map(({ sequence }: { sequence: number }) => sequence);
  const first = await get('/entries?limit=5');
  expect(sequences(first)).toEqual([14, 13, 12, 11, 10]);
  expect(first.body.data.hasMore).toBe(true);
  expect(sequences(await get('/entries?limit=5&beforeSeq=10'))).toEqual([9, 8, 7, 6, 5]);
  const last = await get('/entries?limit=5&beforeSeq=5');
  expect(sequences(last)).toEqual([4, 3, 2, 1]);
  expect(last.body.data.hasMore).toBe(false);
  expect(sequences(await get('/entries?limit=9999'))).toHaveLength(14);
  const [entry] = last.body.data.entries.slice(-1);
  expect(Object.keys(entry).sort()).toEqual([
    ...[
      '_id',
      'chainHash',
      'createdAt',
      'eidasTimestamp',
      'id',
      'kind',
      'merkleAnchorId',
      'merkleLeafIndex',
    ],
    ...[
      'merkleRoot',
      'organizationId',
      'payloadDigest',
      'payloadHash',
      'prevHash',
      'sequence',
      'traceId',
    ],
  ]);
  expect(entry).toMatchObject({
    id: entry._id,
    payloadHash: entry.payloadDigest,
    prevHash: '0'.repeat(64),
    merkleRoot: null,
  });
  for (const wrong of [
    'limit=0',
    'limit=x',
    'beforeSeq=0',
    'beforeSeq=1.5',
    'search=',
    'search=a&search=b',
  ])
    expect((await get(`/entries?${wrong}`)).body).toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('a search is the beginning of a traceId or of a chainHash, and no pattern', async () => {
  const [, second] = history.receipts;
  const found = async (search: string): Promise<string[]> => {
    const { data } = (await get(`/entries?search=${encodeURIComponent(search)}`)).body;
    return data.entries.map(({ sequence }: { sequence: number }) => String(sequence));
  };
  expect(await found(second?.chainHash ?? '')).toEqual(['2']);
  expect(await found(second?.chainHash.slice(0, 12) ?? '')).toEqual(['2']);
  // Two decisions were erased by one request, in either order: the erasure is entry 11 or 12.
  const [erasure, ...rest] = await found(second?.traceId ?? '');
  expect(['11', '12']).toContain(erasure);
  expect(rest).toEqual(['8', '7', '2']);
  expect(await found('trc_')).toHaveLength(12);
  expect(await found('compliance:')).toEqual(['13', '9']);
  for (const nothing of ['.*', '^trc', 'rc_', '(a+)+$', '$ne', '\uffff'])
    expect(await found(nothing)).toEqual([]);
});

test('reads one entry by its id; unknown, foreign and malformed ids are not found', async () => {
  const { entries } = (await get('/entries?limit=1')).body.data;
  expect((await get(`/entries/${entries[0].id}`)).body.data).toEqual(entries[0]);
  const eve = await createOwner(harness.app, 'Eve');
  const foreign = await get(`/entries/${entries[0].id}`, { token: eve.token });
  expect(foreign.body).toMatchObject({ code: 'NOT_FOUND' });
  const [first] = history.receipts;
  expect((await get(`/entry/${first?.traceId}`, { token: eve.token })).body).toEqual(foreign.body);
  for (const id of ['65f000000000000000000001', 'x'])
    expect((await get(`/entries/${id}`)).status).toBe(404);
});

test('while no log is sealed, no chain is anchored', async () => {
  expect((await get('/anchors')).body).toEqual({ success: true, data: [] });
  expect((await get('/anchors/a1/proof')).body).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect((await get('/anchors/a1/proof?sequence=zero')).body).toMatchObject({
    code: 'VALIDATION_ERROR',
  });
  expect((await get('/anchors/a1/proof?sequence=1')).body).toMatchObject({ code: 'NOT_FOUND' });
});

test('a bundle holds a range, by sequence before dates, and verifies offline', async () => {
  const answer = await get('/export');
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('content-disposition')).toMatch(
    /^attachment; filename="assay-[0-9a-f]{24}-1-14\.json"$/,
  );
  expect(answer.body).toMatchObject({
    count: 14,
    range: { fromSequence: 1, toSequence: 14 },
    end: { count: 14 },
  });
  const pins = history.receipts.flatMap((receipt) => readPin({ ...receipt } as Value) ?? []);
  expect(
    (await verifyBundle(linesOf(answer.text), { pins, organizationId: ada.organizationId }))
      .verdict,
  ).toBe('intact');
  const rangeOf = async (query: string): Promise<unknown> => {
    const { range, count, entries, prevHash } = (await get(`/bundle?${query}`)).body;
    expect(entries).toHaveLength(count);
    expect(prevHash).toBe(entries[0]?.prevHash ?? null);
    return [range.fromSequence, range.toSequence];
  };
  expect(await rangeOf('fromSequence=3&toSequence=5&from=1999-01-01&to=1999-01-02')).toEqual([
    3, 5,
  ]);
  expect(await rangeOf('fromSequence=12')).toEqual([12, 14]);
  expect(await rangeOf('toSequence=2')).toEqual([1, 2]);
  expect(await rangeOf('fromSequence=13&toSequence=99')).toEqual([13, 14]);
  expect(await rangeOf('fromSequence=15')).toEqual([null, null]);
  expect(await rangeOf('to=1999-01-01')).toEqual([null, null]);
  expect(await rangeOf('from=1999-01-01')).toEqual([1, 14]);
  const times = answer.body.entries.map(({ createdAt }: { createdAt: string }) => createdAt);
  const between = answer.body.entries.filter(
    ({ createdAt }: { createdAt: string }) => createdAt >= times[4] && createdAt <= times[9],
  );
  expect(await rangeOf(`from=${times[4]}&to=${times[9]}`)).toEqual([
    between[0].sequence,
    between.at(-1).sequence,
  ]);
});

test('malformed ranges, formats and names are refused before anything is sent', async () => {
  const wrong = [
    ...[
      'format=csv',
      'fromSequence=5&toSequence=4',
      'fromSequence=0',
      'from=yesterday',
      'from=2026-02-01&to=2026-01-01',
    ],
    ...['disclose=', 'disclose=a.b', 'disclose=$where', 'fromSequence=1&fromSequence=2'],
  ];
  for (const query of wrong)
    expect({ query, ...(await get(`/export?${query}`)).body }).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  expect((await get('/export?format=json')).status).toBe(200);
});

test('values are disclosed to managers only, each time with an audit entry; what is erased or not stored stays out', async () => {
  const query = '/export?disclose=outputDecision,rationale,metadata';
  const rows: FieldRow[] = [];
  const text = (await get(query)).text;
  await verifyBundle(linesOf(text), { onField: (row) => rows.push(row) });
  const shown = rows.filter(({ state }) => state === 'shown');
  expect(shown.map(({ sequence, name }) => `${sequence}.${name}`)).toEqual(
    expect.arrayContaining(['1.outputDecision', '1.rationale', '1.metadata', '14.metadata']),
  );
  expect(shown.some(({ sequence }) => [2, 4, 5, 7].includes(sequence))).toBe(false);
  expect(text).not.toMatch(/"seed"/);
  const { key } = await createWorkspaceKey(harness.app, ada);
  expect((await get('/export', { key })).status).toBe(200);
  expect((await get(query, { key })).body).toMatchObject({ code: 'FORBIDDEN' });
  const audit = await harness.app.call('GET', '/api/v1/audit?action=hash-chain.disclose', {
    token: ada.token,
  });
  expect(audit.body.data.entries).toMatchObject([
    { status: 'failure', userId: null },
    {
      status: 'success',
      userId: ada.userId,
      metadata: {
        names: ['outputDecision', 'rationale', 'metadata'],
        fromSequence: 1,
        toSequence: 14,
      },
    },
  ]);
});

/** The bytes of a download, and whether its end was seen. `midway` runs once it has begun, before more is read. */
function download(
  path: string,
  token: string,
  midway: () => Promise<void> = () => Promise.resolve(),
): Promise<{ bytes: Buffer; complete: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' };
    request(harness.app.url + AT + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.once('readable', () => {
        midway().then(() => response.on('data', (chunk: Buffer) => chunks.push(chunk)), reject);
      });
      response.on('error', () => undefined);
      response.on('close', () =>
        resolve({ bytes: Buffer.concat(chunks), complete: response.complete }),
      );
    })
      .on('error', reject)
      .end();
  });
}

/** Makes the database fail all further reads of the entries. */
async function killLedgerCursors(): Promise<void> {
  const { databaseName } = harness.db;
  const ns = `${databaseName}.${DECISIONS.collection}`;
  const idle = [
    { $currentOp: { idleCursors: true, allUsers: true } },
    { $match: { ns, type: 'idleCursor' } },
  ];
  const found = await harness.db.admin().command({ aggregate: 1, pipeline: idle, cursor: {} });
  const { firstBatch } = found['cursor'] as { firstBatch: { cursor: { cursorId: unknown } }[] };
  const cursors = firstBatch.map(({ cursor }) => cursor.cursorId);
  expect(cursors.length).toBeGreaterThan(0);
  await harness.db.command({ killCursors: DECISIONS.collection, cursors });
}

/** While `work` runs, the database fails to read any entry from a sequence on. */
async function withUnreadableEntries<T>(from: number, work: () => Promise<T>): Promise<T> {
  const { collection } = DECISIONS;
  const kept = `${collection}_kept`;
  const fail = { $divide: [1, { $subtract: ['$sequence', '$sequence'] }] };
  const createdAt = { $cond: [{ $gte: ['$sequence', from] }, fail, '$createdAt'] };
  await harness.db.renameCollection(collection, kept);
  await harness.db.createCollection(collection, {
    viewOn: kept,
    pipeline: [{ $addFields: { createdAt } }],
  });
  try {
    return await work();
  } finally {
    await harness.db.dropCollection(collection);
    await harness.db.renameCollection(kept, collection);
  }
}

test(
  'a compressed bundle is whole; one that fails midway has no end',
  { tags: ['long'] },
  async () => {
    const long = await History.begin(harness, 'Long');
    await long.post();
    const [entry] = await long.stored();
    if (!entry) throw new Error('nothing stored');
    const { idempotencyKey: _key, ...copy } = entry;
    const many = Array.from({ length: 1500 }, (_, i) => ({
      ...copy,
      _id: toObjectId((i + 2).toString(16).padStart(24, '0')),
      sequence: i + 2,
    }));
    await long.store([entry, ...many] as (typeof entry)[]);
    const whole = await download('/export', long.owner.token);
    expect(whole.complete).toBe(true);
    expect(JSON.parse(gunzipSync(whole.bytes).toString('utf8')).entries).toHaveLength(1501);
    // Too much for any buffer, so the rest is read from the database only when the reader goes on.
    const large = Array.from({ length: 60 }, (_, i) => ({
      ...copy,
      _id: toObjectId((i + 2).toString(16).padStart(24, 'a')),
      sequence: i + 1502,
      view: randomBytes(500_000).toString('hex'),
    }));
    await long.entries.insertMany(large as (typeof entry)[]);
    const cut = await download('/export?fromSequence=1502', long.owner.token, killLedgerCursors);
    expect([cut.bytes.length > 0, cut.complete]).toEqual([true, false]);
  },
);

test('each operation fails with its own code', async () => {
  const broken = await History.begin(harness, 'Broken');
  await broken.post();
  const { token } = broken.owner;
  const where = { organizationId: toObjectId(broken.organizationId) };
  await broken.entries.updateOne(where, { $set: { createdAt: 'never' as unknown as Date } });
  const [entry] = await broken.stored();
  const code = async (path: string): Promise<string> => (await get(path, { token })).body.code;
  expect(await code('/status')).toBe('HASH_CHAIN_STATUS_FAILED');
  expect(await code('/entries')).toBe('HASH_CHAIN_ENTRIES_FAILED');
  expect(await code(`/entry/${entry?.traceId}`)).toBe('HASH_CHAIN_ENTRY_FAILED');
  expect(await code(`/entries/${entry?._id.toHexString()}`)).toBe('HASH_CHAIN_ENTRY_FAILED');
  expect(await withUnreadableEntries(1, () => code('/export?fromSequence=1'))).toBe(
    'HASH_CHAIN_EXPORT_FAILED',
  );
  expect(await broken.verify()).toMatchObject({
    verified: false,
    brokenAtSequence: 1,
    brokenReason: 'chain-hash-mismatch',
  });
});
