// Rows with an invalid sequence beside a chain: verification finds each, and everything else ignores them.
import { mongo } from 'mongoose';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const { Decimal128, Double, Long } = mongo.BSON;

/** Sequences of every BSON type, above all those that compare as numbers. */
const SEQUENCES: readonly [name: string, sequence: unknown][] = [
  ['2^53 as a double', new Double(2 ** 53)],
  ['2^53 as int64', Long.fromString('9007199254740992')],
  ['the highest int64', Long.MAX_VALUE],
  ['2^53 + 1 as a decimal', Decimal128.fromString('9007199254740993')],
  ['1e300', 1e300],
  ['a decimal far beyond', Decimal128.fromString('1E+6000')],
  ['infinity', Infinity],
  ['infinity as a decimal', Decimal128.fromString('Infinity')],
  ['not a number', NaN],
  ['not a number as a decimal', Decimal128.fromString('NaN')],
  ['zero', 0],
  ['a negative number', -3],
  ['a negative int64', Long.MIN_VALUE],
  ['a negative infinity', -Infinity],
  ['a fraction', 1.5],
  ['a fraction as a decimal', Decimal128.fromString('1.5')],
  ['a fraction below one', 0.5],
  ['a fraction beyond the newest', 1000.5],
  ['a list', [50, 2 ** 60]],
  ['a list of a place', [51]],
  ['an empty list', []],
  ['text', '2'],
  ['true', true],
  ['a date', new Date()],
  ['a document', { sequence: 2 }],
  ['an id', toObjectId('0'.repeat(24))],
  ['null', null],
  ['nothing', undefined],
];

/** Without sealing, which would fill in anchors between two reads. */
const harness = useHarness({ ASSAY_LOG: 'off' });
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  for (let made = 0; made < 3; made++) await post();
});

const post = async (): Promise<Answer> =>
  assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('x') }));
const read = (path: string): Promise<Answer> =>
  app.call('GET', `/api/v1${path}`, { token: ada.token });

/** A copy of the newest row with another sequence. */
async function insertBeside(collection: string, sequence: unknown): Promise<mongo.ObjectId> {
  const rows = harness.db.collection(collection);
  const organizationId = toObjectId(ada.organizationId);
  const newest = await rows.findOne(
    { organizationId, sequence: { $type: 'number', $lt: 1000 } },
    { sort: { sequence: -1 } },
  );
  const { idempotencyKey: _, after: __, auditId, ...copy } = newest as mongo.Document;
  const _id = new mongo.ObjectId();
  const row = { ...copy, _id, ...(auditId && { auditId: `${auditId}-2` }), sequence };
  await rows.insertOne(row, { ignoreUndefined: true });
  return _id;
}

/** The first of each kind is quick to try. */
const QUICK = new Set(['2^53 as a double', 'the highest int64', 'a fraction', 'a list', 'text']);

describe.each(SEQUENCES)('%s', (name, sequence) => {
  const options = QUICK.has(name) ? {} : { tags: ['long'] };

  test('is found beside the decisions', options, async () => {
    const lists = ['/hash-chain/entries', '/traces', '/review-queue', '/hash-chain/status'];
    const before = await Promise.all(lists.map(read));
    const _id = await insertBeside('ledger', sequence);
    try {
      const found = assertOk(
        await app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token }),
      ).body.data;
      expect(found).toMatchObject({ verified: false, brokenReason: expect.any(String) });
      for (const [at, path] of lists.entries()) {
        const { data } = assertOk(await read(path)).body;
        const { lastVerifiedAt: _at, lastVerificationOk: _ok, ...rest } = data;
        const shown = Array.isArray(data) ? data : rest;
        expect({ path, data: shown }).toMatchObject({ path, data: shownOf(before[at] as Answer) });
      }
      for (const path of [`/hash-chain/entries/${_id}`, `/traces/${_id}`])
        expect({ path, status: (await read(path)).status }).toEqual({ path, status: 404 });
      for (const path of ['/hash-chain/bundle', '/hash-chain/bundle?disclose=rationale'])
        expect(assertOk(await read(path)).text).not.toContain(_id.toHexString());
      assertOk(await read('/traces/export'));
    } finally {
      await harness.db.collection('ledger').deleteOne({ _id });
    }
  });

  test('is found beside the audit log', options, async () => {
    const _id = await insertBeside('audit_entries', sequence);
    try {
      expect(assertOk(await read('/audit/verify')).body.data.verified).toBe(false);
      assertOk(await read('/audit'));
      assertOk(await read('/audit/export'));
    } finally {
      await harness.db.collection('audit_entries').deleteOne({ _id });
    }
  });
});

function shownOf({ body: { data } }: Answer): object {
  const { lastVerifiedAt: _at, lastVerificationOk: _ok, ...rest } = data;
  return Array.isArray(data) ? data : rest;
}

test.each([
  ['2^53', 2 ** 53],
  ['text', 'x'],
  ['a decimal', Decimal128.fromString('1E+20')],
])('decisions are taken in and followed beside %s', async (_name, sequence) => {
  const _id = await insertBeside('ledger', sequence);
  const before = (await read('/hash-chain/status')).body.data.lastSequence;
  expect((await post()).body.data.hashChain.sequence).toBeGreaterThanOrEqual(before);
  await app.instance.runJobsOnce();
  const cursors = await harness.db.collection('cursors').find({}).toArray();
  expect(cursors.filter((cursor) => !Number.isSafeInteger(cursor['sequence']))).toEqual([]);
  await harness.db.collection('ledger').deleteOne({ _id });
  await post();
});
