// What is stated of an agent's model, and the ML-BOM made of it, over HTTP (document 1, sections 2 and 4.3; document 2, section 4.1).
import { createHash } from 'node:crypto';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect, test } from 'vitest';
import { canonicalize } from '@assay/json';
import { listAuditEntries } from '../../setup/harness.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const path = '/api/v1/agents';
const unknownId = 'a'.repeat(24);
const official = new Validation.JsonStrictValidator(Spec.Version.v1dot7);
const stated = {
  provider: 'Example AI',
  model: 'answers-large',
  version: '3.1',
  license: 'Apache-2.0',
  riskClass: 'limited',
  purpose: 'Answers customers',
  trainingDataSummary: 'Public letters',
  datasets: [
    {
      name: 'letters',
      uri: 'https://example.com/letters',
      license: 'CC0-1.0',
      sha256: 'a'.repeat(64),
      description: 'Letters',
    },
  ],
};

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const eve = useOwner(harness, 'Eve');

const toStatusAndCode = ({ status, body }: Answer): unknown[] => [status, body.code];
const get = ({ token }: Owner, below: string): Promise<Answer> =>
  app.call('GET', path + below, { token });
const state = ({ token }: Owner, id: string, modelMetadata: unknown): Promise<Answer> =>
  app.call('PATCH', `${path}/${id}`, { token, body: { modelMetadata } });
const refresh = ({ token }: Owner, id: string): Promise<Answer> =>
  app.call('POST', `${path}/${id}/ml-bom/refresh`, { token });
const bomOfTrace = ({ token }: Owner, id: string): Promise<Answer> =>
  app.call('GET', `/api/v1/traces/${id}/ml-bom`, { token });

/** Records a decision and answers its object id. */
async function decided(agentId: string, who = ada): Promise<string> {
  const { key } = await createWorkspaceKey(app, who);
  assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision(agentId) }));
  return assertOk(await app.call('GET', '/api/v1/traces?limit=1', { token: who.token })).body
    .data[0]._id;
}

test('what is stated is shown, replaced as a whole and forgotten', async () => {
  const bot = await createAgent(app, ada);
  const { data } = assertOk(await state(ada, bot.id, stated)).body;
  expect(data.modelMetadata).toEqual(stated);
  expect((await get(ada, `/${bot.id}`)).body.data).toEqual(data);
  assertOk(
    await app.call('PATCH', `${path}/${bot.id}`, {
      token: ada.token,
      body: { description: 'Kept' },
    }),
  );
  expect((await get(ada, `/${bot.id}`)).body.data).toMatchObject({
    description: 'Kept',
    modelMetadata: stated,
  });
  const sha256 = 'AB'.repeat(32);
  const less = { model: ' small ', datasets: [{ name: 'x', sha256 }] };
  expect((await state(ada, bot.id, less)).body.data.modelMetadata).toEqual({
    model: 'small',
    datasets: [{ name: 'x', sha256: sha256.toLowerCase() }],
  });
  for (const empty of [{}, { datasets: [] }, null])
    expect((await state(ada, bot.id, empty)).body.data.modelMetadata).toEqual(empty);
  const registered = await app.call('POST', path, {
    token: ada.token,
    body: { name: 'Bot', modelMetadata: stated },
  });
  expect(registered.body.data.modelMetadata).toEqual(stated);
});

const text = (length: number): string => 'é'.repeat(length);

test('the longest statement is taken, and makes a valid BOM', { tags: ['long'] }, async () => {
  const bot = await createAgent(app, ada);
  const most = {
    provider: text(200),
    model: text(200),
    version: text(100),
    license: text(200),
    riskClass: text(100),
    purpose: text(2000),
    trainingDataSummary: text(5000),
    datasets: Array.from({ length: 50 }, () => ({
      name: text(200),
      uri: `s3:${'x'.repeat(1021)}`,
      license: text(200),
      sha256: 'f'.repeat(64),
      description: text(500),
    })),
  };
  expect(assertOk(await state(ada, bot.id, most)).body.data.modelMetadata).toEqual(most);
  const { data } = assertOk(await get(ada, `/${bot.id}/ml-bom`)).body;
  expect(await official.validate(JSON.stringify(data))).toBeNull();
});

test.each<[object, string]>([
  [{ provider: '' }, 'provider'],
  [{ provider: text(201) }, 'provider'],
  [{ model: 7 }, 'model'],
  [{ version: text(101) }, 'version'],
  [{ riskClass: text(101) }, 'riskClass'],
  [{ purpose: text(2001) }, 'purpose'],
  [{ trainingDataSummary: text(5001) }, 'trainingDataSummary'],
  [{ trainingDataSummary: { $ne: null } }, 'trainingDataSummary'],
  [{ datasets: {} }, 'datasets'],
  [{ datasets: Array.from({ length: 51 }, () => ({ name: 'x' })) }, 'datasets'],
  [{ datasets: [{}] }, 'datasets.0.name'],
  [{ datasets: [{ name: 'x' }, { name: text(201) }] }, 'datasets.1.name'],
  [{ datasets: [{ name: 'x', uri: 'data:text/csv,name%0AAda' }] }, 'datasets.0.uri'],
  [{ datasets: [{ name: 'x', uri: 's3://user:secret@bucket' }] }, 'datasets.0.uri'],
  [{ datasets: [{ name: 'x', uri: 'letters.csv' }] }, 'datasets.0.uri'],
  [{ datasets: [{ name: 'x', uri: `s3:${'x'.repeat(1022)}` }] }, 'datasets.0.uri'],
  [{ datasets: [{ name: 'x', license: text(201) }] }, 'datasets.0.license'],
  [{ datasets: [{ name: 'x', sha256: 'a'.repeat(63) }] }, 'datasets.0.sha256'],
  [{ datasets: [{ name: 'x', sha256: 'g'.repeat(64) }] }, 'datasets.0.sha256'],
  [{ datasets: [{ name: 'x', description: text(501) }] }, 'datasets.0.description'],
])('the statement %j is refused', async (wrong, place) => {
  const answer = await state(ada, unknownId, wrong);
  expect(toStatusAndCode(answer)).toEqual([400, 'SVC_VALIDATION_FAILED']);
  expect(answer.body.data.issues.map((issue: { path: string }) => issue.path)).toEqual([
    `modelMetadata.${place}`,
  ]);
});

test('only statements are taken: no data of a data set, no digest of one’s own', async () => {
  const bot = await createAgent(app, ada);
  const { modelMetadata } = assertOk(
    await state(ada, bot.id, {
      ...stated,
      lastBomDigest: 'f'.repeat(64),
      lastBomGeneratedAt: '2020-01-01T00:00:00.000Z',
      datasets: [{ name: 'x', rows: ['canary'], content: 'canary' }],
    }),
  ).body.data;
  expect(modelMetadata).toEqual({ ...stated, datasets: [{ name: 'x' }] });
});

test('the ML-BOM says what is stated now, beside its digest', async () => {
  const bot = await createAgent(app, ada);
  const before = assertOk(await get(ada, `/${bot.id}/ml-bom`)).body;
  expect(before.data.components).toMatchObject([
    { type: 'machine-learning-model', name: 'unstated' },
  ]);
  assertOk(await state(ada, bot.id, stated));
  const { data, digest } = assertOk(await get(ada, `/${bot.id}/ml-bom`)).body;
  expect(data).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    metadata: { component: { 'bom-ref': bot.id, name: bot.name } },
    components: [
      {
        type: 'machine-learning-model',
        supplier: { name: 'Example AI' },
        name: 'answers-large',
        version: '3.1',
      },
      { type: 'data', hashes: [{ alg: 'SHA-256', content: 'a'.repeat(64) }] },
    ],
  });
  for (const bom of [before.data, data])
    expect(await official.validate(JSON.stringify(bom))).toBeNull();
  const { serialNumber, metadata, ...rest } = data;
  const canonical = canonicalize({ ...rest, metadata: { component: metadata.component } });
  expect(digest).toBe(createHash('sha256').update(canonical).digest('hex'));
  expect([before.digest, before.data.serialNumber]).not.toEqual([digest, serialNumber]);
  const again = assertOk(await get(ada, `/${bot.id}/ml-bom`)).body;
  expect([again.digest, again.data.serialNumber]).toEqual([digest, serialNumber]);
});

test('a refresh keeps the digest; later statements leave it until the next', async () => {
  const bot = await createAgent(app, ada);
  assertOk(await state(ada, bot.id, stated));
  const { digest, data: bom } = assertOk(await get(ada, `/${bot.id}/ml-bom`)).body;
  const refreshed = await refresh(ada, bot.id);
  const { lastBomGeneratedAt } = refreshed.body.data;
  const kept = { lastBomDigest: digest, lastBomGeneratedAt };
  expect([refreshed.status, refreshed.body.data]).toEqual([
    200,
    { _id: bot.id, id: bot.id, serialNumber: bom.serialNumber, ...kept },
  ]);
  expect((await get(ada, `/${bot.id}`)).body.data.modelMetadata).toEqual({ ...stated, ...kept });
  expect((await state(ada, bot.id, { model: 'other' })).body.data.modelMetadata).toEqual({
    model: 'other',
    ...kept,
  });
  const next = assertOk(await refresh(ada, bot.id)).body.data;
  expect(next.lastBomDigest).not.toBe(digest);
  expect(next.lastBomDigest).toBe((await get(ada, `/${bot.id}/ml-bom`)).body.digest);
  expect(next.lastBomGeneratedAt >= lastBomGeneratedAt).toBe(true);
  const entries = await listAuditEntries(
    app,
    ada,
    `action=agent.refresh_ml_bom&resourceId=${bot.id}`,
  );
  expect(entries.map(({ status, resource, userId }) => [status, resource, userId])).toEqual([
    ['success', 'agent', ada.userId],
    ['success', 'agent', ada.userId],
  ]);
});

test('a decision shows the ML-BOM of its agent, as soon as there is one, and after the agent is gone', async () => {
  const [one, other] = [await createAgent(app, ada), await createAgent(app, ada)];
  const [traceId, otherTraceId] = [await decided(one.id), await decided(other.id)];
  expect(toStatusAndCode(await bomOfTrace(ada, traceId))).toEqual([404, 'NOT_FOUND']);
  assertOk(await state(ada, one.id, stated));
  const ofAgent = assertOk(await get(ada, `/${one.id}/ml-bom`)).body;
  const ofTrace = assertOk(await bomOfTrace(ada, traceId)).body;
  const { metadata, ...rest } = ofTrace.data;
  expect([ofTrace.digest, metadata.component, rest]).toMatchObject([
    ofAgent.digest,
    ofAgent.data.metadata.component,
    { serialNumber: ofAgent.data.serialNumber, components: ofAgent.data.components },
  ]);
  assertOk(await refresh(ada, other.id));
  expect((await bomOfTrace(ada, otherTraceId)).status).toBe(200);
  assertOk(await app.call('DELETE', `${path}/${one.id}`, { token: ada.token }));
  expect(toStatusAndCode(await get(ada, `/${one.id}/ml-bom`))).toEqual([404, 'NOT_FOUND']);
  expect((await bomOfTrace(ada, traceId)).body.digest).toBe(ofAgent.digest);
});

test.each(['an unregistered agent', 'b'.repeat(24)])(
  'a decision of %j has no ML-BOM',
  async (named) => {
    expect(toStatusAndCode(await bomOfTrace(ada, await decided(named)))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  },
);

test('keys see the ML-BOMs of the agents they are limited to', async () => {
  const [one, other] = [await createAgent(app, ada), await createAgent(app, ada)];
  for (const { id } of [one, other]) assertOk(await state(ada, id, stated));
  const [traceId, otherTraceId] = [await decided(one.id), await decided(other.id)];
  const { key } = await createWorkspaceKey(app, ada, { scope: { agentIds: [one.id] } });
  const statuses = [
    `agents/${one.id}`,
    `agents/${other.id}`,
    `traces/${traceId}`,
    `traces/${otherTraceId}`,
  ].map(async (record) => (await app.call('GET', `/api/v1/${record}/ml-bom`, { key })).status);
  expect(await Promise.all(statuses)).toEqual([200, 404, 200, 404]);
  expect(
    toStatusAndCode(await app.call('POST', `${path}/${one.id}/ml-bom/refresh`, { key })),
  ).toEqual([403, 'FORBIDDEN']);
});

test("another organisation's agents and decisions have no ML-BOM here, whatever they are called there", async () => {
  const bot = await createAgent(app, ada);
  assertOk(await state(ada, bot.id, stated));
  const traceId = await decided(bot.id);
  for (const answer of [
    await get(eve, `/${bot.id}/ml-bom`),
    await refresh(eve, bot.id),
    await bomOfTrace(eve, traceId),
    await bomOfTrace(eve, await decided(bot.id, eve)),
    await get(eve, `/${unknownId}/ml-bom`),
    await bomOfTrace(eve, unknownId),
    await bomOfTrace(eve, 'none'),
  ])
    expect(toStatusAndCode(answer)).toEqual([404, 'NOT_FOUND']);
  expect((await get(ada, `/${bot.id}`)).body.data.modelMetadata).toEqual(stated);
});

test.each([
  '","specVersion":"1.0","canary":"',
  '__proto__',
  '<script>canary</script>',
  '${canary}{{7*7}}',
])('the text %j stays a text', async (canary) => {
  const bot = await createAgent(app, ada);
  const { uri, sha256 } = { uri: 'urn:canary:1', sha256: 'c'.repeat(64) };
  const texts = Object.fromEntries(
    ['provider', 'model', 'version', 'license', 'riskClass', 'purpose', 'trainingDataSummary'].map(
      (name) => [name, canary],
    ),
  );
  const datasets = [{ name: canary, license: canary, description: canary, uri, sha256 }];
  assertOk(
    await app.call('PATCH', `${path}/${bot.id}`, { token: ada.token, body: { name: canary } }),
  );
  assertOk(await state(ada, bot.id, { ...texts, datasets }));
  const answer = assertOk(await get(ada, `/${bot.id}/ml-bom`));
  expect(await official.validate(JSON.stringify(answer.body.data))).toBeNull();
  expect(answer.headers.get('x-canary')).toBeNull();
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.text.split(JSON.stringify(canary))).toHaveLength(12);
  expect(answer.body.data).toMatchObject({
    specVersion: '1.7',
    metadata: { component: { 'bom-ref': bot.id, name: canary } },
    components: [
      { 'bom-ref': 'model', name: canary },
      { 'bom-ref': 'dataset-1', name: canary },
    ],
  });
});

test('prose keeps its line breaks, and brings no header along; a name is on one line', async () => {
  const canary = 'canary\r\nX-Canary: 1';
  const bot = await createAgent(app, ada);
  expect((await state(ada, bot.id, { provider: canary })).status).toBe(400);
  const dataset = { name: 'letters', description: canary };
  assertOk(
    await state(ada, bot.id, {
      model: 'm',
      purpose: canary,
      trainingDataSummary: canary,
      datasets: [dataset],
    }),
  );
  const answer = assertOk(await get(ada, `/${bot.id}/ml-bom`));
  expect(await official.validate(JSON.stringify(answer.body.data))).toBeNull();
  expect(answer.headers.get('x-canary')).toBeNull();
  expect(answer.text.split(JSON.stringify(canary))).toHaveLength(4);
});
