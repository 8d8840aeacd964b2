// The calendar of deadlines: open reports, by session or by a feed token that its member can revoke.
import { beforeAll, expect, test } from 'vitest';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries, changeMembership, createMember } from '../../setup/harness.ts';
import { createWorkspaceKey, assertOk, type Owner } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/incidents';
const harness = useOwnHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');
let bob: Owner;
beforeAll(async () => {
  bob = await createMember(harness, ada, 'viewer');
});

const calendar = (query = '', call = {}): Promise<Answer> =>
  app.call('GET', `${path}/calendar.ics${query}`, call);
const mint = async ({ token } = bob): Promise<{ token: string; url: string }> =>
  assertOk(await app.call('POST', `${path}/calendar/token`, { token })).body.data;
const open = async (body: object): Promise<Answer['body']> =>
  assertOk(await app.call('POST', path, { token: ada.token, body: { title: 'Leak', ...body } }))
    .body.data;
const events = ({ text }: Answer): Record<string, string>[] =>
  text
    .replaceAll(/\r\n[ \t]/g, '')
    .split('BEGIN:VEVENT\r\n')
    .slice(1)
    .map((block) =>
      Object.fromEntries(block.split('\r\n').map((line) => line.split(/:(.*)/s).slice(0, 2))),
    );

test('every open report is an event at its deadline, and a completed one is none', async () => {
  const detectedAt = '2026-10-25T02:30:00+02:00';
  const title = 'Leak, of prompts';
  const regulators = [{ code: 'gdpr' }, { code: 'nis2' }];
  const { id, updatedAt } = await open({ title, detectedAt, regulators, externalRef: 'OPS-7' });
  const shown = assertOk(await calendar('', { token: bob.token }));
  expect(shown.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  expect(events(shown).map((event) => [event.UID, event.DTSTART, event.SUMMARY])).toEqual([
    [`${id}-cp-1@assay`, '20261026T003000Z', 'NIS2 early report due: Leak\\, of prompts'],
    [`${id}-cp-0@assay`, '20261028T003000Z', 'GDPR final report due: Leak\\, of prompts'],
    [`${id}-cp-2@assay`, '20261028T003000Z', 'NIS2 intermediate report due: Leak\\, of prompts'],
    [`${id}-cp-3@assay`, '20261124T003000Z', 'NIS2 final report due: Leak\\, of prompts'],
  ]);
  expect(events(shown)[0]).toMatchObject({
    DTSTAMP: `${(updatedAt as string).slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
    DESCRIPTION: `Incident ${id} (medium\\, open)\\nNIS2 Art. 23: early report\\nOPS-7`,
  });
  const complete = `${path}/${id}/checkpoints/cp-1/complete`;
  assertOk(await app.call('POST', complete, { token: ada.token, body: {} }));
  const left = events(await calendar('', { token: bob.token }));
  expect(left.map(({ UID }) => UID)).toEqual(
    ['cp-0', 'cp-2', 'cp-3'].map((cp) => `${id}-${cp}@assay`),
  );
  const empty = await calendar('', { token: eve.token });
  expect(events(empty)).toEqual([]);
  expect(empty.text.match(/^BEGIN:\w+/gm)).toEqual([
    'BEGIN:VCALENDAR',
    'BEGIN:VTIMEZONE',
    'BEGIN:STANDARD',
  ]);
});

test('a feed token opens the calendar and nothing else', async () => {
  const { token, url } = await mint();
  expect(url).toBe(`http://127.0.0.1:0${path}/calendar.ics?token=${token}`);
  const shown = assertOk(await calendar(`?token=${token}`));
  expect(shown.text).toBe((await calendar('', { token: ada.token })).text);
  expect(toOutcome(await app.call('GET', path, { token }))).toEqual([
    401,
    'TOKEN_VERIFICATION_FAILED',
  ]);
  expect(toOutcome(await app.call('GET', `${path}?token=${token}`))).toEqual([401, 'NO_TOKEN']);
  expect((await harness.db.collection('calendar_feeds').findOne())?.tokenHash).not.toContain(token);
});

test('a feed token is void when minted again, revoked, or its member has left', async () => {
  const first = await mint();
  const second = await mint();
  const refused = [401, 'TOKEN_REVOKED'];
  expect(toOutcome(await calendar(`?token=${first.token}`))).toEqual(refused);
  assertOk(await calendar(`?token=${second.token}`));
  const revoke = (): Promise<Answer> =>
    app.call('DELETE', `${path}/calendar/token`, { token: bob.token });
  expect(assertOk(await revoke()).body.data).toEqual({ revoked: true });
  expect(assertOk(await revoke()).body.data).toEqual({ revoked: false });
  expect(toOutcome(await calendar(`?token=${second.token}`))).toEqual(refused);
  for (const token of ['cal_', `cal_${'0'.repeat(48)}`, bob.token.slice(0, 90)])
    expect(toOutcome(await calendar(`?token=${token}`))).toEqual(refused);
  expect(toOutcome(await calendar('?token='))).toEqual([401, 'NO_TOKEN']);
  expect(toOutcome(await calendar('?token=a&token=b'))).toEqual([401, 'NO_TOKEN']);

  const third = await mint();
  await changeMembership(harness, bob, { isActive: false, deactivatedBy: 'team' });
  expect(toOutcome(await calendar(`?token=${third.token}`))).toEqual([401, 'ACCOUNT_DEACTIVATED']);
  await changeMembership(harness, bob, { isActive: true, deactivatedBy: null, role: 'auditor' });
  expect(toOutcome(await calendar(`?token=${third.token}`))).toEqual([403, 'FORBIDDEN']);
  await changeMembership(harness, bob, { role: 'viewer', createdAt: new Date(Date.now() + 1000) });
  expect(toOutcome(await calendar(`?token=${third.token}`))).toEqual(refused);
  const entries = await listAuditEntries(app, ada, 'resource=calendar_feed');
  expect(entries.filter(({ action }) => action === 'incident.calendar_token_minted')).toHaveLength(
    4,
  );
});

test('keys have no calendar', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  expect(toOutcome(await calendar('', { key }))).toEqual([403, 'FORBIDDEN']);
  expect(toOutcome(await calendar())).toEqual([401, 'NO_TOKEN']);
});
