// Witness gossip over HTTP: what a witness has seen of a chain, compared with the chain (document 1, section 7).
import { compactVerify, createLocalJWKSet, decodeProtectedHeader } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '@assay/json';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { createMachine, signMessage } from '../../setup/providers/signed-message.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/witness/gossip';
const [rome, oslo] = [createMachine('rome'), createMachine('oslo')];
const stranger = createMachine('stranger');
const harness = useHarness({
  ASSAY_WITNESS_KEYS: `${rome.setting},${oslo.setting}`,
  ASSAY_REPLAY_WINDOW_MINUTES: '5',
});
const bare = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let seen: JsonObject;
beforeAll(async () => {
  const { key } = await createWorkspaceKey(app, ada);
  for (let n = 0; n < 2; n++)
    assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision(`till ${n}`) }));
  const status = assertOk(await app.call('GET', '/api/v1/hash-chain/status', { token: ada.token }));
  const { lastSequence: sequence, lastChainHash: chainHash } = status.body.data;
  seen = { organizationId: ada.organizationId, sequence, chainHash };
});

const now = (): JsonObject => Object.assign({}, seen, { timestamp: new Date().toISOString() });
const changed = (change: JsonObject): JsonObject => Object.assign(now(), change);
const ago = (minutes: number): number => Date.now() - minutes * 60_000;
const tell = (body: object): Promise<Answer> => app.call('POST', path, { body });
const disagreements = async (): Promise<number> => {
  const { text } = await app.call('GET', '/metrics');
  return Number(/^assay_witnessed_heads_total\{agrees="false"\} (\d+)$/m.exec(text)?.[1] ?? 0);
};

test('the answer to a correct head agrees and has our signed head', async () => {
  const { data } = assertOk(await tell(signMessage(rome, now()))).body;
  expect(data).toMatchObject({ agrees: true, head: seen });
  const keys = createLocalJWKSet((await app.call('GET', '/.well-known/jwks.json')).body);
  const { payload } = await compactVerify(data.statement, keys);
  expect(JSON.parse(Buffer.from(payload).toString())).toEqual(data.head);
  expect(decodeProtectedHeader(data.statement).typ).toBe('assay-chain-head+jws');
});

test('the answer to another hash disagrees, and an alarm is logged', async () => {
  const before = await disagreements();
  const other = changed({ chainHash: '0'.repeat(64) });
  const { data } = assertOk(await tell(signMessage(oslo, other))).body;
  expect(data).toMatchObject({ agrees: false, head: seen });
  expect(await disagreements()).toBe(before + 1);
  expect(app.logged.find((line) => line.includes('another chain'))).toContain('"witness":"oslo"');
});

test('an unknown sequence or organisation is neither confirmed nor denied', async () => {
  const ahead = changed({ sequence: 1_000_000 });
  const elsewhere = changed({ organizationId: '0'.repeat(24) });
  expect(assertOk(await tell(signMessage(rome, ahead))).body.data).toMatchObject({
    agrees: null,
    head: seen,
  });
  expect(assertOk(await tell(signMessage(rome, elsewhere))).body.data).toEqual({
    agrees: null,
    head: null,
    statement: null,
  });
});

test('a message may be repeated, and the signed payload may have further members', async () => {
  const message = signMessage(rome, changed({ witnessedBy: ['a', { b: 1 }] }));
  for (let n = 0; n < 2; n++) expect(assertOk(await tell(message)).body.data.agrees).toBe(true);
});

test.each([
  ['epoch milliseconds', () => ago(4)],
  ['ahead of the clock', () => ago(-4)],
  [
    'ISO 8601 with an offset',
    () => new Date(ago(4) + 7_200_000).toISOString().replace('Z', '+02:00'),
  ],
])('a time within the window is taken: %s', async (_, timestamp) => {
  expect((await tell(signMessage(rome, changed({ timestamp: timestamp() })))).status).toBe(200);
});

test.each([
  ['a wrong signature', () => ({ ...signMessage(rome, now()), signature: '0'.repeat(64) })],
  ['a signature in another form', () => ({ ...signMessage(rome, now()), signature: 'é' })],
  [
    'a payload that was changed',
    () => ({ ...signMessage(rome, now()), payload: changed({ sequence: 1 }) }),
  ],
  [
    'a member that was added',
    () => ({ ...signMessage(rome, now()), payload: changed({ more: 1 }) }),
  ],
  ['the key of another witness', () => ({ ...signMessage(rome, now()), keyId: 'oslo' })],
  ['an unknown key', () => signMessage(stranger, now())],
  ['an unknown key of zeros', () => signMessage({ ...stranger, key: Buffer.alloc(32) }, now())],
  ['a name of every object', () => ({ ...signMessage(rome, now()), keyId: '__proto__' })],
  ['a time before the window', () => signMessage(rome, changed({ timestamp: ago(6) }))],
  ['a time after the window', () => signMessage(rome, changed({ timestamp: ago(-6) }))],
])('not authenticated: %s', async (_, message) => {
  expect(toOutcome(await tell(message()))).toEqual([401, 'WITNESS_AUTH_FAILED']);
});

test.each([
  undefined,
  null,
  '',
  'yesterday',
  '2026-11-22',
  '2026-13-01T00:00:00Z',
  -1,
  1.5,
  {},
  true,
])(
  'a time that cannot be read is refused before the signature is looked at: %j',
  async (timestamp) => {
    const payload = { ...now(), timestamp };
    const message = { payload, signature: 'none', keyId: 'unknown' };
    expect(toOutcome(await tell(message))).toEqual([400, 'INVALID_TIMESTAMP']);
  },
);

test.each([
  ['no payload', { payload: undefined }],
  ['a signature that is no text', { signature: 1 }],
  ['a key id that is too long', { keyId: 'x'.repeat(65) }],
])('the form comes first: %s', async (_, change) => {
  const message = { ...signMessage(rome, now()), ...change };
  expect(toOutcome(await tell(message))).toEqual([400, 'VALIDATION_ERROR']);
});

test.each(['1e400', '"\\ud800"'])(
  'a payload without canonical JSON is refused: %s',
  async (more) => {
    const raw = JSON.stringify(signMessage(rome, changed({ more: 'MORE' }))).replace(
      '"MORE"',
      more,
    );
    expect((await app.call('POST', path, { raw })).status).toBe(400);
  },
);

test('a large body is refused, and an installation without keys knows no witness', async () => {
  const large = signMessage(rome, changed({ more: 'x'.repeat(9000) }));
  expect((await tell(large)).status).toBe(413);
  const refused = await bare.app.call('POST', path, { body: signMessage(rome, now()) });
  expect(toOutcome(refused)).toEqual([401, 'WITNESS_AUTH_FAILED']);
});
