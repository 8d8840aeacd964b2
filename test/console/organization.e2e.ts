// Incidents, compliance and settings: what a compliance officer and an owner do, in a browser.
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { useFixture, useHarness } from '../setup/fixtures.ts';
import { createMember, toObjectId } from '../setup/harness.ts';
import { assertOk, createOwner, type Owner, PASSWORD } from '../setup/personas.ts';
import { Authenticator, MovedClock } from '../setup/second-factor.ts';
import { useChromium } from './setup/chromium.ts';
import { createShop } from './setup/shop.ts';
import { openConsole } from './setup/visit.ts';

const clock = new MovedClock();
const harness = useHarness({}, { consoleFolder: resolve('dist/console'), clock });
const { app } = harness;
const ada: Owner = useFixture(() => createOwner(app, 'Ada'));
const chromium = useChromium();

const read = async (path: string, token = ada.token) =>
  assertOk(await app.call('GET', path, { token })).body.data;

async function openPage(path: string, token: string = ada.token) {
  const visit = await openConsole(chromium.browser, app, { token });
  await visit.page.goto(path);
  return visit;
}

test('an incident is opened, its first report completed, and the deadline moves on', async () => {
  const { page, faults, close } = await openPage('/console/incidents');
  await page.getByRole('button', { name: 'Open an incident' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('A leak');
  await dialog.getByLabel('NIS 2').check();
  await dialog.getByLabel('GDPR').check();
  await dialog.getByRole('button', { name: 'Open it' }).click();
  await page.waitForURL(/incidents\/[0-9a-f]{24}$/);
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  const id = page.url().split('/').at(-1);
  const before = await read(`/api/v1/incidents/${id}`);
  const first = page.getByRole('table', { name: 'Checkpoints of NIS 2' });
  await first
    .getByRole('button', { name: /^Complete/ })
    .first()
    .click();
  await page.getByLabel('What was done').fill('Early warning sent');
  await page.getByRole('button', { name: 'Complete it' }).click();
  await first.getByText('Early warning sent').waitFor();
  const after = await read(`/api/v1/incidents/${id}`);
  expect(Date.parse(after.nextCheckpointAt)).toBeGreaterThan(Date.parse(before.nextCheckpointAt));
  await page.getByRole('button', { name: 'Close the incident' }).click();
  await page.getByLabel('Root cause').fill('A wrong address');
  await page.getByRole('button', { name: 'Close it' }).click();
  await page.locator('main').getByText('A wrong address').waitFor();
  expect((await read(`/api/v1/incidents/${id}`)).status).toBe('closed');
  expect(faults).toEqual([]);
  await close();
});

test('a clause is attested, an assessment answered, submitted, approved and printed', async () => {
  const { page, faults, close } = await openPage('/console/compliance?framework=eu-ai-act');
  const { measures } = await read('/api/v1/compliance/proofs?framework=eu-ai-act');
  const audited = measures.find((one: { measure: string }) => one.measure === 'audit');
  await page.locator('main').getByText(audited.finding).first().waitFor();
  const proof = page.locator('main').getByRole('link', { name: audited.title }).first();
  expect(await proof.getAttribute('href')).toBe('/console/evidence');
  await page
    .getByRole('button', { name: /^Attest/ })
    .first()
    .click();
  await page.getByRole('dialog').getByLabel('Status').click();
  await page.getByRole('option', { name: 'Covered' }).click();
  await page.getByLabel('Evidence').fill('Policy 12');
  await page.getByRole('dialog').getByRole('button', { name: 'Attest' }).click();
  await page.locator('main').getByText('Policy 12').waitFor();
  const { coverage } = await read('/api/v1/compliance/mapping?framework=eu-ai-act');
  expect(coverage.covered).toBe(1);
  await page.getByRole('button', { name: 'Make a report' }).click();
  await page.getByRole('table', { name: 'Reports' }).getByText('eu-ai-act').waitFor();
  await page.getByRole('combobox', { name: 'Send a report' }).click();
  await page.getByRole('option', { name: 'Every Monday' }).click();
  await page.getByRole('combobox', { name: 'To members' }).click();
  await page.getByRole('option').first().click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The schedule is saved').waitFor();
  expect(await read('/api/v1/compliance/report-schedule')).toMatchObject({
    every: 'week',
    framework: 'eu-ai-act',
  });
  await page.getByRole('link', { name: 'Impact assessments', exact: true }).click();
  await page.getByRole('button', { name: 'Begin an assessment' }).click();
  await page.getByLabel('Name of the system').fill('Refunds');
  await page.getByRole('button', { name: 'Begin', exact: true }).click();
  await page.getByLabel('Purpose').fill('Pays money back');
  // What was written a moment ago is there after a reload, saved or not.
  await page.reload();
  expect(await page.getByLabel('Purpose').inputValue()).toBe('Pays money back');
  const steps = page.getByRole('navigation', { name: 'Steps' });
  await steps.getByRole('link', { name: /^Purpose \(answered\)/ }).waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('heading', { name: 'People affected' }).waitFor();
  await page.waitForURL(/step=affectedPersons/);
  await steps.getByRole('link', { name: 'Risks' }).click();
  await page.getByRole('button', { name: 'Add a risk' }).click();
  await page.getByText('Risks are saved when each has a name.').waitFor();
  await page.getByRole('textbox', { name: 'Risk 1' }).fill('Refused without a reason');
  await steps.getByRole('link', { name: 'Check and submit' }).click();
  await page.getByText('5 questions are open.').waitFor();
  await page.getByText('38 % complete').waitFor();
  for (const name of ['Submit for approval', 'Approve']) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.getByText('Refused without a reason').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as PDF' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.pdf$/);
  expect(faults).toEqual([]);
  await close();
});

test('a question spends the privacy budget, and the usage of the month is shown', async () => {
  const { page, faults, close } = await openPage('/console/compliance/privacy');
  await page.getByLabel('Purpose').fill('monthly-report');
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.getByRole('table', { name: 'Answer' }).waitFor();
  await page.getByRole('table', { name: 'Spent by purpose' }).getByText('monthly-report').waitFor();
  await page.getByRole('img', { name: /^Budget by day: 9\.9 of 10 left/ }).waitFor();
  await page.getByRole('table', { name: 'Spent by day' }).getByText('9.9').waitFor();
  expect((await read('/api/v1/privacy-budget')).epsilonSpent).toBeCloseTo(0.1);
  await page.getByRole('link', { name: 'Usage' }).click();
  await page.getByText('This month', { exact: true }).waitFor();
  await page.getByRole('img', { name: /^Decisions by month/ }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('reviewers and auditors are invited, and an admin is offered no role of an owner', async () => {
  const { page, faults, close } = await openPage('/console/settings/members');
  const invitations = page.getByRole('table', { name: 'Invitations' });
  for (const role of ['Reviewer', 'Auditor']) {
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('E-mail').fill(`${role.toLowerCase()}@example.com`);
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: role }).click();
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    const row = invitations.getByRole('row').filter({ hasText: `${role.toLowerCase()}@` });
    await row.getByText(role, { exact: true }).waitFor();
  }
  expect(faults).toEqual([]);
  await close();
  const admin = await createMember(harness, ada, 'admin');
  const other = await openPage('/console/settings/members', admin.token);
  await other.page.getByRole('button', { name: 'Invite a person' }).click();
  await other.page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click();
  expect(await other.page.getByRole('option').allTextContents()).toEqual([
    'Admin',
    'Reviewer',
    'Member',
    'Viewer',
  ]);
  await other.close();
  const invited = await read('/api/v1/team/invites');
  for (const { _id: id } of invited as { _id: string }[])
    assertOk(await app.call('DELETE', `/api/v1/team/invites/${id}`, { token: ada.token }));
  const person = await app.call('DELETE', `/api/v1/team/members/${admin.userId}`, {
    token: ada.token,
  });
  assertOk(person);
});

test('members: one is invited, one changes role, one is suspended; a viewer changes nothing', async () => {
  const member = await createMember(harness, ada, 'member');
  const { page, faults, close } = await openPage('/console/settings/members');
  await page.getByRole('button', { name: 'Invite a person' }).click();
  await page.getByLabel('E-mail').fill('jo.doe@example.com');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByRole('table', { name: 'Invitations' }).getByText('jo.doe@example.com').waitFor();
  const table = page.getByRole('table', { name: 'Members' });
  await table.getByRole('combobox', { name: /^Role of/ }).click();
  await page.getByRole('option', { name: 'Viewer' }).click();
  await page.getByRole('dialog').getByText('From the next request on: Viewer').waitFor();
  await page.getByRole('button', { name: 'Change the role' }).click();
  await page.getByText('has another role').waitFor();
  await table.getByRole('button', { name: /^Suspend/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await table.getByText('Suspended').waitFor();
  const members: { userId: string; role: string; isActive: boolean }[] =
    await read('/api/v1/team/members');
  expect(members.find(({ userId }) => userId === member.userId)).toMatchObject({
    role: 'viewer',
    isActive: false,
  });
  expect(faults).toEqual([]);
  await close();
  const viewer = await createMember(harness, ada, 'viewer');
  const other = await openPage('/console/settings/members', viewer.token);
  await other.page.getByRole('table', { name: 'Members' }).waitFor();
  expect(await other.page.locator('main').getByRole('button').count()).toBe(0);
  expect(await other.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  await other.close();
});

test('a key is made and revoked, a workspace gets review times, the organisation a name', async () => {
  const { page, faults, close } = await openPage('/console/settings/keys');
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByLabel('Name').fill('tickets');
  await page.getByLabel('Reads only').check();
  await page.getByRole('button', { name: 'Make it' }).click();
  const shown = page.getByRole('group', { name: 'key', exact: true });
  const key = ((await shown.textContent()) ?? '').trim();
  assertOk(await app.call('GET', '/api/v1/agents', { key }));
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('button', { name: 'Revoke tickets' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('tickets is revoked').waitFor();
  expect((await app.call('GET', '/api/v1/agents', { key })).status).toBe(401);
  await page.getByRole('link', { name: 'Workspaces' }).click();
  await page.getByLabel('Critical').fill('2');
  await page.getByLabel('A hold ends after minutes').fill('30');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The workspace is saved').waitFor();
  expect((await read('/api/v1/workspaces'))[0]).toMatchObject({
    reviewSla: { critical: 2 },
    reviewExpiry: { expiresIn: 1800 },
  });
  await page.getByRole('link', { name: 'Organisation', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada and Daughters');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The name is saved').waitFor();
  expect((await read('/api/v1/organization')).name).toBe('Ada and Daughters');
  expect(faults).toEqual([]);
  await close();
});

test('the second factor is switched on by its QR code, and backup codes are made', async () => {
  const mina = await createOwner(app, 'Mina');
  const { page, faults, close } = await openPage('/console/settings/security', mina.token);
  await page.getByRole('button', { name: 'Switch on' }).click();
  await page.getByLabel('Your password').fill(PASSWORD);
  const setup = page.waitForResponse('**/auth/mfa/setup');
  await page.getByRole('button', { name: 'Continue' }).click();
  const { secret } = (await (await setup).json()).data;
  await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
  const authenticator = new Authenticator(clock, secret);
  await page.getByRole('textbox', { name: 'Code' }).fill(authenticator.code());
  await page.getByRole('dialog').getByRole('button', { name: 'Switch on' }).click();
  await page.getByRole('button', { name: 'Make backup codes' }).click();
  await page.getByRole('textbox', { name: 'Code' }).fill(authenticator.generateNextCode());
  await page.getByRole('button', { name: 'Make them' }).click();
  const codes = await page.getByRole('group', { name: 'backup codes' }).textContent();
  expect(codes?.trim().split('\n').length).toBeGreaterThanOrEqual(8);
  expect(faults).toEqual([]);
  await close();
});

test('a notice of a held decision leads to it, and counts as read', async () => {
  const shop = await createShop(app, 0);
  await app.instance.runJobsOnce();
  const { page, faults, close } = await openPage('/console/notifications', shop.token);
  await page.locator('main a[href*="/console/review/"]').click();
  await page.waitForURL(/\/console\/review\/./);
  await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the owner says that what was begun before is theirs, and writes to every member', async () => {
  const owner = await createOwner(app, 'Kept');
  await harness.db
    .collection('organizations')
    .updateOne({ _id: toObjectId(owner.organizationId) }, { $set: { reclaimedAt: new Date() } });
  const { page, faults, close } = await openPage('/console/notifications', owner.token);
  const question = page.getByRole('dialog', { name: 'Is what is here yours?' });
  await question.getByRole('button', { name: 'Keep it' }).click();
  await question.waitFor({ state: 'detached' });
  expect((await read('/api/v1/organization', owner.token)).reclaimedAt).toBeNull();
  await page.getByRole('button', { name: 'Message all members' }).click();
  const dialog = page.getByRole('dialog', { name: 'Message all members' });
  await dialog.getByLabel('Title').fill('Maintenance on Sunday');
  await dialog.getByLabel('Message').fill('No approvals between 8 and 9.');
  await dialog.getByRole('button', { name: 'Send it' }).click();
  await page.getByText('Members notified: 1').waitFor();
  await page.locator('main').getByText('Maintenance on Sunday').waitFor();
  expect(faults).toEqual([]);
  await close();
});
