// The insurance feed as a partner pulls it: signed, current, once, and only after an opt-in (document 1, section 7).
import { expect, test } from 'vitest';
import type { JsonObject } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { listAuditEntries } from '../../setup/harness.ts';
import { createOwner, assertOk, type Owner } from '../../setup/personas.ts';
import { createMachine, signMessage } from '../../setup/providers/signed-message.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const insurer = createMachine('insurer');
const witness = createMachine('witness');
const harness = useHarness({
  ASSAY_PARTNER_KEYS: insurer.setting,
  ASSAY_WITNESS_KEYS: witness.setting,
});
const { app } = harness;
const ada = useOwner(harness);

const optIn = async ({ token }: Owner, enabled = true): Promise<void> => {
  const body = { insuranceFeed: { enabled } };
  assertOk(await app.call('PATCH', '/api/v1/organization', { token, body }));
};
const payloadOf = ({ organizationId }: { organizationId: string }, ago = 0): JsonObject => ({
  organizationId,
  timestamp: Date.now() - ago,
});
const pull = (body: object): Promise<Answer> =>
  app.call('POST', '/api/v1/partner/insurance-pull', { body });
const pullsOf = async (who: Owner): Promise<unknown[]> =>
  (await listAuditEntries(app, who)).filter(({ action }) => action === 'partner.insurance_pull');

test('serves the feed of an organisation that has opted in, and audits it', async () => {
  await optIn(ada);
  const { data } = assertOk(await pull(signMessage(insurer, payloadOf(ada)))).body;
  expect(data).toMatchObject({
    format: 'assay-insurance-feed',
    organizationId: ada.organizationId,
    decisions: { total: 0 },
  });
  expect(await pullsOf(ada)).toMatchObject([
    { status: 'success', metadata: { partner: 'insurer', digest: data.digest } },
  ]);
});

test('a message is accepted once, also when sent concurrently or in capitals', async () => {
  const eve = await createOwner(app, 'Eve');
  await optIn(eve);
  const message = signMessage(insurer, payloadOf(eve));
  const loud = { ...message, signature: message.signature.toUpperCase() };
  const answers = await Promise.all([message, message, loud, loud, message].map(pull));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
  expect(toOutcome(await pull(message))).toEqual([401, 'TOKEN_VERIFICATION_FAILED']);
  expect(await pullsOf(eve)).toHaveLength(1);
});

test('without opt-in the answer does not show whether the organisation exists', async () => {
  const bob = await createOwner(app, 'Bob');
  const refused = await pull(signMessage(insurer, payloadOf(bob)));
  expect(toOutcome(refused)).toEqual([403, 'FORBIDDEN']);
  const unknown = await pull(signMessage(insurer, payloadOf({ organizationId: '0'.repeat(24) })));
  expect({ ...unknown.body, requestId: 0 }).toEqual({ ...refused.body, requestId: 0 });
  expect(await pullsOf(bob)).toMatchObject([{ status: 'failure' }]);
  await optIn(bob);
  expect((await pull(signMessage(insurer, payloadOf(bob)))).status).toBe(200);
  await optIn(bob, false);
  expect((await pull(signMessage(insurer, payloadOf(bob)))).status).toBe(403);
});

test('refuses a partner that the opt-in does not name, as if there were no opt-in', async () => {
  const fay = await createOwner(app, 'Fay');
  const change = (partners: string[]): Promise<Answer> =>
    app.call('PATCH', '/api/v1/organization', {
      token: fay.token,
      body: { insuranceFeed: { enabled: true, partners } },
    });
  const named = assertOk(await change(['another-insurer'])).body.data;
  expect(named.insuranceFeed).toEqual({ enabled: true, partners: ['another-insurer'] });
  expect(toOutcome(await pull(signMessage(insurer, payloadOf(fay))))).toEqual([403, 'FORBIDDEN']);
  expect(await pullsOf(fay)).toMatchObject([{ status: 'failure' }]);
  assertOk(await change(['another-insurer', 'insurer']));
  expect((await pull(signMessage(insurer, payloadOf(fay)))).status).toBe(200);
  assertOk(await change([]));
  expect((await pull(signMessage(insurer, payloadOf(fay)))).status).toBe(403);
});

test.each([
  [
    'a forged signature',
    () => ({ ...signMessage(insurer, payloadOf(ada)), signature: '0'.repeat(64) }),
  ],
  ['the key of a witness', () => signMessage(witness, payloadOf(ada))],
  ['an unknown key', () => signMessage(createMachine('insurer'), payloadOf(ada))],
  [
    'a payload that was changed',
    () => ({ ...signMessage(insurer, payloadOf(ada)), payload: payloadOf(ada, 1000) }),
  ],
])('%s is refused', async (_name, message) => {
  expect(toOutcome(await pull(message()))).toEqual([401, 'TOKEN_VERIFICATION_FAILED']);
});

test.each([
  ['ten minutes ago', 601_000],
  ['ten minutes ahead', -601_000],
])('a message of %s is outside the window', async (_name, ago) => {
  const answer = await pull(signMessage(insurer, payloadOf(ada, ago)));
  expect(toOutcome(answer)).toEqual([401, 'PARTNER_REPLAY_WINDOW']);
});

test.each([undefined, null, 'yesterday', '2026-11-22', {}])('%j is no time', async (timestamp) => {
  const { organizationId } = ada;
  const payload = { organizationId, ...(timestamp !== undefined && { timestamp }) };
  expect(toOutcome(await pull(signMessage(insurer, payload)))).toEqual([400, 'INVALID_TIMESTAMP']);
});
