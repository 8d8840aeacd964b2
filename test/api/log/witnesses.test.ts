// Witnesses sign the heads log: anchors wait for a quorum, and a witness that is down, slow, new or ahead holds up no other.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { parseNote, parseVerifierKey, verifyCosignature } from '@assay/tlog';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { holdJobs, postDecisions, SEALED_AT_ONCE, sealAll } from './log-steps.ts';
import { startWitness, type TestWitness } from './witness-server.ts';
import { askWitnesses } from '../../../src/evidence/log/witnesses/log-witnesses.service.ts';

interface Witnesses {
  first: TestWitness;
  second: TestWitness;
  third: TestWitness;
  policy: string;
}

const witnesses = useFixture<Witnesses>(
  async () => {
    const [first, second, third] = [
      await startWitness('first'),
      await startWitness('second'),
      await startWitness('third'),
    ];
    const lines = [first, second, third].map(
      ({ name, vkey, url }) => `witness ${name} ${vkey} ${url}`,
    );
    const policy = join(mkdtempSync(join(tmpdir(), 'assay-policy-')), 'policy');
    const quorum = 'group two 2 first second third\nquorum two\n';
    writeFileSync(policy, `# Two of three\n${lines.join('\n')}\n${quorum}`);
    return { first, second, third, policy };
  },
  async ({ first, second, third, policy }) => {
    rmSync(policy);
    await Promise.all([first.stop(), second.stop(), third.stop()]);
  },
);
const harness = useHarness(() => ({
  ...SEALED_AT_ONCE,
  ASSAY_WITNESS_POLICY: witnesses.policy,
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
}));
const ada = useOwner(harness);
// A job that asks at the same time hears the same objection.
beforeAll(() => holdJobs(harness, 'log.seal', 'log.witness'));
const ask = () => askWitnesses(harness.app.instance.platform);
const readAnchor = async () =>
  assertOk(
    await harness.app.call('GET', '/api/v1/hash-chain/anchors?limit=1', { token: ada.token }),
  ).body.data[0];
const readHeads = () => harness.db.collection('logs').findOne({ chain: 'heads' });

async function grow(): Promise<string> {
  const [answer] = await postDecisions(harness.app, ada, 1);
  await sealAll(harness.app);
  return answer!.body.data.traceId;
}

it('an anchor is witnessed once two of three have signed a head above it', async () => {
  witnesses.second.mode = 'down';
  witnesses.third.mode = 'down';
  const traceId = await grow();
  await ask();
  expect(await readAnchor()).toMatchObject({ treeSize: 1, witnessed: false });
  const path = `/api/v1/hash-chain/entry/${traceId}`;
  const before = await harness.app.call('GET', path, { token: ada.token });
  expect(before.body.data.proof).toBeNull();

  witnesses.second.mode = 'up';
  await ask();
  expect(await readAnchor()).toMatchObject({ treeSize: 1, witnessed: true });
  const { proof } = (await harness.app.call('GET', path, { token: ada.token })).body.data;
  expect(proof).toMatchObject({ witnessed: true, heads: { witnessed: true } });
  const signed = proof.heads.cosignatures.map(({ witness }: { witness: string }) => witness);
  expect(signed.sort()).toEqual([witnesses.first.vkey, witnesses.second.vkey].sort());
  const note = parseNote(proof.heads.checkpoint)!;
  for (const { vkey } of [witnesses.first, witnesses.second]) {
    const key = parseVerifierKey(vkey)!;
    const times = note.signatures.map((signature) => verifyCosignature(note.text, signature, key));
    expect(times.some((time) => time !== null)).toBe(true);
  }
  const served = await harness.app.call('GET', '/log/heads/checkpoint');
  expect(served.text.split('\n').filter((line) => line.startsWith('\u2014')).length).toBe(3);
});

it('a witness that was down is asked again, and a new one begins at nothing', async () => {
  witnesses.third.mode = 'up';
  await ask();
  expect(witnesses.third.known?.size).toBe(Number((await readHeads())!.size));
  witnesses.first.known = null;
  await grow();
  await ask();
  expect(witnesses.first.known).toEqual(witnesses.second.known);
  expect(await readAnchor()).toMatchObject({ treeSize: 2, witnessed: true });
});

it(
  'a slow witness holds up neither the others nor an ingestion; a wrong signature is none',
  { tags: ['long'] },
  async () => {
    witnesses.first.mode = 'slow';
    const waiting = grow().then(ask);
    const answers = await postDecisions(harness.app, ada, 3);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    await waiting;
    expect((await readAnchor()).witnessed).toBe(true);
    witnesses.first.mode = 'wrong signature';
    await grow();
    await ask();
    const state = await harness.db
      .collection<{ _id: string }>('witness_states')
      .findOne({ _id: witnesses.first.vkey });
    expect(state).toMatchObject({ error: 'its signature does not verify' });
    witnesses.first.mode = 'up';
  },
);

it('the word of one witness stops no one: it is not asked again, and the others are enough', async () => {
  witnesses.third.shown = null;
  for (const mode of ['422', '409'] as const) {
    await harness.db.collection('witness_states').updateMany({}, { $set: { stoppedAt: null } });
    witnesses.third.mode = mode;
    await grow();
    await ask();
    expect((await readHeads())!.frozen).toBeNull();
    expect(await readAnchor()).toMatchObject({ witnessed: true });
    const before = witnesses.third.requests;
    await grow();
    await ask();
    expect(witnesses.third.requests).toBe(before);
    expect(await readAnchor()).toMatchObject({ witnessed: true });
  }
  const alarms = harness.app.logged.filter((line) => line.includes('a witness objects'));
  expect(alarms.map((line) => JSON.parse(line).why)).toEqual([
    'the witness third knows another tree',
    'the witness third knows a larger tree of 1000000 leaves',
  ]);
});

it('what a witness shows of another log, or unsigned, is no more than its word', async () => {
  const { shown } = witnesses.first;
  const foreign = [
    shown!.replace('heads', 'tails'),
    shown!.replace(/\n(\d+)\n/, '\n1000000\n'),
    `${shown!.split('\n\u2014').slice(0, 2).join('\n\u2014')}\n`,
    'nothing',
  ];
  for (const text of foreign) {
    await harness.db.collection('witness_states').updateMany({}, { $set: { stoppedAt: null } });
    Object.assign(witnesses.third, { mode: '409', shown: text });
    await grow();
    await ask();
    expect((await readHeads())!.frozen, text).toBeNull();
  }
});

it('where too few are left, nothing more is signed or promised, and decisions go on', async () => {
  const witness = witnesses.second;
  witness.known = { ...witness.known!, size: 1_000_000 };
  witness.shown = null;
  await grow();
  await ask();
  const heads = await readHeads();
  expect(heads!.frozen).toMatchObject({
    why: 'the witness second knows a larger tree of 1000000 leaves',
  });
  const anchor = await readAnchor();
  await grow();
  expect(Number((await readHeads())!.size)).toBe(Number(heads!.size));
  expect(await readAnchor()).toEqual(anchor);
});
