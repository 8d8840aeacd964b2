// Agents without keys over HTTP: a workload's token is exchanged for a run token, which acts as the agent's key does.
// @module-tag long
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { listAuditEntries } from '../../../setup/harness.ts';
import { assertOk, buildDecision, createAgent } from '../../../setup/personas.ts';
import {
  createKeyPair,
  createReply,
  signToken,
} from '../../../setup/providers/identity-provider.ts';
import { toOutcome } from '../../../setup/start-app.ts';
import { ACCESS, ASSAY, JWT, SUBJECT, toExchanged, useTrustStage } from './trust-stage.ts';
import { SHAPES } from './workload-claims.ts';

const stage = useTrustStage();
const { app, harness, ada, clock, provider } = stage;
const { claim, createTrust, createTrustingAgent, exchange, exchangeJwt, run } = stage;

test('a workload gets a run token of 15 minutes, and decides as its agent', async () => {
  const at = await createTrustingAgent();
  const { realm, agent, trustId } = at;
  const answer = await exchangeJwt(agent.id, realm.sign(claim(realm)));
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(answer.body).toEqual({
    access_token: expect.stringMatching(/^svc_run_[0-9a-f]{48}$/),
    issued_token_type: ACCESS,
    token_type: 'Bearer',
    expires_in: 900,
  });
  const key = answer.body.access_token as string;
  const posted = assertOk(
    await app.call('POST', '/api/v1/traces', { key, body: buildDecision(agent.id) }),
  );
  const { traceId } = posted.body.data;
  const trace = assertOk(await app.call('GET', `/api/v1/traces/${traceId}`, { token: ada.token }));
  expect(trace.body.data.agentId).toBe(agent.id);
  const [kept] = await harness.db
    .collection('run_tokens')
    .find({ 'principal.trust': trustId })
    .toArray();
  expect(JSON.stringify(kept)).not.toContain(key);
  const entries = await listAuditEntries(app, ada);
  const entry = entries.find(({ action }) => action === 'agent.token_exchange');
  expect(entry).toMatchObject({
    resourceId: agent.id,
    metadata: { trustId, workload: { issuer: realm.issuer, subject: SUBJECT }, chain: [] },
  });
});

test.each(Object.entries(SHAPES))(
  'a workload of %s is known by its claims, and no other',
  async (_, shape) => {
    const { claims, trust, other } = shape;
    const { realm, agent } = await createTrustingAgent(trust);
    const more = claims['jti'] === undefined ? { jti: undefined } : {};
    const own = claim(realm, { ...claims, ...more });
    expect(toExchanged(await exchangeJwt(agent.id, realm.sign(own)))).toEqual([200, 'Bearer']);
    const another = await exchangeJwt(agent.id, realm.sign({ ...own, ...other, jti: 'another' }));
    expect(toExchanged(another)).toEqual([400, 'invalid_request']);
    expect(another.body.error_description).toMatch(
      /^subject_token: its claim `.+` is not as the trust asks$/,
    );
  },
);

test('a JWT-SVID without an issuer is known by its trust domain and the keys of its bundle', async () => {
  const { publicKey, privateKey } = createKeyPair();
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'svid', use: 'jwt-svid' };
  const x509 = { ...createKeyPair().publicKey.export({ format: 'jwk' }), use: 'x509-svid' };
  const subject = 'spiffe://octo.example/ns/payments/sa/refund-bot';
  const agent = await createAgent(app, ada);
  const trust = { issuer: 'spiffe://octo.example', subject, jwks: { keys: [x509, key] } };
  assertOk(await createTrust(agent.id, trust));
  const now = stage.getNow();
  const svid = { aud: [ASSAY], sub: subject, iat: now, exp: now + 300 };
  const sign = (claims: object) =>
    signToken({ alg: 'RS256', kid: 'svid', typ: 'JWT' }, { ...claims }, privateKey);
  expect(toExchanged(await exchangeJwt(agent.id, sign(svid)))).toEqual([200, 'Bearer']);
  const foreign = sign({ ...svid, sub: 'spiffe://other.example/ns/payments/sa/refund-bot' });
  expect(toExchanged(await exchangeJwt(agent.id, foreign))).toEqual([400, 'invalid_request']);
});

test('what is not signed by the issuer, for us, and for now is refused', async () => {
  const at = await createTrustingAgent();
  const { realm, agent } = at;
  const own = claim(realm);
  const now = stage.getNow();
  const stranger = createKeyPair();
  const pem = realm.key.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const elsewhere = provider.createRealm();
  const cases: [string, string, RegExp][] = [
    ['nothing', 'x', /no JWT/],
    ['parts that are no JSON', 'a.b.c', /no JWT/],
    ['another audience', realm.sign({ ...own, aud: 'https://other.example' }), /claim `aud`/],
    ['no audience', realm.sign({ ...own, aud: undefined }), /claim `aud`/],
    ['alg none', realm.sign(own, { alg: 'none' }, null), /asymmetric/],
    ['HS256 with the public key', realm.sign(own, { alg: 'HS256' }, pem), /asymmetric/],
    ['another key', realm.sign(own, {}, stranger.privateKey), /signature/],
    ['an unknown kid', realm.sign(own, { kid: 'two' }), /no key of this `kid`/],
    ['another issuer', realm.sign({ ...own, iss: elsewhere.issuer }), /no trust .* issuer/],
    ['a slash more', realm.sign({ ...own, iss: `${realm.issuer}/` }), /no trust .* issuer/],
    ['another subject', realm.sign({ ...own, sub: `${SUBJECT}x` }), /claim `sub`/],
    ['no subject', realm.sign({ ...own, sub: undefined }), /claim `sub`/],
    ['expired', realm.sign({ ...own, exp: now - 61 }), /expired/],
    ['no end', realm.sign({ ...own, exp: undefined }), /claim `exp`/],
    ['too long', realm.sign({ ...own, exp: now + 3720 }), /more than 3600 seconds/],
    ['of the future', realm.sign({ ...own, nbf: now + 120 }), /claim `nbf`/],
    ['issued in the future', realm.sign({ ...own, iat: now + 120 }), /in the future/],
    ['a logout token', realm.sign(own, { typ: 'logout+jwt' }), /`typ`/],
    ['a demand that is unknown', realm.sign(own, { crit: ['b64x'], b64x: true }), /signature/],
  ];
  for (const [name, token, why] of cases) {
    const answer = await exchangeJwt(agent.id, token);
    expect([name, ...toExchanged(answer)]).toEqual([name, 400, 'invalid_request']);
    expect([name, answer.body.error_description]).toEqual([name, expect.stringMatching(why)]);
  }
  // Within the skew, and at the longest life: accepted.
  const edge = { ...own, exp: now + 3600, nbf: now + 30, iat: now + 30 };
  expect(toExchanged(await exchangeJwt(agent.id, realm.sign(edge)))).toEqual([200, 'Bearer']);
});

test('a key of another trusted issuer signs nothing for this one', async () => {
  const { realm, agent } = await createTrustingAgent();
  const other = provider.createRealm();
  const theirs = createKeyPair();
  const jwk = { ...theirs.publicKey.export({ format: 'jwk' }), kid: 'theirs', alg: 'RS256' };
  other.tricks['jwks'] = createReply({ keys: [jwk] });
  assertOk(await createTrust(agent.id, { issuer: other.issuer, subject: 'another' }));
  const forged = realm.sign(claim(realm), { kid: 'theirs' }, theirs.privateKey);
  const answer = await exchangeJwt(agent.id, forged);
  expect(toExchanged(answer)).toEqual([400, 'invalid_request']);
  expect(answer.body.error_description).toBe('subject_token: its issuer has no key of this `kid`');
});

test('a token is exchanged once, with and without an id of its own, unless the trust says otherwise', async () => {
  const { realm, agent } = await createTrustingAgent();
  for (const more of [{}, { jti: undefined }]) {
    const token = realm.sign(claim(realm, more));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => exchangeJwt(agent.id, token)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body.error_description).toMatch(/exchanged before/);
  }
  const kept = await createTrustingAgent({ once: false });
  const token = kept.realm.sign(claim(kept.realm));
  for (let turn = 0; turn < 2; turn += 1)
    expect(toExchanged(await exchangeJwt(kept.agent.id, token))).toEqual([200, 'Bearer']);
});

test('an issuer is asked for its keys once a minute at most, whatever tokens claim', async () => {
  const { realm, agent } = await createTrustingAgent();
  for (let kid = 0; kid < 20; kid += 1)
    await exchangeJwt(agent.id, realm.sign(claim(realm), { kid: `unknown-${kid}` }));
  expect(realm.asked).toEqual({ 'openid-configuration': 1, jwks: 1 });
  clock.aheadMs += 61_000;
  await exchangeJwt(agent.id, realm.sign(claim(realm), { kid: 'unknown' }));
  await exchangeJwt(agent.id, realm.sign(claim(realm), { kid: 'unknown' }));
  expect(realm.asked).toEqual({ 'openid-configuration': 2, jwks: 2 });
  // An issuer that fails rests as well, and its new key counts after that.
  realm.tricks['jwks'] = createReply({}, 500);
  clock.aheadMs += 11 * 60_000;
  for (let turn = 0; turn < 5; turn += 1) {
    const answer = await exchangeJwt(agent.id, realm.sign(claim(realm)));
    expect(toOutcome(answer)).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  }
  expect(realm.asked['jwks']).toBe(3);
  realm.tricks = {};
  clock.aheadMs += 61_000;
  expect(toExchanged(await exchangeJwt(agent.id, realm.sign(claim(realm))))).toEqual([
    200,
    'Bearer',
  ]);
});

test.each([
  [
    'redirects',
    (to: string) => (res: ServerResponse) => void res.writeHead(302, { location: to }).end(),
  ],
  ['sends too much', () => createReply({ keys: [], more: 'x'.repeat(2 << 20) })],
  ['sends a list', () => createReply([])],
  ['sends no keys', () => createReply({ keys: 'none' })],
  [
    'sends a private key for another use',
    () => createReply({ keys: [{ kty: 'oct', k: 'AAAA', kid: 'one' }] }),
  ],
])('an issuer whose key set %s gives no token', async (_, trick) => {
  const { realm, agent } = await createTrustingAgent();
  realm.tricks['jwks'] = trick(`${realm.issuer}/jwks2`);
  const answer = await exchangeJwt(agent.id, realm.sign(claim(realm)));
  expect([400, 424]).toContain(answer.status);
  expect(realm.asked['jwks2']).toBeUndefined();
});

test('metadata of another issuer, or an address in a private network, gives no token', async () => {
  const { realm, agent } = await createTrustingAgent();
  realm.metadata = { issuer: 'https://other.example' };
  const answer = await exchangeJwt(agent.id, realm.sign(claim(realm)));
  expect(toOutcome(answer)).toEqual([424, 'IDENTITY_PROVIDER_UNAVAILABLE']);
  const inner = await createTrustingAgent();
  inner.realm.metadata = { jwks_uri: 'http://localhost:1/keys' };
  const blocked = await exchangeJwt(inner.agent.id, inner.realm.sign(claim(inner.realm)));
  expect(toOutcome(blocked)).toEqual([400, 'SSRF_BLOCKED']);
});

test('a form that is not that of the RFC is refused by its codes', async () => {
  const { realm, agent } = await createTrustingAgent();
  const token = realm.sign(claim(realm));
  const whole = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: agent.id,
    subject_token: token,
    subject_token_type: JWT,
  };
  const cases: [Record<string, string>, string][] = [
    [{ grant_type: '' }, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ audience: '' }, 'invalid_target'],
    [{ audience: ada.organizationId }, 'invalid_target'],
    [{ audience: 'support-bot' }, 'invalid_target'],
    [{ requested_token_type: JWT }, 'invalid_request'],
    [{ actor_token: token }, 'invalid_request'],
    [{ grant: 'tools' }, 'invalid_request'],
    [{ grant: '{"tool":["x"]}' }, 'invalid_request'],
  ];
  for (const [change, error] of cases)
    expect([change, ...toExchanged(await exchange({ ...whole, ...change }))]).toEqual([
      change,
      400,
      error,
    ]);
  const { subject_token_type: _type, ...untyped } = whole;
  expect(toExchanged(await exchange(untyped))).toEqual([400, 'invalid_request']);
  expect(toExchanged(await exchange({}))).toEqual([400, 'invalid_request']);
  // None of them used the token up.
  expect(toExchanged(await exchange(whole))).toEqual([200, 'Bearer']);
});

test('a run token ends after 15 minutes, and with its trust at once', async () => {
  const at = await createTrustingAgent();
  const key = await run(at);
  const post = () => app.call('POST', '/api/v1/traces', { key, body: buildDecision(at.agent.id) });
  assertOk(await post());
  clock.aheadMs += 15 * 60_000;
  expect(toOutcome(await post())).toEqual([401, 'TOKEN_EXPIRED']);
  const next = await run(at);
  const ask = () =>
    app.call('POST', '/api/v1/traces', { key: next, body: buildDecision(at.agent.id) });
  assertOk(await ask());
  const path = `/api/v1/agents/${at.agent.id}/trusts/${at.trustId}`;
  assertOk(await app.call('DELETE', path, { token: ada.token }));
  expect(toOutcome(await ask())).toEqual([401, 'INVALID_API_KEY']);
  const again = await exchangeJwt(at.agent.id, at.realm.sign(claim(at.realm)));
  expect(toExchanged(again)).toEqual([400, 'invalid_request']);
});

test('a run token ends with its agent, and acts for no other', async () => {
  const at = await createTrustingAgent();
  const other = await createAgent(app, ada);
  const key = await run(at);
  const foreign = await app.call('POST', '/api/v1/traces', { key, body: buildDecision(other.id) });
  expect(toOutcome(foreign)).toEqual([403, 'FORBIDDEN']);
  const path = `/api/v1/agents/${at.agent.id}`;
  assertOk(await app.call('DELETE', path, { token: ada.token }));
  const answer = await app.call('POST', '/api/v1/traces', {
    key,
    body: buildDecision(at.agent.id),
  });
  expect(toOutcome(answer)).toEqual([401, 'INVALID_API_KEY']);
  const exchanged = await exchangeJwt(at.agent.id, at.realm.sign(claim(at.realm)));
  expect(toExchanged(exchanged)).toEqual([400, 'invalid_target']);
});
