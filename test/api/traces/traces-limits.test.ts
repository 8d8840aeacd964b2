// What ingestion refuses and accepts over HTTP (document 1, section 9; document 2, section 4.1).
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { buildDecision, createWorkspaceKey } from '../../setup/personas.ts';
import type { Call } from '../../setup/start-app.ts';

let key: string;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const post = (call: Call) => app.call('POST', '/api/v1/traces', { key, ...call });
const total = async () =>
  (await app.call('GET', '/api/v1/traces?limit=1', { token: ada.token })).body.total as number;

const output = { action: 'reply' };
const text = (length: number): string => 'x'.repeat(length);
const json = (bytes: number): { s: string } => ({ s: text(bytes - '{"s":""}'.length) });
const list = (length: number): object[] =>
  Array.from({ length }, () => ({ decision: 'other', confidence: 0.1 }));
let made = 0;
const input = (more: object = {}) => ({ prompt: `Question ${(made += 1)}`, ...more });
const prompt = (length: number) => `${(made += 1)}`.padStart(length, 'x');

test.each<[path: string, limit: number, (size: number) => object]>([
  [
    'inputContext.prompt',
    50_000,
    (size) => ({ inputContext: { prompt: prompt(size) }, outputDecision: output }),
  ],
  [
    'inputContext.systemPrompt',
    50_000,
    (size) => ({ inputContext: input({ systemPrompt: text(size) }), outputDecision: output }),
  ],
  [
    'inputContext.context',
    102_400,
    (size) => ({ inputContext: input({ context: json(size) }), outputDecision: output }),
  ],
  [
    'inputContext.conversationId',
    256,
    (size) => ({ inputContext: input({ conversationId: text(size) }), outputDecision: output }),
  ],
  [
    'outputDecision.action',
    10_240,
    (size) => ({ inputContext: input(), outputDecision: { action: json(size) } }),
  ],
  [
    'outputDecision.rationale',
    50_000,
    (size) => ({ inputContext: input(), outputDecision: { ...output, rationale: text(size) } }),
  ],
  [
    'outputDecision.alternatives',
    10,
    (size) => ({ inputContext: input(), outputDecision: { ...output, alternatives: list(size) } }),
  ],
  [
    'outputDecision.toolCalls',
    50,
    (size) => ({ inputContext: input(), outputDecision: { ...output, toolCalls: list(size) } }),
  ],
])('%s may reach %i; beyond it 400, and nothing is stored', async (path, limit, body) => {
  const before = await total();
  expect((await post({ body: { agentId: 'x', ...body(limit) } })).status).toBe(201);
  const refused = await post({ body: { agentId: 'x', ...body(limit + 1) } });
  expect([refused.status, refused.body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  expect(refused.body.data.issues).toEqual([
    { path, message: expect.stringContaining(`at most ${limit}`) as string },
  ]);
  expect(await total()).toBe(before + 1);
});

describe('an invalid decision', () => {
  const good = buildDecision('x');
  test.each([
    ['no agent', { agentId: undefined }],
    ['an empty agent', { agentId: '' }],
    ['a blank agent', { agentId: '  ' }],
    ['a query for an agent', { agentId: { $ne: null } }],
    ['an agent beyond 200 characters', { agentId: text(201) }],
    ['no input', { inputContext: undefined }],
    ['no prompt', { inputContext: {} }],
    ['an empty prompt', { inputContext: { prompt: '' } }],
    ['a list for a prompt', { inputContext: { prompt: ['a'] } }],
    ['no output', { outputDecision: undefined }],
    ['no action', { outputDecision: { rationale: 'because' } }],
    ['an empty action', { outputDecision: { action: '' } }],
    ['a list for an action', { outputDecision: { action: ['a'] } }],
    ['a number for an action', { outputDecision: { action: 7 } }],
    ['an object for a rationale', { rationale: { $ne: null } }],
    ['alternatives that are no list', { alternatives: { decision: 'a' } }],
    ['a confidence beyond 1', { alternatives: [{ decision: 'a', confidence: 1.5 }] }],
    ['metadata that is a list', { metadata: [] }],
    ['a day that does not exist', { timestamp: '2026-02-30T10:00:00Z' }],
    ['a time without a zone', { timestamp: '2026-02-20T10:00:00' }],
    ['a time that is a number', { timestamp: 1_700_000_000 }],
  ])('%s: 400', async (_what, more) => {
    const { status, body } = await post({ body: { ...good, ...more } });
    expect([status, body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  });

  const withPrompt = (literal: string) =>
    `{"agentId":"x","inputContext":{"prompt":"p","a":${literal}},"outputDecision":{"action":"a"}}`;
  test.each([
    ['NUL', withPrompt('"\\u0000"')],
    ['a lone surrogate', withPrompt('"\\ud800"')],
    ['an infinite number', withPrompt('1e400')],
    ['an integer beyond 2^53 - 1', withPrompt('9007199254740993')],
    ['nesting deeper than 32', withPrompt('['.repeat(31) + ']'.repeat(31))],
    ['the key __proto__', withPrompt('{"__proto__":{"x":1}}')],
    ['no JSON', '{"agentId":'],
    ['a list', '[]'],
    ['a text', '"decision"'],
    ['nothing', ''],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('%s in the body: 400', async (_what, raw) => {
    const { status, body } = await post({ raw });
    expect([status, body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  });

  test('nesting of 32 is accepted, and so are duplicate keys: the last counts', async () => {
    expect((await post({ raw: withPrompt('['.repeat(30) + ']'.repeat(30)) })).status).toBe(201);
    const raw = withPrompt('1').replace('"prompt":"p"', '"prompt":"first","prompt":"last"');
    const { traceId } = (await post({ raw })).body.data;
    const [newest] = (await app.call('GET', '/api/v1/traces?limit=1', { token: ada.token })).body
      .data;
    expect(newest).toMatchObject({ traceId, inputContext: { prompt: 'last' } });
  });

  test('too many bytes are 413, another content type is 415, compressed bytes are read', async () => {
    const large = await post({ body: buildDecision('x', { metadata: { s: text(3_000_000) } }) });
    expect([large.status, large.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    const form = await post({
      raw: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([form.status, form.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const raw = gzipSync(JSON.stringify(buildDecision('x')));
    expect((await post({ raw, headers: { 'content-encoding': 'gzip' } })).status).toBe(201);
  });
});

test('the longest legal texts, escaped as no caller would, fit into a body', async () => {
  const escaped = '\\ud83d\\ude00'.repeat(50_000);
  const raw = `{"agentId":"x","inputContext":{"prompt":"${escaped}","systemPrompt":"${escaped}"},"outputDecision":{"action":"a","rationale":"${escaped}"},"rationale":"${escaped}"}`;
  expect((await post({ raw })).status).toBe(201);
});
