// Long lists: totals up to their limit, a correct hasMore, and time limits of reads (document 1, section 1).
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { translateError } from '../../../src/http/answers/translate-error.ts';
import { insertCopies } from '../../setup/copies.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { packPrefixes } from '../../../src/domain/search/hash-prefixes.ts';
import { generateId } from '../../../src/platform/ids.ts';
import { createOwner, createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { createDirectory } from '../../setup/scim.ts';

let key: string;
const COPIES = 10_050;
const harness = useOwnHarness();
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(harness.app, ada));
  await post();
  await insertCopies(harness, ada, COPIES);
});

const post = async (): Promise<void> => {
  assertOk(await harness.app.call('POST', '/api/v1/traces', { key, body: buildDecision('x') }));
};
const page = async (query: string) => {
  const { body } = assertOk(
    await harness.app.call('GET', `/api/v1/traces?${query}`, { token: ada.token }),
  );
  const { total, pages, hasMore } = body.pagination as Record<string, unknown>;
  return { rows: (body.data as unknown[]).length, total, pages, hasMore };
};

test('a total counts to ten thousand, or as far as the page needs; hasMore is always right', async () => {
  expect(await page('limit=100')).toEqual({ rows: 100, total: 10_000, pages: 100, hasMore: true });
  expect(await page('limit=100&page=100')).toEqual({
    rows: 100,
    total: 10_001,
    pages: 101,
    hasMore: true,
  });
  expect(await page('limit=100&page=101')).toEqual({
    rows: 51,
    total: COPIES + 1,
    pages: 101,
    hasMore: false,
  });
  expect(await page('limit=100&page=102')).toMatchObject({ rows: 0, hasMore: false });
});

test('a filter that finds fewer is counted exactly', async () => {
  expect(await page('agentId=absent')).toEqual({ rows: 0, total: 0, pages: 0, hasMore: false });
});

test('a directory gets the exact total of users, since it has no other sign that there are more', async () => {
  const bea = await createOwner(harness.app, 'Bea');
  const scim = await createDirectory(harness.app, bea);
  const organizationId = toObjectId(bea.organizationId);
  const at = { createdAt: new Date(), updatedAt: new Date() };
  const member = () => ({
    organizationId,
    userId: toObjectId(generateId()),
    role: 'viewer',
    isActive: true,
  });
  await harness.db
    .collection('memberships')
    .insertMany(Array.from({ length: COPIES }, () => Object.assign(member(), at)));
  const { body } = assertOk(await scim.call('GET', '/Users?count=1'));
  expect(body.totalResults).toBe(COPIES + 1);
});

test('reads that a caller can make slow have a time limit', async () => {
  const entries = harness.db.collection('ledger').find().sort({ sequence: 1 });
  const hashes = (await entries.toArray()).map(({ chainHash }) => String(chainHash));
  const segment = {
    organizationId: toObjectId(ada.organizationId),
    from: 1,
    prefixes: packPrefixes(hashes),
  };
  await harness.db.collection('hash_segments').replaceOne({}, segment, { upsert: true });
  await harness.db.command({ profile: 2 });
  const { token } = ada;
  for (const path of [
    '/traces?search=order',
    '/audit?search=zzz',
    '/hash-chain/entries?search=abcdef',
  ])
    assertOk(await harness.app.call('GET', `/api/v1${path}`, { token }));
  await harness.db.command({ profile: 0 });
  const profile = harness.db.collection('system.profile');
  for (const what of [
    { 'command.find': 'word_segments', 'command.filter.words': { $exists: true } },
    { 'command.find': 'audit_entries', 'command.filter.$or': { $exists: true } },
    { 'command.aggregate': 'audit_entries' },
    { 'command.find': 'hash_segments', 'command.filter.from': { $exists: true } },
    { 'command.find': 'ledger', 'command.filter.chainHash': { $exists: true } },
  ]) {
    const seen = await profile.find(what).toArray();
    expect(seen.length, JSON.stringify(what)).toBeGreaterThan(0);
    for (const { command } of seen) expect(command.maxTimeMS, JSON.stringify(what)).toBe(5000);
  }
  const searched = { 'command.find': 'ledger', 'command.filter.chainHash': { $exists: true } };
  for (const { docsExamined } of await profile.find(searched).toArray())
    expect(docsExamined).toBeLessThan(10);
});

test('a read that takes longer is refused with advice', () => {
  const expired = Object.assign(new Error('operation exceeded time limit'), {
    name: 'MongoServerError',
    code: 50,
  });
  const error = translateError(expired, 'INTERNAL_ERROR');
  expect(error).toBeInstanceOf(AppError);
  expect([error.code, error.http, error.message]).toEqual([
    'VALIDATION_ERROR',
    400,
    'This takes too long: narrow it, for instance by date',
  ]);
});
