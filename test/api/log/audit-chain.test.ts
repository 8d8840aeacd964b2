// The audit chain leaves as a bundle, and a proof of its own log vouches for it, like for the chain of decisions.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { formatVerifierKey } from '@assay/tlog';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, createWorkspaceKey } from '../../setup/personas.ts';
import { toOutcome } from '../../setup/start-app.ts';
import { postDecisions, readLogKey, SEALED_AT_ONCE, sealAll } from './log-steps.ts';
import { runVerifier } from './run-verifier.ts';

const harness = useHarness(SEALED_AT_ONCE);
const ada = useOwner(harness);
const bob = useOwner(harness);
const folder = mkdtempSync(join(tmpdir(), 'assay-audit-chain-'));
afterAll(() => rmSync(folder, { recursive: true }));

const get = (path: string, { token } = ada) =>
  harness.app.call('GET', `/api/v1/audit${path}`, { token });
function save(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
const readAnchor = async () => assertOk(await get('/anchors?limit=1')).body.data[0];

it('a proof of the log of the audit chain vouches for its bundle, and an altered one is found', async () => {
  for (let n = 0; n < 3; n++) await createWorkspaceKey(harness.app, ada);
  await postDecisions(harness.app, ada, 1);
  await sealAll(harness.app);
  const anchor = await readAnchor();
  const { treeSize: last, anchorId, origin } = anchor;
  expect(last).toBeGreaterThan(4);
  const text = assertOk(await get('/bundle?fromSequence=1')).text;
  const { chain, range, entries } = JSON.parse(text);
  expect([chain, range, entries.length]).toEqual([
    'audit',
    { fromSequence: 1, toSequence: last },
    last,
  ]);
  const bundle = save('audit.json', text);
  const path = `/anchors/${anchorId}/tlog-proof`;
  const proof = save('entry', assertOk(await get(`${path}?sequence=${last}`)).text);
  const heads = save('heads', assertOk(await get(path)).text);
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  const logKey = formatVerifierKey(await readLogKey(harness.app, origin));
  const keys = ['--log', logKey, '--log', body.heads[0]];
  const whole = await runVerifier(bundle, '--proof', proof, '--proof', heads, ...keys);
  expect([whole.status, whole.output]).toEqual([0, expect.stringMatching(/^INTACT/)]);
  expect(whole.output).toContain(`entry ${last} is in the log ${origin} of ${last} entries`);
  expect(whole.output).toContain(`vouched for by a pin up to: ${last}`);

  const action = entries[last - 1].view.action as string;
  const altered = save('altered.json', text.replaceAll(`"${action}"`, '"nothing.happened"'));
  const found = await runVerifier(altered, '--proof', proof, ...keys);
  expect([found.status, found.output]).toEqual([1, expect.stringMatching(/^TAMPERED/)]);
  const short = assertOk(await get(`/bundle?fromSequence=2&toSequence=${last - 1}`)).text;
  const partly = await runVerifier(save('short.json', short), '--proof', proof, ...keys);
  expect(partly.status).not.toBe(1);
});

it('values are shown on request, and that is recorded; a range that ends before it begins is refused', async () => {
  const hidden = JSON.parse(assertOk(await get('/bundle?fromSequence=1')).text);
  expect(JSON.stringify(hidden)).not.toContain(ada.email);
  const shown = assertOk(await get('/bundle?fromSequence=1&disclose=userEmail')).text;
  expect(shown).toContain(ada.email);
  const { body } = assertOk(await get('?action=hash-chain.disclose'));
  expect(body.data.entries[0]).toMatchObject({
    status: 'success',
    metadata: { chain: 'audit', names: ['userEmail'] },
  });
  expect(toOutcome(await get('/bundle?fromSequence=3&toSequence=2'))).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  const future = JSON.parse(assertOk(await get('/bundle?from=2044-01-01&to=2045-01-01')).text);
  expect([future.count, future.entries]).toEqual([0, []]);
});

it('neither bundle nor proofs of another organisation, nor of the other chain, are reached', async () => {
  const { anchorId, origin } = await readAnchor();
  expect(toOutcome(await get(`/anchors/${anchorId}/tlog-proof?sequence=1`, bob))).toEqual([
    404,
    'NOT_FOUND',
  ]);
  const theirs = assertOk(await get('/bundle?fromSequence=1', bob)).text;
  expect(theirs).not.toContain(ada.organizationId);
  const ledger = assertOk(
    await harness.app.call('GET', '/api/v1/hash-chain/anchors?limit=1', { token: ada.token }),
  ).body.data[0];
  expect(ledger.origin).not.toBe(origin);
  expect(toOutcome(await get(`/anchors/${ledger.anchorId}/tlog-proof?sequence=1`))).toEqual([
    404,
    'NOT_FOUND',
  ]);
  const path = `/api/v1/hash-chain/anchors/${anchorId}/tlog-proof?sequence=1`;
  expect(toOutcome(await harness.app.call('GET', path, { token: ada.token }))).toEqual([
    404,
    'NOT_FOUND',
  ]);
});
