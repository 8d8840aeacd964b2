// The rate-limit layers (document 1, section 8): who is counted, by what key, and which headers the caller gets.
import { afterEach, expect, test } from 'vitest';
import { mounts } from '../../../../src/routes.ts';
import { listRoutes } from '../../../../src/http/router.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
  PASSWORD,
  type Owner,
} from '../../../setup/personas.ts';
import { listAuditEntries } from '../../../setup/harness.ts';
import { disconnectWhen } from '../../../setup/leaving.ts';
import { startApp, toOutcome, type Answer, type TestApp } from '../../../setup/start-app.ts';

let app: TestApp;
const stopped: TestApp[] = [];
afterEach(async () => {
  const last = app as TestApp | undefined;
  if (!last || stopped.includes(last)) return;
  await last.stop();
  stopped.push(last);
});

const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
const readLimitHeaders = ({ headers }: Answer): (string | null)[] =>
  ['ratelimit-limit', 'ratelimit-remaining'].map((name) => headers.get(name));

/** A 429 with everything it must say. */
function assertLimited(
  { status, body, headers }: Answer,
  limit: number,
  windowSeconds: number,
): void {
  expect([status, body.success, body.code]).toEqual([429, false, 'RATE_LIMIT_EXCEEDED']);
  expect(body.data).toEqual({ limit, windowSeconds });
  expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([
    String(limit),
    '0',
  ]);
  for (const name of ['ratelimit-reset', 'retry-after']) {
    expect(Number(headers.get(name)), name).toBeGreaterThan(0);
    expect(Number(headers.get(name)), name).toBeLessThanOrEqual(windowSeconds);
  }
}

test('every route of the interface counts the client address, before credentials are looked at; others do not', async () => {
  app = await startApp({ ASSAY_LIMIT_IP: '3' });
  const counted = [];
  for (const path of ['/api/v1/policies', '/api/v1/traces', '/api/policies']) {
    const answer = await app.call('GET', path, { headers: { authorization: 'Bearer no' } });
    expect(answer.status).toBe(401);
    counted.push(readLimitHeaders(answer));
  }
  expect(counted).toEqual([
    ['3', '2'],
    ['3', '1'],
    ['3', '0'],
  ]);
  assertLimited(await app.call('GET', '/api/v1/policies'), 3, 900);
  // An unversioned address counts with the versioned one.
  assertLimited(await app.call('GET', '/api/policies'), 3, 900);
  for (const path of ['/health', '/ready', '/docs', '/openapi.json'])
    expect((await app.call('GET', path)).status, path).toBe(200);
});

test('addresses of the family auth have a limit of their own', async () => {
  app = await startApp({ ASSAY_LIMIT_AUTH: '3' });
  const ada = await createOwner(app);
  const sessions = () => app.call('GET', '/api/v1/auth/sessions', { token: ada.token });
  expect(readLimitHeaders(await sessions())).toEqual(['3', '1']);
  await app.call('GET', '/api/v1/auth/keys', { token: ada.token });
  assertLimited(await sessions(), 3, 900);
  assertLimited(await app.call('POST', '/api/auth/login', { body: {} }), 3, 900);
  expect((await app.call('GET', '/api/v1/policies', { token: ada.token })).status).toBe(200);
});

test('people behind one address sign on elsewhere, and see who they are, without spending that limit', async () => {
  app = await startApp({ ASSAY_LIMIT_AUTH: '1', ASSAY_LIMIT_SIGN_ON: '40' });
  const ada = await createOwner(app);
  assertLimited(await app.call('POST', '/api/auth/login', { body: {} }), 1, 900);
  for (let i = 0; i < 5; i++)
    expect((await app.call('GET', '/api/v1/auth/me', { token: ada.token })).status).toBe(200);
  const returnFromLogin = (name: string): Promise<Answer> =>
    app.call('GET', `/api/v1/auth/sso/callback?state=${name.padEnd(43, '-')}`);
  // One login that comes back again and again is stopped, and no other.
  for (let i = 0; i < 30; i++) expect((await returnFromLogin('same')).status).toBe(302);
  assertLimited(await returnFromLogin('same'), 30, 900);
  for (let i = 0; i < 8; i++) expect((await returnFromLogin(`other-${i}`)).status).toBe(302);
  expect((await app.call('GET', '/api/v1/auth/oauth-token')).body.code).toBe('NO_TOKEN');
  assertLimited(await app.call('GET', '/api/v1/auth/oauth-token'), 40, 900);
});

test('every route below /api/v1/auth declares one of the two', () => {
  const without = listRoutes(mounts).filter(
    ({ path, route: { limits = [] } }) =>
      path.startsWith('/api/v1/auth/') &&
      !limits.some(({ name }) => name === 'auth' || name === 'signOn'),
  );
  // Asked by every page, with a session, and by every process of an agent, with a key.
  expect(without.map(({ path, route }) => `${route.method} ${path}`)).toEqual([
    'get /api/v1/auth/me',
    // With a session, and nothing to guess.
    'get /api/v1/auth/credentials',
    'get /api/v1/auth/credentials/waiting',
    'patch /api/v1/auth/credentials/:id',
    'delete /api/v1/auth/credentials/:id',
    // Asked every few seconds by a device; its code says how often.
    'post /api/v1/auth/device/token',
    'get /api/v1/auth/key',
    // Asked every ten minutes by each workload; many share an address, and there is nothing to guess.
    'post /api/v1/auth/token',
  ]);
});

test('a user is counted over all sessions and addresses, and apart from other users', async () => {
  app = await startApp({ ASSAY_LIMIT_USER: '3', ASSAY_TRUST_PROXY: 'loopback' });
  const [ada, eve] = [await createOwner(app), await createOwner(app, 'Eve')];
  const list = (token: string, address: string): Promise<Answer> =>
    app.call('GET', '/api/v1/policies', { token, headers: from(address) });
  expect(readLimitHeaders(await list(ada.token, '192.0.2.1'))).toEqual(['3', '2']);
  const here = { token: ada.token, body: { organizationId: ada.organizationId } };
  const { token: fresh } = assertOk(await app.call('POST', '/api/v1/auth/switch-org', here)).body
    .data;
  expect(readLimitHeaders(await list(fresh, '192.0.2.2'))).toEqual(['3', '0']);
  assertLimited(await list(ada.token, '192.0.2.3'), 3, 900);
  assertLimited(await list(fresh, '192.0.2.4'), 3, 900);
  expect((await list(eve.token, '192.0.2.3')).status).toBe(200);
});

test('a read that waits is counted by its key, and any other by its address', async () => {
  app = await startApp({ ASSAY_LIMIT_IP: '50', ASSAY_LIMIT_FOLLOW_UP: '20' });
  const { key } = await createWorkspaceKey(app, await createOwner(app));
  const posted = await app.call('POST', '/api/v1/traces', { key, body: buildDecision('agent') });
  const { traceId } = assertOk(posted).body.data;
  const readLimits = async (query: string, by: object = { key }) =>
    readLimitHeaders(await app.call('GET', `/api/v1/traces/${traceId}${query}`, by));
  const [limit, before] = await readLimits('');
  expect(limit).toBe('50');
  expect(await readLimits('?wait=1')).toEqual(['20', '19']);
  expect(await readLimits('?wait=1')).toEqual(['20', '18']);
  expect(await readLimits('')).toEqual(['50', String(Number(before) - 1)]);
  expect(await readLimits('?wait=1', {})).toEqual(['50', String(Number(before) - 2)]);
});

test('an agent key is counted by its agent; null, zero and negative switch that off', async () => {
  app = await startApp();
  const ada = await createOwner(app);
  const [bot, free] = [await createAgent(app, ada), await createAgent(app, ada)];
  const { key } = await createWorkspaceKey(app, ada);
  const setLimit = (id: string, maxRequestsPerMinute: number | null): Promise<Answer> =>
    app.call('PATCH', `/api/v1/agents/${id}/policies`, {
      token: ada.token,
      body: { maxRequestsPerMinute },
    });
  const post = (apiKey: string, agentId: string): Promise<Answer> =>
    app.call('POST', '/api/v1/traces', { key: apiKey, body: buildDecision(agentId) });
  assertOk(await setLimit(bot.id, 2));
  expect(readLimitHeaders(await post(bot.key, bot.id))).toEqual(['2', '1']);
  expect((await post(bot.key, bot.id)).status).toBe(201);
  assertLimited(await post(bot.key, bot.id), 2, 60);
  // The limit is that of agent keys.
  expect((await post(key, bot.id)).status).toBe(201);
  for (const none of [null, -1, 0]) {
    assertOk(await setLimit(free.id, none));
    for (let i = 0; i < 3; i++) expect((await post(free.key, free.id)).status).toBe(201);
  }
});

test('the headers show the tightest layer', async () => {
  app = await startApp({ ASSAY_LIMIT_IP: '50', ASSAY_LIMIT_USER: '10', ASSAY_LIMIT_AUTH: '20' });
  const { token } = await createOwner(app);
  expect(readLimitHeaders(await app.call('GET', '/api/v1/policies', { token }))).toEqual([
    '10',
    '9',
  ]);
  expect(readLimitHeaders(await app.call('GET', '/api/v1/auth/me', { token }))).toEqual([
    '10',
    '8',
  ]);
  expect(readLimitHeaders(await app.call('POST', '/api/v1/auth/login', { body: {} }))).toEqual([
    '20',
    '18',
  ]);
});

test('X-Forwarded-For is believed from a configured proxy', async () => {
  app = await startApp({ ASSAY_LIMIT_IP: '2', ASSAY_TRUST_PROXY: '127.0.0.0/8, ::1' });
  const get = (address: string): Promise<Answer> =>
    app.call('GET', '/api/v1/policies', { headers: from(address) });
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2'])
    expect((await get(address)).status).toBe(401);
  assertLimited(await get('192.0.2.1'), 2, 900);
  // What the client itself put in front of the proxy's entry is not believed.
  assertLimited(await get('198.51.100.7, 192.0.2.1'), 2, 900);
  expect((await get('192.0.2.2')).status).toBe(401);
});

test('X-Forwarded-For of any other client is ignored', async () => {
  app = await startApp({ ASSAY_LIMIT_IP: '2', ASSAY_TRUST_PROXY: '10.0.0.0/8' });
  const get = (address: string): Promise<Answer> =>
    app.call('GET', '/api/v1/policies', { headers: from(address) });
  for (const address of ['192.0.2.1', '192.0.2.2']) expect((await get(address)).status).toBe(401);
  assertLimited(await get('192.0.2.3'), 2, 900);
});

test('an IPv6 caller is counted by the subnet, an embedded IPv4 address by itself', async () => {
  app = await startApp({ ASSAY_LIMIT_IP: '2', ASSAY_TRUST_PROXY: 'loopback' });
  const get = (address: string): Promise<Answer> =>
    app.call('GET', '/api/v1/policies', { headers: from(address) });
  for (const address of ['2001:db8:1:200::1', '2001:db8:1:2ff:ffff::9'])
    expect((await get(address)).status).toBe(401);
  assertLimited(await get('2001:DB8:1:201::2'), 2, 900);
  expect((await get('2001:db8:1:300::1')).status).toBe(401);
  for (const address of ['::ffff:192.0.2.1', '::ffff:192.0.2.2', '::ffff:192.0.2.3', '192.0.2.1'])
    expect((await get(address)).status, address).toBe(401);
  assertLimited(await get('::ffff:c000:201'), 2, 900);
});

test('the onboarding of agents has a limit of its own for every user', async () => {
  app = await startApp({ ASSAY_LIMIT_ONBOARDING: '2' });
  const [ada, eve] = [await createOwner(app), await createOwner(app, 'Eve')];
  const draft = ({ token }: Owner): Promise<Answer> =>
    app.call('GET', '/api/v1/agents/onboarding/draft', { token });
  expect(readLimitHeaders(await draft(ada))).toEqual(['2', '1']);
  const saveDraft = (id: string): Promise<Answer> =>
    app.call('PATCH', `/api/v1/agents/${id}/onboarding`, {
      token: ada.token,
      body: { currentStep: 1 },
    });
  expect(readLimitHeaders(await saveDraft('a'.repeat(24)))).toEqual(['2', '0']);
  assertLimited(await saveDraft('b'.repeat(24)), 2, 900);
  assertLimited(await draft(ada), 2, 900);
  expect((await app.call('GET', '/api/v1/agents', { token: ada.token })).status).toBe(200);
  expect((await draft(eve)).status).toBe(200);
  const declared = listRoutes(mounts).filter(({ route }) =>
    route.limits?.some(({ name }) => name === 'onboarding'),
  );
  expect(declared.map(({ path, route }) => `${route.method} ${path}`).toSorted()).toEqual([
    'delete /api/v1/agents/:id/onboarding',
    'get /api/v1/agents/onboarding/draft',
    'patch /api/v1/agents/:id/onboarding',
    'post /api/v1/agents/:id/onboarding/complete',
  ]);
});

test('an unrouted request counts against the address and shows its limit: 404 and 405', async () => {
  const own = await startApp({ ASSAY_LIMIT_IP: '3' });
  const left = async (method: string, path: string): Promise<unknown[]> => {
    const { status, headers } = await own.call(method, path);
    return [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')];
  };
  expect(await left('GET', '/api/v1/nowhere')).toEqual([404, '3', '2']);
  expect(await left('PATCH', '/api/v1/policies')).toEqual([405, '3', '1']);
  expect(await left('GET', '/api/nowhere')).toEqual([404, '3', '0']);
  expect(await left('GET', '/api/v1/nowhere')).toEqual([429, '3', '0']);
  expect(await left('GET', '/nowhere')).toEqual([404, null, null]);
  await own.stop();
});

test('an organisation has a few heavy requests at a time, and takes no slot of another', async () => {
  const own = await startApp({ ASSAY_LIMIT_HEAVY: '2' });
  const [ada, eve] = [await createOwner(own), await createOwner(own, 'Eve')];
  const read = ({ token }: Owner): Promise<Answer> => own.call('GET', '/api/v1/traces', { token });
  const { verificationWorker } = own.instance.platform;
  const { verify: original } = verificationWorker;
  const ends: (() => void)[] = [];
  verificationWorker.verify = async (...given) => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return original(...given);
  };
  const underWay = [1, 2].map(() => own.call('POST', '/api/v1/hash-chain/verify', ada));
  await expect.poll(() => ends.length).toBe(2);
  for (const refused of await Promise.all(Array.from({ length: 20 }, () => read(ada)))) {
    expect(toOutcome(refused)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(refused.headers.get('retry-after')).toBe('1');
  }
  expect((await read(eve)).status).toBe(200);
  for (const end of ends) end();
  for (const answer of underWay) assertOk(await answer);
  await expect.poll(async () => (await read(ada)).status).toBe(200);
  await own.stop();
});

test('heavy requests that come at once wait for one another', async () => {
  const own = await startApp({ ASSAY_LIMIT_HEAVY: '1' });
  const ada = await createOwner(own);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => own.call('GET', '/api/v1/traces', { token: ada.token })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  await own.stop();
});

test('a gateway that writes ports and brackets does not make a new client of every connection', async () => {
  app = await startApp({ ASSAY_LIMIT_IP: '6', ASSAY_TRUST_PROXY: 'loopback' });
  const ada = await createOwner(app);
  const sessions = (address: string): Promise<Answer> =>
    app.call('GET', '/api/v1/auth/sessions', { token: ada.token, headers: from(address) });
  const spellings = ['203.0.113.9:50001', '[::ffff:203.0.113.9]:50002', '::FFFF:cb00:7109'];
  const remaining = [];
  for (const address of [...spellings, '203.0.113.9'])
    remaining.push((await sessions(address)).headers.get('ratelimit-remaining'));
  expect(remaining).toEqual(['5', '4', '3', '2']);
  const body = { email: ada.email, password: PASSWORD };
  for (const [written, read] of [
    ['198.51.100.7:40000', '198.51.100.7'],
    ['[2001:DB8:0::1]:443', '2001:db8::1'],
  ] as const) {
    const signedIn = await app.call('POST', '/api/v1/auth/login', { body, headers: from(written) });
    const { token } = assertOk(signedIn).body.data;
    const { data } = assertOk(await app.call('GET', '/api/v1/auth/sessions', { token })).body;
    expect(data[0].ip).toBe(read);
    const [entry] = await listAuditEntries(
      app,
      { ...ada, token },
      'action=auth.login&status=success',
    );
    expect(entry?.ipAddress).toBe(read);
  }
});

test.each([
  ['a read', 'POST', '/api/v1/hash-chain/verify', undefined],
  [
    'a change that has not begun',
    'POST',
    '/api/v1/audit-bundles',
    { from: '2020-01-01', to: '2045-01-01' },
  ],
])(
  'the place of %s is given back when its work has ended, not when its reader leaves',
  async (_, method, path, body) => {
    app = await startApp({ ASSAY_LIMIT_HEAVY: '1', DEFAULT_PLAN: 'enterprise' });
    const ada = await createOwner(app);
    const { key } = await createWorkspaceKey(app, ada, { name: 'key' });
    assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('agent') }));
    const { verificationWorker } = app.instance.platform;
    const { verify: original } = verificationWorker;
    const signals: (AbortSignal | undefined)[] = [];
    let end: ((error: Error) => void) | undefined;
    verificationWorker.verify = (_chain, _organizationId, { signal }) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => (end = reject));
    };
    const left = disconnectWhen(() => signals.length === 1, app.url + path, {
      method,
      token: ada.token,
      body,
    });
    await left;
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    const read = (): Promise<Answer> => app.call('GET', '/api/v1/traces', { token: ada.token });
    expect((await read()).status).toBe(429);
    end?.(new Error('ended'));
    await expect.poll(async () => (await read()).status).toBe(200);
    verificationWorker.verify = original;
    expect((await app.call(method, path, { token: ada.token, body })).status).toBeLessThan(300);
    expect(await listAuditEntries(app, ada, 'status=failure')).toEqual([]);
  },
);
