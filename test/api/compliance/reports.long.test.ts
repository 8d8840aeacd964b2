// Reports as PDF, now and by schedule: what they hold, who gets them by mail, and that each period has one.
// @module-tag long
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { changeMembership, createMember, listAuditEntries } from '../../setup/harness.ts';
import { extractPdfText } from '../../setup/pdf-text.ts';
import { assertOk, createWorkspaceKey } from '../../setup/personas.ts';
import { holdMail, startMailServer } from '../../setup/providers/mail-server.ts';
import { MovedClock } from '../../setup/second-factor.ts';
import { toOutcome } from '../../setup/start-app.ts';
import { sendDueReports } from '../../../src/governance/compliance/reports/schedule.service.ts';

const path = '/api/v1/compliance';
const DAY = 86_400_000;
const clock = new MovedClock();
const mailServer = useFixture(startMailServer, (started) => started.close());
const harness = useHarness(
  () => ({ SMTP_URL: mailServer.url, ASSAY_PUBLIC_URL: 'https://assay.example' }),
  { clock },
);
const { app } = harness;
const ada = useOwner(harness);
const bob = useOwner(harness, 'Bob');
let deliver: () => Promise<number>;
beforeAll(async () => {
  ({ deliver } = await holdMail(harness));
});
beforeEach(() => {
  mailServer.received.length = 0;
});

const call = (method: string, below: string, body?: object, { token } = ada) =>
  app.call(method, path + below, { token, ...(body && { body }) });
const read = async (below: string, owner = ada) =>
  assertOk(await call('GET', below, undefined, owner)).body.data;
const schedule = (body: object, owner = ada) =>
  call('PUT', '/report-schedule', { framework: 'eu-ai-act', every: 'week', ...body }, owner);
const download = async (id: string, { token } = ada) => {
  const answer = await fetch(`${app.url}${path}/reports/${id}/pdf`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, pdf: Buffer.from(await answer.arrayBuffer()) };
};
const sendDue = () => sendDueReports(app.instance.platform);

test('a report has every clause, what was measured with its source, and what people attest', async () => {
  const body = { framework: 'eu-ai-act', clauseId: 'Art.14', status: 'partial' };
  assertOk(await call('PATCH', '/mapping', body));
  const made = assertOk(await call('POST', '/reports', { framework: 'eu-ai-act' })).body.data;
  expect(made).toMatchObject({ framework: 'eu-ai-act', createdBy: ada.userId });
  expect(made.shown + made.notShown + made.cannotTell).toBe(22);
  expect(made).not.toHaveProperty('pdf');
  const { status, pdf } = await download(made.id);
  expect([status, pdf.subarray(0, 5).toString()]).toEqual([200, '%PDF-']);
  // Long words are broken where a cell ends.
  const text = extractPdfText(pdf).replaceAll(' ', '');
  const { measures, clauses } = await read('/proofs?framework=eu-ai-act');
  for (const { clauseId } of clauses) expect(text).toContain(clauseId);
  for (const { source } of measures) expect(text).toContain(`GET/api/v1${source}`);
  expect(text).toContain('Bypeoplealone');
  expect(text).toContain(`partial,${ada.email}`);
  expect((await read('/reports')).map((one: { id: string }) => one.id)).toEqual([made.id]);
  expect((await download(made.id, bob)).status).toBe(404);
  const [audited] = await listAuditEntries(app, ada, 'action=compliance.report.create');
  expect(audited).toMatchObject({ resourceId: made.id, metadata: { framework: 'eu-ai-act' } });
});

test('a schedule names members who may read, and is in the audit log', async () => {
  expect(await read('/report-schedule')).toMatchObject({ every: 'never', nextAt: null });
  const auditor = await createMember(harness, ada, 'auditor');
  for (const recipients of [[], [bob.userId], [auditor.userId], [ada.userId, bob.userId]])
    expect(toOutcome(await schedule({ recipients }))).toEqual([400, 'VALIDATION_ERROR']);
  expect(toOutcome(await schedule({ every: 'day', recipients: [ada.userId] }))).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  const viewer = await createMember(harness, ada, 'viewer');
  expect(toOutcome(await schedule({ recipients: [ada.userId] }, viewer))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  const set = assertOk(await schedule({ recipients: [ada.userId] })).body.data;
  expect(new Date(set.nextAt).getUTCDay()).toBe(1);
  expect(await read('/report-schedule')).toEqual(set);
  expect(await read('/report-schedule', bob)).toMatchObject({ every: 'never' });
  const [audited] = await listAuditEntries(app, ada, 'action=compliance.report-schedule.updated');
  expect(audited).toMatchObject({ metadata: { every: 'week', recipients: 1 } });
  const { key } = await createWorkspaceKey(app, ada);
  const byKey = await app.call('GET', `${path}/report-schedule`, { key });
  expect(toOutcome(byKey)).toEqual([403, 'FORBIDDEN']);
});

test('each period has one report, however many instances ask and however long none did', async () => {
  const viewer = await createMember(harness, ada, 'viewer');
  const gone = await createMember(harness, ada, 'member');
  const recipients = [ada.userId, viewer.userId, gone.userId];
  assertOk(await schedule({ recipients }));
  const before = (await read('/reports')).length;
  await sendDue();
  expect(await read('/reports')).toHaveLength(before);
  clock.aheadMs += 15 * DAY;
  await changeMembership(harness, gone, { isActive: false });
  await Promise.all([sendDue(), sendDue()]);
  await sendDue();
  const { nextAt, lastAt } = (await harness.db
    .collection('compliance_report_schedules')
    .findOne()) as unknown as Record<string, Date>;
  expect(nextAt?.getTime()).toBeGreaterThan(clock.now().getTime());
  expect(clock.now().getTime() - (lastAt?.getTime() ?? 0)).toBeLessThan(120_000);
  await deliver();
  expect(
    mailServer.received
      .map((mail) => mail.recipients)
      .flat()
      .sort(),
  ).toEqual([ada.email, viewer.email].sort());
  const mail = mailServer.findNewest(viewer.email);
  expect(mail.subject).toContain('Compliance report');
  expect(mail.text).toContain('https://assay.example/console/compliance?framework=eu-ai-act');
  const [attached] = mail.attachments;
  expect(attached).toMatchObject({ mimeType: 'application/pdf' });
  const bytes = Buffer.from(attached?.content as ArrayBuffer);
  expect(extractPdfText(bytes)).toContain('Art.14');
  await deliver();
  expect(mailServer.received).toHaveLength(2);
});

test('a report that fails is tried again a quarter of an hour later', async () => {
  clock.aheadMs = 0;
  assertOk(await schedule({ recipients: [ada.userId] }));
  clock.aheadMs = 60 * DAY;
  const { pdf } = app.instance.platform;
  const render = vi.spyOn(pdf, 'render').mockRejectedValue(new Error('no thread'));
  await sendDue();
  await sendDue();
  expect(render).toHaveBeenCalledTimes(1);
  render.mockRestore();
  clock.aheadMs += 16 * 60_000;
  await sendDue();
  await deliver();
  expect(mailServer.received.flatMap((mail) => mail.recipients)).toEqual([ada.email]);
});

test('a schedule that is off sends nothing', async () => {
  clock.aheadMs = 0;
  assertOk(await schedule({ every: 'never', recipients: [] }));
  clock.aheadMs = 120 * DAY;
  await sendDue();
  await deliver();
  expect(mailServer.received).toEqual([]);
});
