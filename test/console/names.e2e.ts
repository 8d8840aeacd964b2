// Things stand on pages by their names: decisions by what they do, policies and agents as people call them.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { startReceiver } from '../setup/providers/receiver.ts';
import { useChromium } from './setup/chromium.ts';
import { useCompany } from './setup/company.ts';
import { settlePage } from './setup/page-checks.ts';
import { postDecision } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const settings = () => ({ ASSAY_OUTBOUND_ALLOW: receiver.host });
const harness = useHarness(settings, { consoleFolder: resolve('dist/console') });
const company = useCompany(harness, receiver, 20);
const chromium = useChromium();

async function open(path: string) {
  const visit = await openConsole(chromium.browser, harness.app, { token: company.token });
  await visit.page.goto(path);
  await settlePage(visit.page);
  return visit;
}

test('an incident and a replay name decisions by what they do', async () => {
  const paths = [
    `/console/incidents/${company.incidentId}`,
    `/console/policies/${company.policyId}?part=replay&replay=${company.replayId}`,
  ];
  for (const path of paths) {
    const { page, faults, close } = await open(path);
    await page
      .getByRole('link', { name: /^issue_refund\(amount: .*\) · shop-support/ })
      .first()
      .waitFor();
    await expect.poll(() => page.innerText('main')).not.toMatch(/trc_/);
    expect(faults).toEqual([]);
    await close();
  }
});

test('a halt names what is under way', async () => {
  const { page, faults, close } = await open(`/console/halts/${company.haltId}`);
  const row = page.getByRole('table', { name: 'Under way' }).getByRole('row').nth(1);
  await row.getByRole('link', { name: /^refund_payment\(amount: 89.9/ }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the newest entries of the chain name decisions by what they do', async () => {
  const { page, faults, close } = await open('/console/evidence');
  const entries = page.getByRole('table', { name: 'Entries' });
  await entries.getByRole('link', { name: / · / }).first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the audit log names what was changed', async () => {
  const { page, faults, close } = await open('/console/evidence?part=audit');
  const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
  await rows.filter({ hasText: 'policy.create' }).getByText('policy Goods of a day').waitFor();
  await rows.filter({ hasText: 'agent.pause' }).getByText('agent warehouse').waitFor();
  for (const [action, name] of [
    ['alert.create', 'alert Something is blocked'],
    ['webhook.create', `webhook ${receiver.url}/assay`],
    ['incident.create', 'incident Refunds went to a wrong account'],
  ] as const)
    await rows.filter({ hasText: action }).getByText(name).first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('an action that is a name alone stands beside what its agent says', async () => {
  await postDecision(harness.app, company.key, {
    agentId: 'shop-support',
    inputContext: { prompt: 'Where is my parcel?' },
    outputDecision: { action: 'reply', rationale: 'It is on its way, and comes on Friday.' },
  });
  const { page, faults, close } = await open('/console/live');
  await page.getByText('reply: It is on its way, and comes on Friday.').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a decision leads to an incident about it, and to its erasure', async () => {
  const [traceId = ''] = company.byStatus.flagged;
  const { page, faults, close } = await open(`/console/decisions/${traceId}`);
  await page.getByRole('link', { name: 'Open an incident' }).click();
  const dialog = page.getByRole('dialog', { name: 'Open an incident' });
  await dialog.getByLabel('Title').fill('A refund too much');
  expect(await dialog.getByLabel('Decisions that it is about').inputValue()).toBe(traceId);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(new URL(page.url()).search).toBe('');
  await page.goBack();
  await page.getByRole('link', { name: 'Erase it' }).click();
  await expect.poll(() => page.getByLabel('Ids of decisions').inputValue()).toBe(traceId);
  expect(faults).toEqual([]);
  await close();
});
