// Null for an absent member, as many serialisers send it (decisions: requests and answers).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createAgent, createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const sendRequestBody = async (
  operation: string,
  body: object,
  caller: object = { token: ada.token },
) => {
  const [method = '', path = ''] = operation.split(' ');
  return app.call(method, `/api/v1${path}`, { ...caller, body });
};

/** The newest decision as it is kept. */
async function readNewest(body: object) {
  assertOk(await sendRequestBody('POST /traces', body, { key }));
  const [{ _id: id }] = assertOk(await app.call('GET', '/api/v1/traces', { token: ada.token })).body
    .data;
  return assertOk(await app.call('GET', `/api/v1/traces/${id}`, { token: ada.token })).body.data;
}

const EMPTY = {
  agentVersion: null,
  schemaVersion: null,
  rationale: null,
  alternatives: null,
  triggeringCondition: null,
  metadata: null,
  timestamp: null,
  adapter: null,
  mlBomReference: null,
  art12: null,
  conversation: null,
  crew: null,
};

test('a decision is recorded with null in every optional member', async () => {
  const inputContext = { prompt: 'May order 7 be paid back?' };
  const outputDecision = { action: 'reply' };
  const data = await readNewest({
    agentId: 'till',
    ...EMPTY,
    inputContext: { ...inputContext, systemPrompt: null, conversationId: null, further: null },
    outputDecision: { ...outputDecision, rationale: null, alternatives: null, toolCalls: null },
  });
  expect(data).toMatchObject({ rationale: null, triggeringCondition: null, agentVersion: null });
  expect(data.inputContext).toEqual({ ...inputContext, further: null });
  expect(data.outputDecision).toEqual(outputDecision);
  const verification = await sendRequestBody('POST /hash-chain/verify', {});
  expect(verification.body.data).toMatchObject({ verified: true, payload: { mismatched: [] } });
});

test('an alternative without a confidence keeps what it says', async () => {
  const alternatives = [{ decision: null, confidence: null, note: 'none' }];
  const data = await readNewest(buildDecision('till', { alternatives }));
  expect(data.alternatives).toEqual([{ decision: null, note: 'none' }]);
});

test('a decision with null is repeated by its idempotency key', async () => {
  const headers = { 'idempotency-key': 'null or nothing' };
  const body = buildDecision('till');
  const first = assertOk(
    await sendRequestBody('POST /traces', { ...body, rationale: null }, { key, headers }),
  );
  const again = assertOk(
    await sendRequestBody('POST /traces', { ...body, rationale: null }, { key, headers }),
  );
  expect(again.body).toEqual(first.body);
});

test('a change leaves alone what is null, and clears what null clears', async () => {
  const { id } = await createAgent(app, ada, 'Clerk');
  assertOk(
    await sendRequestBody(`PATCH /agents/${id}`, {
      description: 'old',
      modelMetadata: { model: 'm' },
    }),
  );
  const kept = assertOk(
    await sendRequestBody(`PATCH /agents/${id}`, { name: null, description: null }),
  ).body.data;
  expect(kept).toMatchObject({ name: 'Clerk', description: 'old', modelMetadata: { model: 'm' } });
  const cleared = assertOk(await sendRequestBody(`PATCH /agents/${id}`, { modelMetadata: null }))
    .body.data;
  expect(cleared.modelMetadata).toBeNull();
});

test('a change of nothing but null is no change', async () => {
  const { data } = assertOk(await app.call('GET', '/api/v1/workspaces', { token: ada.token })).body;
  const answer = await sendRequestBody(`PATCH /workspaces/${data[0]._id}`, { name: null });
  expect([answer.status, answer.body.error]).toEqual([400, 'nothing to change']);
});

test('defaults fill in for null', async () => {
  const policy = {
    name: 'Lenient',
    description: null,
    enabled: null,
    priority: null,
    workspaceId: null,
    conditions: [{ field: 'agentId', operator: 'equals', value: 'x', logicalOperator: null }],
    actions: [{ type: 'notify', config: null }],
  };
  const { data } = assertOk(await sendRequestBody('POST /policies', policy)).body;
  expect(data).toMatchObject({ description: '', enabled: true, priority: 1 });
  expect(data.conditions).toEqual([{ field: 'agentId', operator: 'equals', value: 'x' }]);
  expect(data.actions).toEqual([{ type: 'notify' }]);
});

test('a tool takes null for an argument that may be left out', async () => {
  const given = { name: 'verify_chain_segment', arguments: { fromSeq: 1, toSeq: null } };
  const { data } = assertOk(await sendRequestBody('POST /mcp-server/tools/call', given)).body;
  expect(data.isError).toBe(false);
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given };
  const { text } = await sendRequestBody('POST /mcp-server/mcp', request);
  expect(text).toContain('"isError":false');
});

test('null for a member that is required stays an error that names it', async () => {
  const answer = await sendRequestBody(
    'POST /traces',
    { ...buildDecision('till'), agentId: null },
    { key },
  );
  expect([answer.status, answer.body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  expect(answer.body.error).toMatch(/^agentId: /);
});
