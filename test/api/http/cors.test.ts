// Browsers (docs/internals/decisions/requests.md, CORS): an allow-list of origins, and the headers a script may read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Answer, type TestApp } from '../../setup/start-app.ts';

const GOOD = 'https://console.example.com';
let app: TestApp;
let closed: TestApp;
beforeAll(async () => {
  app = await startApp({ ASSAY_CORS_ORIGINS: `${GOOD}, https://other.example.com` });
  closed = await startApp();
});
afterAll(() => Promise.all([app.stop(), closed.stop()]));

const getHealth = (on: TestApp, origin: string): Promise<Answer> =>
  on.call('GET', '/api/v1/policies', { headers: { origin } });
const sendPreflight = (on: TestApp, origin: string): Promise<Answer> =>
  on.call('OPTIONS', '/api/v1/traces', {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key,content-type',
    },
  });

test('an origin on the list is allowed, with the headers it needs to behave', async () => {
  const { headers } = await getHealth(app, GOOD);
  expect(headers.get('access-control-allow-origin')).toBe(GOOD);
  expect(headers.get('access-control-allow-credentials')).toBe('true');
  expect(headers.get('vary')).toContain('Origin');
  const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(',');
  expect(exposed).toEqual(
    expect.arrayContaining([
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      'retry-after',
      'deprecation',
      'sunset',
      'link',
      'x-request-id',
      'x-service-api-version',
      'idempotency-replayed',
    ]),
  );
});

test('its preflight is answered', async () => {
  const { status, headers } = await sendPreflight(app, GOOD);
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-origin')).toBe(GOOD);
  expect(headers.get('access-control-allow-methods')).toContain('POST');
  expect(headers.get('access-control-allow-headers')).toBe('x-api-key,content-type');
  expect(headers.get('access-control-max-age')).toBe('600');
});

test.each([
  'https://evil.example.com',
  'http://console.example.com',
  `${GOOD}.evil.com`,
  `${GOOD}:8443`,
  'https://example.com',
  'null',
  '*',
])('the origin %s is not allowed', async (origin) => {
  for (const answer of [
    await getHealth(app, origin),
    await sendPreflight(app, origin),
    await getHealth(closed, origin),
  ])
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('without a list no origin is allowed', async () => {
  for (const answer of [await getHealth(closed, GOOD), await sendPreflight(closed, GOOD)])
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

/** Without what differs from one answer to the next. */
const listFixedHeaders = ({ headers }: Answer): [string, string][] =>
  [...headers].filter(([name]) => !/^(x-request-id|date|ratelimit-.*)$/.test(name));

test('an answer to no origin has the headers of one to an origin that is not allowed', async () => {
  for (const on of [app, closed]) {
    const plain = listFixedHeaders(await on.call('GET', '/api/v1/policies'));
    expect(plain).toEqual(listFixedHeaders(await getHealth(on, 'https://evil.example.com')));
    expect(Object.fromEntries(plain)).toMatchObject({
      vary: expect.stringContaining('Origin') as string,
      'access-control-allow-credentials': 'true',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  }
});
