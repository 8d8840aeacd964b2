// What vouches for a decision, in words that are true in each state: not sealed, sealed, signed by witnesses.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { SEALED_AT_ONCE, sealAll } from '../api/log/log-steps.ts';
import { startWitness, type TestWitness } from '../api/log/witness-server.ts';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { NO_JOBS } from '../setup/start-app.ts';
import { useChromium } from './setup/chromium.ts';
import { createRefund, postDecision, useShop } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';
import { askWitnesses } from '../../src/evidence/log/witnesses/log-witnesses.service.ts';

const witnesses = useFixture(
  async () => {
    const signing: TestWitness[] = [await startWitness('north'), await startWitness('south')];
    const policy = join(mkdtempSync(join(tmpdir(), 'assay-policy-')), 'policy');
    const lines = signing.map(({ name, vkey, url }) => `witness ${name} ${vkey} ${url}`);
    writeFileSync(policy, [...lines, 'group both all north south', 'quorum both', ''].join('\n'));
    return { signing, policy };
  },
  async ({ signing, policy }) => {
    rmSync(dirname(policy), { recursive: true });
    await Promise.all(signing.map((witness) => witness.stop()));
  },
);
const settings = () => ({
  ...SEALED_AT_ONCE,
  ASSAY_WITNESS_POLICY: witnesses.policy,
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
});
/** Nothing is sealed and no witness is asked but where the test does so. */
const harness = useHarness(settings, {
  consoleFolder: resolve('dist/console'),
  jobTimer: NO_JOBS,
});
const { app } = harness;
const shop = useShop(harness, 1);
const chromium = useChromium();

test('a decision says by whom it is signed, and never more than is so', async () => {
  const [, south] = witnesses.signing;
  const { traceId } = await postDecision(app, shop.key, createRefund());
  const { page, faults, close } = await openConsole(chromium.browser, app, { token: shop.token });
  const proof = page.getByRole('region', { name: 'Proof' });
  const read = async (): Promise<string> => {
    await page.goto(`/console/decisions/${traceId}`);
    await proof.waitFor();
    return (await proof.textContent()) ?? '';
  };
  expect(await read()).toContain('is not sealed into the log yet');
  await sealAll(app);
  south!.mode = 'down';
  await askWitnesses(app.instance.platform);
  const sealed = await read();
  expect(sealed).toContain('is sealed into the log, whose head the service has signed');
  expect(sealed).toContain('Witnesses have not signed for it');
  await page.goto('/console/evidence?part=log');
  await page.getByRole('heading', { name: /fixed by our signature/ }).waitFor();
  south!.mode = 'up';
  await askWitnesses(app.instance.platform);
  const witnessed = await read();
  expect(witnessed).toContain('2 witnesses have signed for it');
  expect(witnessed).not.toContain('have not signed');
  await page.goto('/console/evidence?part=log');
  await page.getByRole('heading', { name: /fixed before witnesses/ }).waitFor();
  expect(await page.locator('main').textContent()).not.toContain('0 witnesses');
  await page.getByRole('button', { name: 'Witnessed head' }).first().waitFor();
  expect(faults).toEqual([]);
  await close();
});
