// The bridge to hosts of language models: manifest, resources, tools, and an official client (document 2, section 4.8).
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { createOwner, createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { toOutcome, type Answer } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const path = '/api/v1/mcp-server';
let key: string;
let traceId: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  const body = buildDecision('till', {
    rationale: 'As asked by ada@example.com, who has waited long.',
  });
  for (const given of [buildDecision('till'), buildDecision('till'), body])
    ({ traceId } = assertOk(
      await app.call('POST', '/api/v1/traces', { key, body: given }),
    ).body.data);
  const condition = { field: 'tags', operator: 'contains', value: 'none' };
  for (const [name, enabled] of [
    ['Active', true],
    ['Idle', false],
  ] as const) {
    const policy = { name, enabled, conditions: [condition], actions: [{ type: 'block' }] };
    assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body: policy }));
  }
});

const read = (uri: unknown, { token } = ada): Promise<Answer> =>
  app.call('POST', `${path}/resources/read`, { token, body: { uri } });
const call = (name: unknown, given?: unknown, { token } = ada): Promise<Answer> =>
  app.call('POST', `${path}/tools/call`, { token, body: { name, arguments: given } });
const readContent = ({ body }: Answer) => JSON.parse(body.data.content[0].text);

test('the manifest lists resources and tools', async () => {
  const { data } = assertOk(await app.call('GET', `${path}/manifest`, { token: ada.token })).body;
  expect(data).toMatchObject({
    protocolVersion: '0.1.0',
    serverInfo: { name: 'assay', version: expect.any(String) },
    capabilities: { resources: true, tools: true, prompts: false },
  });
  expect(data.resources.map(({ uri }: { uri: string }) => uri)).toEqual([
    'service://policies',
    'service://traces/recent',
    'service://hash-chain/status',
  ]);
  const [lookup, segment] = data.tools;
  expect([lookup.name, lookup.inputSchema.required]).toEqual(['lookup_decision', ['traceId']]);
  expect([segment.name, segment.inputSchema.required]).toEqual([
    'verify_chain_segment',
    ['fromSeq'],
  ]);
});

test('resources are read as JSON text', async () => {
  const { data } = assertOk(await read('service://policies')).body;
  expect(data.contents).toEqual([
    { uri: 'service://policies', mimeType: 'application/json', text: expect.any(String) },
  ]);
  expect(JSON.parse(data.contents[0].text)).toMatchObject([{ name: 'Active' }]);
  const traces = JSON.parse(
    assertOk(await read('service://traces/recent')).body.data.contents[0].text,
  );
  expect(traces).toHaveLength(3);
  expect(traces[0]).toEqual({
    traceId,
    status: 'approved',
    confidence: expect.any(Number),
    createdAt: expect.any(String),
    rationale: expect.stringMatching(/^As asked by \[/),
  });
  const status = assertOk(await read('service://hash-chain/status')).body.data.contents[0].text;
  expect(JSON.parse(status)).toEqual({
    head: expect.stringMatching(/^[0-9a-f]{64}$/),
    sequence: 3,
    lastVerifiedAt: null,
    status: 'unverified',
  });
});

test('a decision is looked up; an unknown one is a logical failure', async () => {
  const answer = assertOk(await call('lookup_decision', { traceId }));
  expect(answer.body.data.isError).toBe(false);
  expect(readContent(answer)).toMatchObject({ traceId, status: 'approved' });
  const eve = await createOwner(app, 'Eve');
  for (const missing of [
    await call('lookup_decision', { traceId: 'trc_0' }),
    await call('lookup_decision', { traceId }, eve),
  ])
    expect([missing.status, missing.body.data.isError]).toEqual([200, true]);
});

test('a segment is verified up to the head, and changes are found', async () => {
  const whole = assertOk(await call('verify_chain_segment', { fromSeq: 1 }));
  expect(whole.body.data.isError).toBe(false);
  expect(readContent(whole)).toMatchObject({
    verified: true,
    toSeq: 3,
    checked: 3,
    headSequence: 3,
  });
  const part = assertOk(await call('verify_chain_segment', { fromSeq: 2, toSeq: 2 }));
  expect(readContent(part)).toMatchObject({ verified: true, checked: 1 });
  const beyond = assertOk(await call('verify_chain_segment', { fromSeq: 2, toSeq: 9 }));
  expect([beyond.body.data.isError, readContent(beyond).reason]).toEqual([true, 'beyond-head']);
  const where = { organizationId: toObjectId(ada.organizationId), sequence: 2 };
  const entries = harness.db.collection('ledger');
  const before = await entries.findOne(where);
  await entries.updateOne(where, { $set: { view: '{}' } });
  const broken = assertOk(await call('verify_chain_segment', { fromSeq: 1, toSeq: 3 }));
  expect(broken.body.data.isError).toBe(true);
  expect(readContent(broken)).toMatchObject({
    verified: false,
    checked: 1,
    brokenAtSequence: 2,
    reason: 'chain-hash-mismatch',
  });
  await entries.updateOne(where, { $set: { view: before?.view as string } });
});

test('a change of type is found like every other change', async () => {
  const where = { organizationId: toObjectId(ada.organizationId), sequence: 2 };
  const entries = harness.db.collection('ledger');
  const before = await entries.findOne(where);
  for (const changed of [{ createdAt: 'now' }, { view: 1 }]) {
    await entries.updateOne(where, { $set: changed });
    const answer = assertOk(await call('verify_chain_segment', { fromSeq: 1 }));
    expect(answer.body.data.isError).toBe(true);
    expect(readContent(answer)).toMatchObject({
      brokenAtSequence: 2,
      reason: 'chain-hash-mismatch',
    });
    const { createdAt, view } = before as unknown as Record<string, unknown>;
    await entries.updateOne(where, { $set: { createdAt, view } });
  }
});

test.each([
  ['fromSeq', { fromSeq: 0 }],
  ['an order', { fromSeq: 3, toSeq: 2 }],
  ['a text', { fromSeq: '1' }],
  ['another member', { fromSeq: 1, all: true }],
  ['none', undefined],
])('arguments that the tool does not take: %s', async (_, given) => {
  const { status, body } = await call('verify_chain_segment', given);
  expect([status, body.code]).toEqual([400, 'MCP_TOOL_FAILED']);
  expect(body.error).toBe('The tool could not be called');
});

test('unknown resources and tools are refused with a code and without a reason', async () => {
  expect(toOutcome(await read('service://secrets'))).toEqual([400, 'MCP_READ_FAILED']);
  expect(toOutcome(await read('__proto__'))).toEqual([400, 'MCP_READ_FAILED']);
  expect(toOutcome(await call('delete_everything', {}))).toEqual([400, 'MCP_TOOL_FAILED']);
  expect(toOutcome(await call('constructor', {}))).toEqual([400, 'MCP_TOOL_FAILED']);
  expect(toOutcome(await read(undefined))).toEqual([400, 'VALIDATION_ERROR']);
  expect(toOutcome(await call(undefined))).toEqual([400, 'VALIDATION_ERROR']);
});

test('an official client lists and calls', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${ada.token}` };
  const address = new URL(`${app.url}${path}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['lookup_decision', 'verify_chain_segment']);
  const { resources } = await client.listResources();
  expect(resources).toHaveLength(3);
  const { contents } = await client.readResource({ uri: 'service://traces/recent' });
  expect(JSON.parse((contents[0] as { text: string }).text)).toHaveLength(3);
  const found = await client.callTool({ name: 'lookup_decision', arguments: { traceId } });
  const [first] = found.content as { text: string }[];
  expect(JSON.parse(first?.text ?? '')).toMatchObject({ traceId });
  const wrong = await client
    .callTool({ name: 'verify_chain_segment', arguments: { fromSeq: 0 } })
    .catch((error: unknown) => ({ isError: true, error }));
  expect(wrong.isError).toBe(true);
  await client.close();
});

test('the text of an internal fault is hidden from clients', async () => {
  const where = { traceId, kind: 'trace' };
  const entries = harness.db.collection('ledger');
  await entries.updateOne(where, { $set: { 'changed.metadata': '{' } });
  const ask = (method: string, params: object): Promise<Answer> =>
    app.call('POST', `${path}/mcp`, {
      token: ada.token,
      body: { jsonrpc: '2.0', id: 1, method, params },
    });
  const lookup = { name: 'lookup_decision', arguments: { traceId } };
  const called = await ask('tools/call', lookup);
  expect(called.text).toContain('The tool could not be called');
  const got = await ask('resources/read', { uri: 'service://traces/recent' });
  expect(got.text).toContain('The resource could not be read');
  for (const { status, text } of [called, got]) {
    expect(status).toBe(200);
    expect(text).not.toContain('JSON at position');
  }
  await entries.updateOne(where, { $unset: { 'changed.metadata': 1 } });
});

test('callers without a session or the plan are refused, and no stream stays open', async () => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  expect(toOutcome(await app.call('POST', `${path}/mcp`, { body }))).toEqual([401, 'NO_TOKEN']);
  expect(toOutcome(await app.call('POST', `${path}/mcp`, { key, body }))).toEqual([
    403,
    'FORBIDDEN',
  ]);
  expect((await app.call('GET', `${path}/mcp`, { token: ada.token })).status).toBe(405);
  const listen = { ...body, method: 'subscriptions/listen' };
  const answer = await app.call('POST', `${path}/mcp`, { token: ada.token, body: listen });
  expect(answer.text).toContain('error');
});
