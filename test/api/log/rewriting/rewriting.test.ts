// A witnessed ledger that its owner rewrites: the server's verification and the offline verifier find it, in every form.
// @module-tag varied
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { makePinsOfTexts, readTrust, verifyBytes } from '@assay/verifier';
import { formatVerifierKey } from '@assay/tlog';
import { useFixture, useHarness, useOwner } from '../../../setup/fixtures.ts';
import { assertOk } from '../../../setup/personas.ts';
import { chooseRuns } from '../../../setup/runs.ts';
import { holdJobs, postDecisions, readLogKey, SEALED_AT_ONCE, sealAll } from '../log-steps.ts';
import {
  type Cover,
  COVERS,
  coverUp,
  keepStore,
  rewriteEntry,
  type Rewriting,
} from './rewriting.ts';
import { runVerifier } from '../run-verifier.ts';
import { startWitness, type TestWitness } from '../witness-server.ts';
import { askWitnesses } from '../../../../src/evidence/log/witnesses/log-witnesses.service.ts';

const ENTRIES = 24;

const folder = useFixture(
  () => Promise.resolve({ path: mkdtempSync(join(tmpdir(), 'assay-rewriting-')) }),
  ({ path }) => rmSync(path, { recursive: true }),
);
function save(name: string, text: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
}
const witnesses = useFixture<{ all: TestWitness[]; policy: string; file: string }>(
  async () => {
    const all = [await startWitness('first'), await startWitness('second')];
    const lines = all.map(({ name, vkey, url }) => `witness ${name} ${vkey} ${url}\n`);
    const policy = `${lines.join('')}group both all first second\nquorum both\n`;
    return { all, policy, file: save('policy', policy) };
  },
  ({ all }) => Promise.all(all.map((witness) => witness.stop())),
);
const harness = useHarness(() => ({
  ...SEALED_AT_ONCE,
  ASSAY_WITNESS_POLICY: witnesses.file,
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
}));
const ada = useOwner(harness);
const get = (path: string) =>
  harness.app.call('GET', `/api/v1/hash-chain${path}`, { token: ada.token });
const verify = async () =>
  assertOk(await harness.app.call('POST', '/api/v1/hash-chain/verify', ada)).body.data;

async function sealWitnessed(): Promise<void> {
  await sealAll(harness.app);
  await askWitnesses(harness.app.instance.platform);
}

interface Kept {
  origin: string;
  logKeys: string[];
}
const kept = {} as Kept;
beforeAll(async () => {
  await holdJobs(harness, 'log.seal', 'log.witness');
  for (const count of [9, 8, ENTRIES - 17]) {
    await postDecisions(harness.app, ada, count);
    await sealWitnessed();
  }
  const [{ origin }] = assertOk(await get('/anchors?limit=1')).body.data;
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  const logKey = formatVerifierKey(await readLogKey(harness.app, origin));
  Object.assign(kept, { origin, logKeys: [logKey, body.heads[0]] });
});

/** The texts that an auditor fetches; null: the server has none. */
async function fetchEvidence() {
  const [anchor] = assertOk(await get('/anchors?limit=1')).body.data;
  const at = `/anchors/${anchor?.anchorId}/tlog-proof`;
  const proofs = [await get(`${at}?sequence=${anchor?.treeSize}`), await get(at)];
  const heads = await get(`/heads?origin=${encodeURIComponent(kept.origin)}`);
  return {
    bundle: assertOk(await get('/bundle?fromSequence=1')).text,
    proofs: proofs.filter(({ status }) => status === 200).map(({ text }) => text),
    heads: heads.status === 200 ? heads.text : null,
  };
}

/** Verifies like the command, with the heads file unless that is `none`; an error of what is given counts as its exit status. */
async function verifyOffline(
  { bundle, proofs, heads }: Awaited<ReturnType<typeof fetchEvidence>>,
  { policy }: { policy: string | null } = witnesses,
): Promise<string> {
  const { logKeys } = kept;
  const texts = { proofs, checkpoints: [], policy, logKeys, promiseKeys: [] };
  async function* pieces() {
    yield Buffer.from(bundle);
  }
  try {
    const pins = makePinsOfTexts(texts).map(({ pin }) => pin);
    const question = { heads: { texts: [heads ?? ''], trust: readTrust(texts) } };
    const given = heads === 'none' ? {} : question;
    return (await verifyBytes(pieces(), { pins, keys: [], ...given })).verdict;
  } catch (error) {
    return `cannot tell: ${String(error)}`;
  }
}

it('a ledger that is as it was signed verifies, here and offline, with every checkpoint', async () => {
  expect(await verify()).toMatchObject({ verified: true });
  const evidence = await fetchEvidence();
  expect(await verifyOffline(evidence)).toBe('intact');
  const files = evidence.proofs.flatMap((text, at) => ['--proof', save(`proof-${at}`, text)]);
  const keys = kept.logKeys.flatMap((key) => ['--log', key]);
  const { status, output } = await runVerifier(
    save('bundle', evidence.bundle),
    ...files,
    ...keys,
    '--policy',
    witnesses.file,
    '--heads',
    save('heads', evidence.heads!),
  );
  expect(output).toContain('checkpoints that the chain agrees with: 3');
  expect([status, output.slice(0, 6)]).toEqual([0, 'INTACT']);
});

/** The heads log itself is gone: nothing here knows of it but its witnesses, who sign no other one. */
const WITNESSES_ALONE: readonly Cover[] = ['the heads log is emptied as well'];

const rewritings = fc.record<Rewriting>({
  at: fc.integer({ min: 1, max: ENTRIES }),
  field: fc.constantFrom('createdAt', 'createdAt', 'payloadDigest', 'chainHash'),
  isLinked: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  cover: fc.constantFrom(...(Object.keys(COVERS) as Cover[])),
});

/** Rewrites the ledger, lets the server seal what it will, and hears both verifiers. */
async function rewriteLedger(rewriting: Rewriting, look = async () => {}) {
  const known = witnesses.all.map((witness) => witness.known);
  const putBack = await keepStore(harness);
  try {
    await rewriteEntry(harness, ada.organizationId, rewriting);
    await coverUp(harness, ada.organizationId, rewriting.cover);
    await sealWitnessed();
    await look();
    const evidence = await fetchEvidence();
    const { verified } = await verify();
    return { verified, offline: await verifyOffline(evidence), evidence };
  } finally {
    await putBack();
    for (const [at, witness] of witnesses.all.entries()) witness.known = known[at]!;
  }
}

it('a rewritten ledger is found by the server and offline, whatever is done to what is stored of its log', async () => {
  // What makes a perfect chain comes with each cover, then whatever else.
  const worst = (Object.keys(COVERS) as Cover[]).map((cover): Rewriting => ({
    at: 7,
    field: 'createdAt',
    isLinked: true,
    cover,
  }));
  const forms = [...worst, ...fc.sample(rewritings, { seed: 39, numRuns: 50 })];
  for (const rewriting of forms.slice(chooseRuns(2, 0), chooseRuns(4, forms.length))) {
    const { verified, offline } = await rewriteLedger(rewriting);
    const form = JSON.stringify(rewriting);
    if (!WITNESSES_ALONE.includes(rewriting.cover)) expect(verified, form).toBe(false);
    expect(offline, form).not.toBe('intact');
  }
  expect(await verify()).toMatchObject({ verified: true });
  expect(await verifyOffline(await fetchEvidence())).toBe('intact');
}, 300_000);

it('an empty log whose name the heads log knows is not sealed again', async () => {
  const putBack = await keepStore(harness);
  await coverUp(harness, ada.organizationId, 'the log is emptied, heads and tiles are removed');
  await sealWitnessed();
  const log = await harness.db.collection('logs').findOne({ origin: kept.origin });
  expect(log).toMatchObject({
    size: 0,
    frozen: { why: 'it says that nothing was signed, and the heads log that it was' },
  });
  await putBack();
});

it('a log that was cut back perfectly, with other entries since, is not sealed again', async () => {
  const cover = 'the log is cut back to an older head with all of its state';
  const rewriting: Rewriting = { at: 20, field: 'createdAt', isLinked: true, cover };
  const { verified } = await rewriteLedger(rewriting, async () => {
    const log = await harness.db.collection('logs').findOne({ origin: kept.origin });
    expect(log).toMatchObject({
      size: 9,
      frozen: { why: 'it does not end at its newest checkpoint in the heads log' },
    });
  });
  expect(verified).toBe(false);
});

it('a heads file that a person kept convicts the ledger alone, without witnesses too', async () => {
  const { heads } = await fetchEvidence();
  const cover = 'the heads log is emptied as well';
  const { evidence } = await rewriteLedger({ at: 7, field: 'createdAt', isLinked: true, cover });
  const alone = { policy: null };
  expect(await verifyOffline({ ...evidence, heads: 'none' }, alone)).toBe('intact');
  expect(await verifyOffline({ ...evidence, heads }, alone)).toBe('tampered');
});

it('a heads file vouches for nothing unless it is whole, signed and of its leaves', async () => {
  const evidence = await fetchEvidence();
  const { heads: whole } = evidence;
  const lines = whole!.split('\n');
  const at = lines.findIndex((line) => line.startsWith('head '));
  const files: Record<string, string> = {
    'of another version': whole!.replace('/v1', '/v2'),
    'cut short': lines.slice(0, -2).join('\n'),
    'without a checkpoint': lines.toSpliced(at, 1).join('\n'),
    'without a leaf': lines.toSpliced(at - 1, 2).join('\n'),
    'of another log': lines.with(1, `${lines[1]}0`).join('\n'),
    'with two checkpoints of one leaf': lines.toSpliced(at, 0, lines[at]!).join('\n'),
    empty: '',
  };
  for (const [what, heads] of Object.entries(files))
    expect(await verifyOffline({ ...evidence, heads }), what).toBe('cannot tell');
  const later = assertOk(await get('/bundle?fromSequence=2')).text;
  expect(await verifyOffline({ ...evidence, bundle: later })).toBe('cannot tell');
});
