// The unversioned addresses (document 1, section 9): the same answers with the notice of their end, and 410 after it.
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createAgent, buildDecision, assertOk, createWorkspaceKey } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

let today = '2026-11-01T00:00:00.000Z';
/** Time passes within a day, so that lists have an order. */
let tick = 0;
const clock = { now: () => new Date(new Date(today).getTime() + (tick += 1)) };
const harness = useHarness({}, { clock });
const { app } = harness;
const ada = useOwner(harness);

const NOTICE = {
  deprecation: 'true',
  sunset: '2027-04-12',
  link: '</docs#migration>; rel="deprecation"',
};
const readNotice = ({ headers }: Answer): object =>
  Object.fromEntries(Object.keys(NOTICE).map((name) => [name, headers.get(name)]));
const NONE = { deprecation: null, sunset: null, link: null };

test('an unversioned address answers like the versioned one, with the notice', async () => {
  const { token } = ada;
  assertOk(await app.call('POST', '/api/workspaces', { token, body: { name: 'Legacy' } }));
  for (const path of [
    '/workspaces',
    '/auth/me',
    '/policies/templates',
    '/agents?limit=1',
    '/agents/unknown',
    '/nothing',
  ]) {
    const [versioned, legacy] = [
      await app.call('GET', `/api/v1${path}`, { token }),
      await app.call('GET', `/api${path}`, { token }),
    ];
    expect([legacy.status, legacy.text], path).toEqual([versioned.status, versioned.text]);
    expect(readNotice(versioned), path).toEqual(NONE);
    expect(readNotice(legacy), path).toEqual(NOTICE);
    expect(legacy.headers.get('x-service-api-version')).toBe('v1');
  }
});

test('a decision is ingested at the unversioned address', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  const bot = await createAgent(app, ada);
  const answer = await app.call('POST', '/api/traces', { key, body: buildDecision(bot.id) });
  expect([answer.status, readNotice(answer)]).toEqual([201, NOTICE]);
});

test('failures carry the notice too', async () => {
  for (const answer of [
    await app.call('GET', '/api/policies'),
    await app.call('PUT', '/api/policies', { token: ada.token }),
    await app.call('POST', '/api/workspaces', { token: ada.token, raw: '{' }),
  ])
    expect(readNotice(answer), String(answer.status)).toEqual(NOTICE);
});

test('the guide that the notice links to is there', async () => {
  const { status, text } = await app.call('GET', '/docs');
  expect([status, text.includes('id="migration"')]).toEqual([200, true]);
});

test('other addresses are not taken for unversioned ones', async () => {
  for (const path of [
    '/api',
    '/api/v1',
    '/api/v1?x=1',
    '/api/v2/policies',
    '/api/payment/webhook',
    '/apix/policies',
  ])
    expect(readNotice(await app.call('GET', path)), path).toEqual(NONE);
});

test('the last day is served, the day after is not', async () => {
  today = '2026-11-01T00:00:00.000Z';
  expect((await app.call('GET', '/api/policies')).body.code).toBe('NO_TOKEN');
  today = '2027-04-12T23:59:00.000Z';
  expect((await app.call('GET', '/api/policies')).body.code).toBe('NO_TOKEN');
  today = '2027-04-13T00:00:00.000Z';
  for (const path of ['/api/policies', '/api/nothing', '/api/auth/login']) {
    const gone = await app.call('POST', path, { body: {} });
    expect([gone.status, gone.body.code, gone.body.success], path).toEqual([
      410,
      'VERSION_SUNSET',
      false,
    ]);
    expect(readNotice(gone)).toEqual(NOTICE);
  }
  expect((await app.call('GET', '/api/v1/policies')).body.code).toBe('NO_TOKEN');
});
