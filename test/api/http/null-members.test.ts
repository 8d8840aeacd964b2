// Null for an absent member, as many serialisers send it (decisions: requests and answers).
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createAgent, createWorkspaceKey, decision, ok } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const send = async (operation: string, body: object, caller: object = { token: ada.token }) => {
  const [method = '', path = ''] = operation.split(' ');
  return app.call(method, `/api/v1${path}`, { ...caller, body });
};

/** The newest decision as it is kept. */
async function recorded(body: object) {
  ok(await send('POST /traces', body, { key }));
  const [{ _id: id }] = ok(await app.call('GET', '/api/v1/traces', { token: ada.token })).body.data;
  return ok(await app.call('GET', `/api/v1/traces/${id}`, { token: ada.token })).body.data;
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
  const data = await recorded({
    agentId: 'till',
    ...EMPTY,
    inputContext: { ...inputContext, systemPrompt: null, conversationId: null, further: null },
    outputDecision: { ...outputDecision, rationale: null, alternatives: null, toolCalls: null },
  });
  expect(data).toMatchObject({ rationale: null, triggeringCondition: null, agentVersion: null });
  expect(data.inputContext).toEqual({ ...inputContext, further: null });
  expect(data.outputDecision).toEqual(outputDecision);
  const verification = await send('POST /hash-chain/verify', {});
  expect(verification.body.data).toMatchObject({ verified: true, payload: { mismatched: [] } });
});

test('an alternative without a confidence keeps what it says', async () => {
  const alternatives = [{ decision: null, confidence: null, note: 'none' }];
  const data = await recorded(decision('till', { alternatives }));
  expect(data.alternatives).toEqual([{ decision: null, note: 'none' }]);
});

test('a decision with null is repeated by its idempotency key', async () => {
  const headers = { 'idempotency-key': 'null or nothing' };
  const body = decision('till');
  const first = ok(await send('POST /traces', { ...body, rationale: null }, { key, headers }));
  const again = ok(await send('POST /traces', { ...body, rationale: null }, { key, headers }));
  expect(again.body).toEqual(first.body);
});

test('a change leaves alone what is null, and clears what null clears', async () => {
  const { id } = await createAgent(app, ada, 'Clerk');
  ok(await send(`PATCH /agents/${id}`, { description: 'old', modelMetadata: { model: 'm' } }));
  const kept = ok(await send(`PATCH /agents/${id}`, { name: null, description: null })).body.data;
  expect(kept).toMatchObject({ name: 'Clerk', description: 'old', modelMetadata: { model: 'm' } });
  const cleared = ok(await send(`PATCH /agents/${id}`, { modelMetadata: null })).body.data;
  expect(cleared.modelMetadata).toBeNull();
});

test('a change of nothing but null is no change', async () => {
  const { data } = ok(await app.call('GET', '/api/v1/workspaces', { token: ada.token })).body;
  const answer = await send(`PATCH /workspaces/${data[0]._id}`, { name: null });
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
  const { data } = ok(await send('POST /policies', policy)).body;
  expect(data).toMatchObject({ description: '', enabled: true, priority: 1 });
  expect(data.conditions).toEqual([{ field: 'agentId', operator: 'equals', value: 'x' }]);
  expect(data.actions).toEqual([{ type: 'notify' }]);
});

test('a tool takes null for an argument that may be left out', async () => {
  const given = { name: 'verify_chain_segment', arguments: { fromSeq: 1, toSeq: null } };
  const { data } = ok(await send('POST /mcp-server/tools/call', given)).body;
  expect(data.isError).toBe(false);
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given };
  const { text } = await send('POST /mcp-server/mcp', request);
  expect(text).toContain('"isError":false');
});

test('null for a member that is required stays an error that names it', async () => {
  const answer = await send('POST /traces', { ...decision('till'), agentId: null }, { key });
  expect([answer.status, answer.body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  expect(answer.body.error).toMatch(/^agentId: /);
});
