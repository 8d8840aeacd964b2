// A truncated chain blocks only its organisation, until an operator releases it (docs/internals/ledger.md, heads).
// @module-tag long
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { listAuditEntries, startHarness, type Harness } from '../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { startApp, type Answer, type TestApp } from '../../setup/start-app.ts';
import { cutChain } from './cut-chain.ts';
import {
  releaseChain,
  findLostEntries,
} from '../../../src/evidence/hash-chain/chain-release.service.ts';

interface Tenant extends Owner {
  key: string;
}

let harness: Harness;
/** An instance started after the truncation. */
let fresh: TestApp;
let ada: Tenant;
let neighbour: Tenant;

async function tenant(name: string): Promise<Tenant> {
  const owner = await createOwner(harness.app, name);
  const { key } = await createWorkspaceKey(harness.app, owner);
  return Object.assign(owner, { key });
}
const post = (to: TestApp, { key }: Tenant): Promise<Answer> =>
  to.call('POST', '/api/v1/traces', { key, body: buildDecision('bot') });
const get = (of: TestApp, { token }: Tenant, path: string): Promise<Answer> =>
  of.call('GET', path, { token });

beforeAll(async () => {
  harness = await startHarness();
  ada = await tenant('Ada');
  neighbour = await tenant('Nora');
  for (let n = 0; n < 6; n++) assertOk(await post(harness.app, ada));
  // A verification stores how far it came.
  assertOk(
    await harness.app.call('POST', '/api/v1/hash-chain/verify', { token: ada.token, body: {} }),
  );
  await cutChain(harness, 'ledger', ada, 4);
  fresh = await startApp({}, { mongoUri: harness.mongoUri });
});
afterAll(async () => {
  await fresh.stop();
  await harness.stop();
});

/** Runs the script as an operator does. */
function release(...args: string[]): Promise<{ code: unknown; output: string }> {
  const env = {
    ...process.env,
    MONGODB_URI: harness.mongoUri,
    ASSAY_JWT_SECRET: 'a session secret for tests, long enough',
    ASSAY_LEDGER_KEY: 'a ledger key for tests, also long enough',
    ASSAY_ENCRYPTION_KEY: 'an encryption key for tests, long enough',
  };
  const command = [fileURLToPath(new URL('release.mjs', inject('built'))), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { env }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    );
  });
}

test('its organisation is refused and reported by metric and log; others and the instance are unaffected', async () => {
  const refused = await post(fresh, ada);
  expect([refused.status, refused.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect((await post(fresh, neighbour)).status).toBe(201);
  expect((await fresh.call('GET', '/ready')).status).toBe(200);
  expect((await fresh.call('GET', '/metrics')).text).toMatch(/^assay_quarantined_chains 1$/m);
  const said = fresh.logged.filter((line) => line.includes('a head it once had'));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain(ada.organizationId);
  expect((await post(fresh, ada)).status).toBe(503);
});

test('the script reports the loss, and changes nothing without its flag', async () => {
  const { organizationId } = ada;
  const asked = await release(organizationId, '--reason', 'a drill');
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.output).toMatch(/^Entries 5 to 6 are lost; .* The chain goes on after 4\.\n/);
  expect((await post(fresh, ada)).status).toBe(503);
}, 180_000);

test('a whole chain is not released, and nothing is written', async () => {
  const { platform } = fresh.instance;
  const { organizationId } = neighbour;
  const request = { organizationId, chain: 'ledger', reason: 'a drill' } as const;
  expect(await releaseChain(platform, request)).toBeNull();
  expect(await listAuditEntries(fresh, neighbour, 'action=hash_chain.release')).toEqual([]);
});

test('after the release the organisation continues on all instances, and its audit log records the loss', async () => {
  const done = await release(ada.organizationId, '--reason', 'a drill', '--yes');
  expect(done).toMatchObject({ code: 0, output: expect.stringContaining('Released.') as string });
  const { hashChain } = assertOk(await post(fresh, ada)).body.data;
  expect(hashChain.sequence).toBe(5);
  expect((await fresh.call('GET', '/metrics')).text).toMatch(/^assay_quarantined_chains 0$/m);
  const verified = assertOk(
    await fresh.call('POST', '/api/v1/hash-chain/verify', { token: ada.token, body: {} }),
  ).body.data;
  expect(verified).toMatchObject({ verified: true, completeness: { ok: true } });
  const [entry, ...others] = await listAuditEntries(fresh, ada, 'action=hash_chain.release');
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    resource: 'hash_chain',
    detail: 'ledger: entries 5 to 6 are lost: a drill',
    metadata: {
      chain: 'ledger',
      reason: 'a drill',
      lost: { from: 5, newest: { sequence: 6 }, goesOnAfter: { sequence: 4 } },
    },
  });
  expect(assertOk(await get(fresh, ada, '/api/v1/audit/verify')).body.data.verified).toBe(true);
  const { platform } = fresh.instance;
  expect(
    await findLostEntries(platform, { organizationId: ada.organizationId, chain: 'ledger' }),
  ).toBeNull();
}, 180_000);

test('the audit chain is released in the same way', async () => {
  const eve = await tenant('Eve');
  for (let n = 0; n < 3; n++) await createWorkspaceKey(harness.app, eve);
  await cutChain(harness, 'audit_entries', eve, 1);
  await createWorkspaceKey(fresh, eve);
  expect((await fresh.call('GET', '/metrics')).text).toMatch(/^assay_quarantined_chains 1$/m);
  const { platform } = fresh.instance;
  const request = {
    organizationId: eve.organizationId,
    chain: 'audit',
    reason: 'a drill',
  } as const;
  expect(await releaseChain(platform, request)).toMatchObject({
    from: 2,
    goesOnAfter: { sequence: 1 },
  });
  await createWorkspaceKey(fresh, eve);
  const actions = (await listAuditEntries(fresh, eve)).map(({ action }) => action);
  expect(actions).toContain('hash_chain.release');
  expect(assertOk(await get(fresh, eve, '/api/v1/audit/verify')).body.data.verified).toBe(true);
  expect((await fresh.call('GET', '/metrics')).text).toMatch(/^assay_quarantined_chains 0$/m);
});
