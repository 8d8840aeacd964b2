// The console's session: a cookie that no script reads, taken from pages of this service alone.
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createWorkspaceKey } from '../../setup/personas.ts';
import { toOutcome, type Call } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

const useOwnHeaders = (): Record<string, string> => ({
  'x-assay-console': '1',
  'sec-fetch-site': 'same-origin',
  origin: app.url,
});

async function keepSession(token: string): Promise<string> {
  const answer = await app.call('POST', '/console/session', { token });
  expect(answer.status).toBe(200);
  return /^[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '';
}

/** Calls with the cookie, and the headers that the console sends; undefined takes one away. */
async function callByCookie(
  method: string,
  path: string,
  {
    headers = {},
    ...more
  }: Omit<Call, 'headers'> & { headers?: Record<string, string | undefined> } = {},
) {
  const cookie = await keepSession(ada.token);
  const sent = Object.entries({ ...useOwnHeaders(), cookie, ...headers });
  return app.call(method, path, {
    ...more,
    headers: Object.fromEntries(
      sent.filter((pair): pair is [string, string] => pair[1] !== undefined),
    ),
  });
}

test('the token becomes a cookie for the API alone, of this site, out of reach of scripts', async () => {
  const answer = await app.call('POST', '/console/session', { token: ada.token });
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(cookie).toContain(`assay_session=${ada.token}`);
  expect(cookie).toMatch(/; Path=\/api;/);
  expect(cookie).toContain('HttpOnly');
  expect(cookie).toContain('SameSite=Strict');
  expect(cookie).not.toContain('Secure');
  expect(Number(/Max-Age=(\d+)/.exec(cookie)?.[1])).toBeGreaterThan(60);
  expect(answer.body.data.token).toBeUndefined();
});

test('it takes a valid session token and nothing else', async () => {
  const { key } = await createWorkspaceKey(app, ada);
  expect(toOutcome(await app.call('POST', '/console/session'))).toEqual([401, 'NO_TOKEN']);
  expect(toOutcome(await app.call('POST', '/console/session', { token: 'x.y.z' }))).toEqual([
    401,
    'TOKEN_VERIFICATION_FAILED',
  ]);
  expect(toOutcome(await app.call('POST', '/console/session', { key }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
});

test('no page of another site may have a cookie set', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' };
  const answer = await app.call('POST', '/console/session', { token: ada.token, headers });
  expect(toOutcome(answer)).toEqual([403, 'FORBIDDEN']);
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test('the console reads and writes by the cookie', async () => {
  const read = await callByCookie('GET', '/api/v1/auth/me', { headers: { origin: undefined } });
  expect(read.body.data.user.email).toBe(ada.email);
  const body = { name: 'by cookie' };
  expect((await callByCookie('POST', '/api/v1/agents', { body })).status).toBe(201);
});

test.each([
  ['without the header of the console', { 'x-assay-console': undefined }, [401, 'NO_TOKEN']],
  ['with another value in it', { 'x-assay-console': 'true' }, [401, 'NO_TOKEN']],
  ['from another site', { 'sec-fetch-site': 'cross-site' }, [403, 'FORBIDDEN']],
  ['from another host of the site', { 'sec-fetch-site': 'same-site' }, [403, 'FORBIDDEN']],
  ['from the address bar', { 'sec-fetch-site': 'none' }, [403, 'FORBIDDEN']],
  ['with a foreign origin', { origin: 'https://evil.example' }, [403, 'FORBIDDEN']],
  ['with an opaque origin', { origin: 'null' }, [403, 'FORBIDDEN']],
  ['with the origin of another port', { origin: 'http://127.0.0.1:1' }, [403, 'FORBIDDEN']],
  ['without an origin', { origin: undefined }, [403, 'FORBIDDEN']],
  ['with an empty cookie', { cookie: 'assay_session=' }, [401, 'NO_TOKEN']],
  ['with a forged cookie', { cookie: 'assay_session=a.b.c' }, [401, 'TOKEN_VERIFICATION_FAILED']],
  ['beside another credential', { authorization: 'Basic eDp5' }, [401, 'NO_TOKEN']],
])('a write %s is refused', async (_, headers, outcome) => {
  const before = (await app.call('GET', '/api/v1/agents', { token: ada.token })).body.total;
  const answer = await callByCookie('POST', '/api/v1/agents', {
    headers,
    body: { name: 'forged' },
  });
  expect(toOutcome(answer)).toEqual(outcome);
  expect((await app.call('GET', '/api/v1/agents', { token: ada.token })).body.total).toBe(before);
});

test('a form of another site, which no preflight stops, changes nothing', async () => {
  const cookie = await keepSession(ada.token);
  const answer = await app.call('POST', '/api/v1/auth/logout', {
    raw: 'name=forged',
    headers: {
      cookie,
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'content-type': 'text/plain',
    },
  });
  expect(toOutcome(answer)).toEqual([401, 'NO_TOKEN']);
  expect((await app.call('GET', '/api/v1/auth/me', { token: ada.token })).status).toBe(200);
});

test('a preflight of another origin gets no permission', async () => {
  const answer = await app.call('OPTIONS', '/api/v1/agents', {
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-assay-console',
    },
  });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('agents and directories are not served by the cookie', async () => {
  const decision = { agentId: 'a', inputContext: { prompt: 'p' }, outputDecision: { action: 'a' } };
  expect(toOutcome(await callByCookie('POST', '/api/v1/traces', { body: decision }))).toEqual([
    401,
    'NO_API_KEY',
  ]);
  expect((await callByCookie('GET', '/scim/v2/Users')).status).toBe(401);
});

test('logging out ends the session and clears the cookie', async () => {
  const answer = await callByCookie('POST', '/api/v1/auth/logout');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('set-cookie')).toMatch(
    /^assay_session=; Path=\/api; Expires=Thu, 01 Jan 1970/,
  );
  expect((await app.call('GET', '/api/v1/auth/me', { token: ada.token })).status).toBe(401);
});
