// Verify: bundles are checked in the browser without a session or the network, and the tamper lab shows what gives an attack away.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { readNote } from '@assay/verifier';
import { formatVerifierKey } from '@assay/tlog';
import { createTimeStampRequest } from '../../src/domain/log/time-stamps/time-stamp.ts';
import {
  postDecisions,
  readLogKey,
  SEALED_AT_ONCE,
  sealAll,
  warmPromises,
} from '../api/log/log-steps.ts';
import { hasOpenssl, makeTsaFolder, startTsa, type TsaMode } from '../api/log/stamps/tsa-server.ts';
import { useHarness, useOwner } from '../setup/fixtures.ts';
import { assertOk } from '../setup/personas.ts';
import { useChromium } from './setup/chromium.ts';
import { expectGoodPage } from './setup/page-checks.ts';
import { openConsole, type Visit } from './setup/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-verify-'));
const environment = {
  ...SEALED_AT_ONCE,
  ASSAY_ERASURE_CUSTODIAN: 'file',
  ASSAY_ERASURE_CUSTODIAN_FOLDER: join(folder, 'custodian'),
  ASSAY_ERASURE_ROLL_MINUTES: '0',
};
const harness = useHarness(environment, { consoleFolder: resolve('dist/console') });
const { app } = harness;
const ada = useOwner(harness);
const chromium = useChromium();
afterAll(() => rmSync(folder, { recursive: true }));

const get = (path: string) => app.call('GET', `/api/v1/hash-chain${path}`, { token: ada.token });

/** The page, which from then on has no network. */
async function openOffline(): Promise<Visit> {
  const visit = await openConsole(chromium.browser, app);
  await visit.page.goto('/verify');
  await visit.page.getByRole('heading', { name: 'Verify' }).waitFor();
  await visit.page.context().setOffline(true);
  return visit;
}

const drop = (page: Page, ...files: [name: string, content: string | Buffer][]) =>
  page.setInputFiles(
    'input[type="file"]',
    files.map(([name, content]) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(content),
    })),
  );

/** Waits for the verdict of the file, or of the lab. */
const waitForVerdict = (page: Page, word: string, where = 'Result') =>
  page.getByRole('region', { name: where }).getByText(word, { exact: true }).waitFor();

test('a bundle, a proof of the log and a kept answer: all are checked without the network', async () => {
  await warmPromises(app, ada);
  const answers = await postDecisions(app, ada, 4);
  await sealAll(app);
  const [anchor] = assertOk(await get('/anchors?limit=1')).body.data;
  const bundle = (await get('/bundle?fromSequence=1')).text;
  const at = `/anchors/${anchor.anchorId}/tlog-proof`;
  const { sequence } = answers[1]!.body.data.hashChain;
  const ofEntry = (await get(`${at}?sequence=${sequence}`)).text;
  const ofLast = (await get(`${at}?sequence=${anchor.treeSize}`)).text;
  const log = (await app.call('GET', '/.well-known/assay-log')).text;
  const logKey = formatVerifierKey(await readLogKey(app, anchor.origin));
  const { page, faults, close } = await openOffline();
  await drop(page, ['bundle.json', bundle]);
  await waitForVerdict(page, 'Cannot tell');
  await drop(page, ['entry', ofEntry], ['last', ofLast], ['log.json', log]);
  await drop(page, ['answer.json', answers[1]!.text]);
  await page.getByRole('textbox', { name: 'Keys', exact: true }).fill(logKey);
  await waitForVerdict(page, 'Intact');
  await page.getByText('answer.json: the promise was kept.').waitFor();
  await page.getByText(`Entry ${anchor.treeSize} is in the log ${anchor.origin}`).waitFor();
  expect(faults).toEqual([]);
  await close();
});

/** Erases a decision, waits until its keys are destroyed, and returns the erasure as it is saved. */
async function eraseForGood(traceId: string): Promise<string> {
  const { token } = ada;
  const about = { traceIds: [traceId], reason: 'asked for' };
  const path = '/api/v1/erasure';
  const impact = await app.call('POST', `${path}/acknowledge`, { token, body: about });
  const { acknowledgementId, impactDigest } = assertOk(impact).body.data;
  const body = { acknowledgementId, impactDigest, roll: true };
  assertOk(await app.call('POST', `${path}/execute`, { token, body }));
  await app.instance.runJobsOnce();
  return (await app.call('GET', `${path}/${acknowledgementId}`, { token })).text;
}

test('a destruction of keys is shown by the statement, its key and the ledger together', async () => {
  // The first epoch begins.
  await app.instance.runJobsOnce();
  const [first, second] = await postDecisions(app, ada, 2);
  const erasure = await eraseForGood(first!.body.data.traceId);
  const other = await eraseForGood(second!.body.data.traceId);
  // The ledger has both statements then.
  await app.instance.runJobsOnce();
  const { destruction, acknowledgementId } = JSON.parse(erasure).data;
  const withheld = (await get('/export?fromSequence=1')).text;
  const bundle = (await get('/export?fromSequence=1&disclose=destruction')).text;
  const { sequence, chainHash } = JSON.parse(bundle).entries.at(-1);
  const { page, faults, close } = await openOffline();
  const keys = page.getByLabel('Keys of custodians');
  const isNotShown = (why: string | RegExp) =>
    page.getByRole('listitem').filter({ hasText: why }).waitFor();

  await drop(page, ['statement.txt', destruction.statement]);
  await isNotShown('a statement alone does not say what was erased: give the saved erasure');
  await drop(page, ['erasure.json', erasure]);
  await isNotShown('no key given has signed the statement about the destruction');
  await waitForVerdict(page, 'Cannot tell');

  await keys.fill('a key');
  await isNotShown(/That the keys of erasure\.json were destroyed: not a verifier key/);
  await keys.fill(destruction.verifierKey);
  await isNotShown('its custodian has signed the statement; drop the bundle');
  await drop(page, ['withheld.json', withheld]);
  await page.getByLabel('Noted places').fill(`${sequence}:${chainHash}`);
  await isNotShown('the statement is withheld: export the bundle with disclose=destruction');
  await page.getByText('That the keys of the erasure were destroyed is not shown.').waitFor();
  await drop(page, ['bundle.json', bundle]);
  await waitForVerdict(page, 'Intact');

  const proved = `no older copy of the key store opens what the erasure ${acknowledgementId} erased`;
  await page.getByRole('listitem').filter({ hasText: proved }).waitFor();

  // The keys that logs are trusted by say nothing about custodians.
  await keys.fill('');
  await page.getByRole('textbox', { name: 'Keys', exact: true }).fill(destruction.verifierKey);
  await isNotShown('no key given has signed the statement about the destruction');
  await keys.fill(destruction.verifierKey);
  const forged = JSON.parse(erasure);
  forged.data.destruction.statement = JSON.parse(other).data.destruction.statement;
  await drop(page, ['forged.json', JSON.stringify(forged)]);
  await waitForVerdict(page, 'Tampered');
  const findings = page.getByRole('table', { name: 'Findings' });
  await findings.getByText('the erasure has another statement').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('one changed digit is found at its entry, and a cut zip is not taken for a whole one', async () => {
  await postDecisions(app, ada, 3);
  const bundle = (await get('/bundle?fromSequence=1')).text;
  const lines = bundle.split('\n');
  const { chainHash, sequence } = JSON.parse(lines[2]!.replace(/,$/, ''));
  lines[2] = lines[2]!.replace(/"createdAt":"2/, '"createdAt":"3');
  const { page, close } = await openOffline();
  await drop(page, ['tampered.json', lines.join('\n')]);
  await waitForVerdict(page, 'Tampered');
  const findings = page.getByRole('table', { name: 'Findings' });
  await findings.getByText('chainHash does not match the entry').waitFor();
  expect(await findings.getByRole('row').nth(1).textContent()).toMatch(new RegExp(`^${sequence}`));
  await page.getByLabel('Noted places').fill(`${sequence}:${chainHash}`);
  const zipped = gzipSync(bundle);
  await drop(page, ['cut.json.gz', zipped.subarray(0, -20)]);
  await page.getByText('The file cannot be read to its end.').waitFor();
  await drop(page, ['whole.json.gz', zipped]);
  await page.getByText(`vouched for up to entry ${sequence} only`).waitFor();
  await close();
});

test('an audit bundle is vouched for by the key that signed it, once the reader trusts that', async () => {
  await postDecisions(app, ada, 1);
  const body = { from: '2000-01-01', to: '2100-01-01' };
  const made = assertOk(
    await app.call('POST', '/api/v1/audit-bundles', { token: ada.token, body }),
  );
  const { id, signerKid } = made.body.data;
  const path = `/api/v1/audit-bundles/${id}/download`;
  const answer = await fetch(`${app.url}${path}`, {
    headers: { authorization: `Bearer ${ada.token}` },
  });
  const archive = Buffer.from(await answer.arrayBuffer());
  const { page, close } = await openOffline();
  await drop(page, ['audit.tar.gz', archive]);
  await waitForVerdict(page, 'Cannot tell');
  await page.getByRole('textbox', { name: 'Keys', exact: true }).fill(signerKid);
  await waitForVerdict(page, 'Intact');
  await page.getByText('that you trust has signed the manifest').waitFor();
  const lab = page.getByRole('region', { name: 'Tamper lab' });
  const attack = async (row: RegExp, way: RegExp, verdict: RegExp): Promise<void> => {
    await lab.getByRole('radio', { name: row }).check();
    await lab.getByRole('radio', { name: way }).check();
    await expect.poll(() => lab.getByRole('status').count()).toBe(0);
    await lab.getByRole('button', { name: 'Tamper and verify' }).click();
    expect(await lab.getByRole('status').textContent(), String(row)).toMatch(verdict);
  };
  await attack(/^1 /, /Change one/, /^Tampered/);
  await lab.getByText('– does not fit').waitFor();
  await attack(/manifest\.jws/, /Change one/, /^Tampered/);
  await lab.getByRole('table', { name: 'Findings' }).getByText('signature').first().waitFor();
  await attack(/keys\.json/, /Take the file out/, /^Cannot tell/);
  await lab.getByText('where keys.json belongs').waitFor();
  await attack(/manifest\.json/, /Cut the archive/, /^Cannot tell/);
  await close();
});

test.skipIf(!hasOpenssl)('a time stamp dates the log; what is wrong with one is said', async () => {
  const authorities = await makeTsaFolder();
  const tsa = await startTsa(authorities);
  async function askFor(mode: TsaMode, text: string): Promise<Buffer> {
    tsa.mode = mode;
    const body = Uint8Array.from(createTimeStampRequest({ text, nonce: 2n ** 62n }));
    const answer = await fetch(tsa.url, { method: 'POST', body });
    return Buffer.from(await answer.arrayBuffer());
  }
  async function readProof(): Promise<{ proof: string; note: string; key: string }> {
    await postDecisions(app, ada, 1);
    await sealAll(app);
    const [anchor] = assertOk(await get('/anchors?limit=1')).body.data;
    const { anchorId, treeSize, origin } = anchor;
    const proof = (await get(`/anchors/${anchorId}/tlog-proof?sequence=${treeSize}`)).text;
    const key = formatVerifierKey(await readLogKey(app, origin));
    return { proof, note: proof.slice(proof.indexOf('\n\n') + 2), key };
  }
  const earlier = await readProof();
  const { proof, note, key } = await readProof();
  const { text } = readNote(note);
  const stamps: [string, Buffer][] = [
    ['good.tsr', await askFor('up', text)],
    ['expired.tsr', await askFor('expired', text)],
    ['stranger.tsr', await askFor('stranger', text)],
    ['loose.tsr', await askFor('other purpose', text)],
    ['imprint.tsr', await askFor('other text', text)],
    ['earlier.tsr', await askFor('up', readNote(earlier.note).text)],
  ];
  const { page, faults, close } = await openOffline();
  await drop(page, ['bundle.json', (await get('/bundle?fromSequence=1')).text], ['proof', proof]);
  await drop(page, ['earlier.checkpoint', earlier.note], ...stamps);
  await page.getByRole('textbox', { name: 'Keys', exact: true }).fill(key);
  await waitForVerdict(page, 'Intact');
  await page.getByText('good.tsr: give the root certificates').waitFor();
  await drop(page, ['ca.pem', readFileSync(tsa.ca)]);
  await page.getByText('good.tsr: CN=TSA signer stamped the log').waitFor();
  for (const said of [
    /expired\.tsr: the certificate CN=TSA expired had not begun or had expired/,
    /stranger\.tsr: .* leads to none of the root certificates/,
    /loose\.tsr: .* not one for time stamps alone/,
    /imprint\.tsr: .* none of the checkpoints given/,
    /earlier\.tsr: .* another checkpoint/,
  ])
    await page.getByText(said).waitFor();
  expect(faults).toEqual([]);
  await close();
  await tsa.stop();
  rmSync(authorities, { recursive: true });
});

test('a saved copy works from the disk alone, and every attack of the lab is found', async () => {
  const saved = join(folder, 'assay-verify.html');
  writeFileSync(saved, (await app.call('GET', '/verify')).text);
  const context = await chromium.browser.newContext({ offline: true });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`file://${saved}`);
  await page.getByRole('button', { name: 'Try a sample' }).click();
  await waitForVerdict(page, 'Intact');
  const lab = page.getByRole('region', { name: 'Tamper lab' });
  for (const isForged of [false, true]) {
    await lab.getByLabel('Then compute all hashes again').setChecked(isForged);
    for (const way of ['Change one', 'Take the entry', 'Swap it', 'Cut the chain']) {
      await lab.getByRole('radio', { name: new RegExp(way) }).check();
      // The verdict of the attack before goes, so that the next one is seen to come.
      await lab.getByRole('radio', { name: /^3 / }).check();
      await lab.getByRole('radio', { name: /^2 / }).check();
      await expect.poll(() => lab.getByRole('status').count()).toBe(0);
      await lab.getByRole('button', { name: 'Tamper and verify' }).click();
      const verdict = await lab.getByRole('status').textContent();
      expect(verdict, `${way}, forged: ${isForged}`).toMatch(
        way === 'Cut the chain' && isForged ? /^Cannot tell/ : /^Tampered/,
      );
    }
  }
  expect(errors).toEqual([]);
  await context.close();
});

test('no script of the page may connect to anything', async () => {
  const { page, close } = await openConsole(chromium.browser, app);
  await page.goto('/verify');
  const outcome = await page.evaluate(() =>
    fetch('/api/v1/health').then(
      () => 'sent',
      () => 'refused',
    ),
  );
  expect(outcome).toBe('refused');
  await close();
});

test('with a result and an attack in view, the page is as good as every other', async () => {
  const visit = await openConsole(chromium.browser, app);
  await visit.page.goto('/verify');
  await visit.page.getByRole('button', { name: 'Try a sample' }).click();
  await waitForVerdict(visit.page, 'Intact');
  await visit.page.getByRole('button', { name: 'Tamper and verify' }).click();
  await waitForVerdict(visit.page, 'Tampered', 'Tamper lab');
  await expectGoodPage(visit);
  await visit.close();
});
