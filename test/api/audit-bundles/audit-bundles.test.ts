// Audit bundles over HTTP: made, signed, downloaded, and checked offline by the stand-alone verifier with one command.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { createWorkspaceKey, buildDecision, assertOk, type Owner } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const at = '/api/v1/audit-bundles';
const CANARY = 'canary-of-the-bundle';
const harness = useHarness({ ASSAY_AUDIT_BUNDLE_MAX: '4' });
const { app } = harness;
const ada = useOwner(harness);
const folder = mkdtempSync(join(tmpdir(), 'assay-audit-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

const period = { from: '2020-01-01', to: '2100-01-01' };
const make = (body: object = period, { token } = ada): Promise<Answer> =>
  app.call('POST', at, { token, body });

const traceIds: string[] = [];
async function post(): Promise<void> {
  const { key } = await createWorkspaceKey(app, ada);
  const body = buildDecision('x', { outputDecision: { action: 'reply', rationale: CANARY } });
  const answer = assertOk(await app.call('POST', '/api/v1/traces', { key, body }));
  traceIds.push(answer.body.data.traceId as string);
}
beforeAll(async () => {
  for (let i = 0; i < 3; i++) await post();
});

let files = 0;
async function download(id: string, { token } = ada): Promise<string> {
  const answer = await fetch(`${app.url}${at}/${id}/download`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  const file = join(folder, `${files++}.tar.gz`);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  return file;
}

/** Runs the stand-alone verifier. */
function check(file: string, ...args: string[]): { status: number | null; text: string } {
  const program = fileURLToPath(new URL('verify-bundle.mjs', inject('built')));
  const command = [program, file, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { status, text: stdout + stderr };
}

/** The same archive with one of its files changed. */
function changed(file: string, name: string, change: (text: string) => string): string {
  const inside = mkdtempSync(join(folder, 'inside-'));
  execFileSync('tar', ['xzf', file, '-C', inside]);
  const path = join(inside, name);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  const forged = join(folder, `${files++}.tar.gz`);
  const order = ['manifest.json', 'manifest.jws', 'keys.json', 'VERIFY.md', 'ledger.json'];
  execFileSync('tar', ['czf', forged, '--format=ustar', '-C', inside, ...order]);
  return forged;
}

test('a bundle is signed, holds everything needed to verify it, and is verified with one command', async () => {
  const made = assertOk(await make({ ...period, disclose: ['outputDecision'] })).body.data;
  expect(made).toMatchObject({
    firstSequence: 1,
    lastSequence: 3,
    entries: 3,
    disclosed: ['outputDecision'],
  });
  const file = await download(made.id);
  const inside = mkdtempSync(join(folder, 'read-'));
  execFileSync('tar', ['xzf', file, '-C', inside]);
  expect(readdirSync(inside).sort()).toEqual([
    'VERIFY.md',
    'keys.json',
    'ledger.json',
    'manifest.json',
    'manifest.jws',
  ]);
  const note = readFileSync(join(inside, 'VERIFY.md'), 'utf8');
  expect(note).toContain(`node verify-bundle.mjs FILE.tar.gz --key ${made.signerKid}`);
  expect(readFileSync(join(inside, 'manifest.json'), 'utf8')).toContain(made.lastChainHash);

  const trusted = check(file, '--key', made.signerKid);
  expect(trusted.text).toContain('INTACT');
  expect(trusted.text).toContain('vouched for by a pin up to: 3');
  expect(trusted.text).toContain('3 shown');
  expect(trusted.status).toBe(0);
  const unknown = check(file);
  expect([unknown.status, unknown.text.split('\n')[0]]).toEqual([2, 'CANNOT TELL']);
  expect(unknown.text).toContain(`--key ${made.signerKid}`);
  for (const action of ['audit-bundle.create', 'audit-bundle.download'])
    expect((await listAuditEntries(app, ada, `action=${action}`))[0]).toMatchObject({
      status: 'success',
      resourceId: made.id,
    });
});

test('any change in a bundle is found', { tags: ['long'] }, async () => {
  const { id, signerKid } = assertOk(await make()).body.data;
  const file = await download(id);
  const other = { id: 'f'.repeat(24) };
  const forgeries: [string, (text: string) => string][] = [
    [
      'ledger.json',
      (text) => text.replace('"verdict"', '"verdicT"').replace('approved', 'blocked'),
    ],
    ['ledger.json', (text) => text.replaceAll(ada.organizationId, other.id)],
    ['manifest.jws', (text) => text.slice(0, -8) + 'AAAAAAAA'],
    ['keys.json', (text) => text.replace(/"x": ".{4}/, '"x": "AAAA')],
  ];
  for (const [name, change] of forgeries) {
    const { status, text } = check(changed(file, name, change), '--key', signerKid);
    expect([name, status === 0, text.includes('INTACT')]).toEqual([name, false, false]);
  }
  expect(
    check(
      changed(file, 'ledger.json', (text) => text),
      '--key',
      signerKid,
    ).status,
  ).toBe(0);
  const cut = join(folder, 'cut.tar.gz');
  writeFileSync(cut, readFileSync(file).subarray(0, 600));
  expect(check(cut, '--key', signerKid).status).toBe(2);
});

test(
  'a readable manifest that differs from the signed one is found, and another key is not recommended',
  { tags: ['long'] },
  async () => {
    const { id, signerKid } = assertOk(await make()).body.data;
    const file = await download(id);
    const edited = changed(file, 'manifest.json', (text) =>
      text.replace('2020-01-01', '2019-01-01'),
    );
    expect(check(edited, '--key', signerKid).status).toBe(1);
    const other = 'a'.repeat(64);
    const { status, text } = check(file, '--key', other);
    expect(status).toBe(2);
    expect(text).toContain(`signed by ${signerKid}, which is none of the keys given`);
    expect(text).not.toContain(`--key ${signerKid}`);
    expect(check('--help').text).toContain('Usage: verify-bundle');
  },
);

test(
  'a bundle made before an erasure still verifies, and no longer shows the value',
  { tags: ['long'] },
  async () => {
    const made = assertOk(await make({ ...period, disclose: ['outputDecision'] })).body.data;
    const earlier = await download(made.id);
    const [traceId] = traceIds;
    const erase = (path: string, body: object): Promise<Answer> =>
      app.call('POST', `/api/v1/erasure/${path}`, { token: ada.token, body });
    const acknowledged = assertOk(
      await erase('acknowledge', { traceIds: [traceId], reason: 'asked' }),
    );
    const { acknowledgementId, impactDigest } = acknowledged.body.data;
    assertOk(await erase('execute', { acknowledgementId, impactDigest }));
    const later = await download(made.id);
    for (const file of [earlier, later])
      expect(check(file, '--key', made.signerKid).text).toContain('INTACT');
    expect(check(later, '--key', made.signerKid).text).toContain('2 shown');

    // Without the signed statement that the value was erased, it could as well have been taken out.
    const stripped = check(changed(later, 'VERIFY.md', String), '--key', made.signerKid);
    expect([stripped.status, stripped.text.split('\n')[0]]).toEqual([2, 'CANNOT TELL']);
    expect(stripped.text).toContain('the manifest promises outputDecision');
  },
);

test('a bundle has a maximum of entries, and needs at least one', async () => {
  while (traceIds.length < 5) await post();
  expect(toOutcome(await make())).toEqual([413, 'BUNDLE_PERIOD_TOO_LARGE']);
  const none = { from: '2020-01-01', to: '2020-01-02' };
  expect(toOutcome(await make(none))).toEqual([400, 'INVALID_OPERATION']);
  const reversed = { from: '2021-01-01', to: '2020-01-01' };
  for (const bad of [reversed, {}, { from: 'soon', to: 'later' }, { ...none, disclose: 'all' }])
    expect(toOutcome(await make(bad)), JSON.stringify(bad)).toEqual([400, 'VALIDATION_ERROR']);
});

test('managers create bundles, and only they and auditors read and download them', async () => {
  const bundles = await harness.db.collection('audit_bundles').find().toArray();
  const id = String(bundles[0]?._id);
  const person = (role: string): Promise<Owner> => createMember(harness, ada, role);
  const auditor = await person('auditor');
  await download(id, auditor);
  expect(toOutcome(await make(period, auditor))).toEqual([403, 'FORBIDDEN']);
  const listed = assertOk(await app.call('GET', at, { token: auditor.token })).body;
  expect(listed.data).toHaveLength(bundles.length);
  for (const role of ['reviewer', 'member', 'viewer']) {
    const { token } = await person(role);
    for (const path of [at, `${at}/${id}`, `${at}/${id}/download`])
      expect(toOutcome(await app.call('GET', path, { token })), role).toEqual([403, 'FORBIDDEN']);
  }
  await harness.db
    .collection('audit_bundles')
    .updateOne({ _id: toObjectId(id) }, { $set: { organizationId: toObjectId('f'.repeat(24)) } });
  expect(toOutcome(await app.call('GET', `${at}/${id}`, { token: ada.token }))).toEqual([
    404,
    'NOT_FOUND',
  ]);
});
