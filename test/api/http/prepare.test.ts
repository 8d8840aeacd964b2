// Routes call other systems (name servers, identity providers) before their transaction opens.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { route } from '../../../src/http/declaration/define-route.ts';
import { generateHex } from '../../../src/platform/ids.ts';
import { startHarness, type Harness } from '../../setup/harness.ts';
import { createOwner, assertOk, PASSWORD, type Owner } from '../../setup/personas.ts';
import { startNameServer, type NameServer } from '../../setup/providers/name-server.ts';
import { createDatabaseUri } from '../../setup/databases.ts';

const at = '/api/v1/organization/sso';
const appName = `prepare-${generateHex(6)}`;

let harness: Harness;
let names: NameServer;
let ada: Owner;
beforeAll(async () => {
  names = await startNameServer();
  const mongoUri = `${createDatabaseUri()}&appName=${appName}`;
  harness = await startHarness({ ASSAY_DNS_SERVERS: names.address }, { mongoUri });
  ada = await createOwner(harness.app);
});
beforeEach(() => {
  names.mood = 'well';
});
afterAll(async () => {
  await harness.stop();
  await names.stop();
});

interface Open {
  parameters: { txnNumber: unknown };
}

/** Transactions that stay open while a look-up waits: jobs of the app have some for milliseconds. */
async function openTransactions(): Promise<number> {
  const before = await listTransactions();
  await sleep(300);
  const after = await listTransactions();
  return after.filter((one) => before.includes(one)).length;
}

/** Those that this test's app has open, by session and number. */
async function listTransactions(): Promise<string[]> {
  const { cursor } = await harness.db.admin().command({
    aggregate: 1,
    cursor: {},
    pipeline: [
      { $currentOp: { idleSessions: true } },
      { $match: { appName, transaction: { $exists: true } } },
    ],
  });
  const found = cursor.firstBatch as { lsid: { id: { buffer: Buffer } }; transaction: Open }[];
  return found.map(
    ({ lsid, transaction: { parameters } }) =>
      `${Buffer.from(lsid.id.buffer).toString('hex')} ${parameters.txnNumber}`,
  );
}

test('a transaction is seen while it is open', async () => {
  const session = harness.db.client.startSession();
  await session.withTransaction(async () => {
    await harness.db.collection('organizations').findOne({}, { session });
    expect(await openTransactions()).toBe(1);
  });
  await session.endSession();
  expect(await openTransactions()).toBe(0);
});

test('the handler is given what `prepare` has found, and nothing where it is not declared', async () => {
  const declaration = { method: 'post', path: '/', summary: '', auth: 'public' } as const;
  const prepared = route({
    ...declaration,
    body: z.object({ name: z.string() }),
    data: z.string(),
    prepare: async ({ body }) => ({ length: body.name.length }),
    handler: async ({ body, prepared }) => {
      expectTypeOf(prepared).toEqualTypeOf<{ length: number }>();
      return `${body.name} ${prepared.length}`;
    },
  });
  const input = { body: { name: 'Ada' } };
  const found = await prepared.prepare?.(input);
  expect(await prepared.invoke({ ...input, prepared: found })).toMatchObject({
    data: 'Ada 3',
  });
  const unprepared = route({
    ...declaration,
    data: z.null(),
    handler: async ({ prepared }) => {
      expectTypeOf(prepared).toEqualTypeOf<undefined>();
      return null;
    },
  });
  expect(unprepared.prepare).toBeUndefined();
});

test('the look-up of a TXT record', { tags: ['long'] }, async () => {
  const { token } = ada;
  const domain = `d${generateHex(6)}.example.com`;
  const claim = assertOk(
    await harness.app.call('POST', `${at}/domains`, { token, body: { domain } }),
  );
  const { _id, record } = claim.body.data as { _id: string; record: Record<string, string> };
  names.mood = 'silent';
  const pending = harness.app.call('POST', `${at}/domains/${_id}/verify`, { token });
  await expect.poll(() => names.asked.includes(record.name ?? '')).toBe(true);
  expect(await openTransactions()).toBe(0);
  expect((await pending).body.code).toBe('INVALID_OPERATION');
});

test('the look-up of an issuer, beside which others sign in', async () => {
  names.mood = 'silent';
  const { token, email } = ada;
  const issuers = Array.from({ length: 8 }, (_issuer, n) => `idp${n}.example.net`);
  const pending = issuers.map((issuer) => {
    names.addresses.set(issuer, ['127.0.0.1']);
    const oidc = { issuer: `https://${issuer}`, clientId: 'assay', clientSecret: 'secret' };
    return harness.app.call('PUT', at, { token, body: { provider: 'oidc', oidc } });
  });
  await expect.poll(() => issuers.every((issuer) => names.asked.includes(issuer))).toBe(true);
  expect(await openTransactions()).toBe(0);
  const body = { email, password: PASSWORD };
  assertOk(await harness.app.call('POST', '/api/v1/auth/login', { body }));
  names.mood = 'well';
  for (const answer of await Promise.all(pending)) expect(answer.body.code).toBe('SSRF_BLOCKED');
});
