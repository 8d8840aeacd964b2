// A database that was set back, where one of any two witnesses is enough: what the other one has signed stops the log.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../../setup/fixtures.ts';
import { holdJobs, postDecisions, SEALED_AT_ONCE, sealAll, warmPromises } from '../log-steps.ts';
import { keepStore } from './rewriting.ts';
import { startWitness, type TestWitness } from '../witness-server.ts';
import { askWitnesses } from '../../../../src/evidence/log/witnesses/log-witnesses.service.ts';

const witnesses = useFixture<{ first: TestWitness; second: TestWitness; policy: string }>(
  async () => {
    const [first, second] = [await startWitness('first'), await startWitness('second')];
    const lines = [first, second].map(({ name, vkey, url }) => `witness ${name} ${vkey} ${url}\n`);
    const policy = join(mkdtempSync(join(tmpdir(), 'assay-any-')), 'policy');
    writeFileSync(policy, `${lines.join('')}group one any first second\nquorum one\n`);
    return { first, second, policy };
  },
  async ({ first, second, policy }) => {
    rmSync(policy);
    await Promise.all([first.stop(), second.stop()]);
  },
);
const harness = useHarness(() => ({
  ...SEALED_AT_ONCE,
  ASSAY_WITNESS_POLICY: witnesses.policy,
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
}));
const ada = useOwner(harness);
const ask = () => askWitnesses(harness.app.instance.platform);
const readHeads = () => harness.db.collection('logs').findOne({ chain: 'heads' });

it('promises are given once a witness has agreed, however the other one objects', async () => {
  await holdJobs(harness, 'log.seal', 'log.witness');
  await warmPromises(harness.app, ada);
  witnesses.first.mode = '422';
  await sealAll(harness.app);
  expect(await ask()).toBe(1);
  await warmPromises(harness.app, ada);
  expect((await readHeads())!.frozen).toBeNull();
  witnesses.first.mode = 'up';
});

it('what one witness has signed freezes the heads log, though the other one would sign', async () => {
  const states = harness.db.collection('witness_states');
  await states.updateMany({}, { $set: { stoppedAt: null } });
  const setBack = await keepStore(harness);
  await postDecisions(harness.app, ada, 3);
  await sealAll(harness.app);
  expect(await ask()).toBe(2);
  const { size } = witnesses.first.known!;
  await setBack();
  witnesses.second.known = null;
  await ask();
  expect((await readHeads())!.frozen).toMatchObject({
    why: `the witness first has signed a larger tree of ${size} leaves`,
  });
});
