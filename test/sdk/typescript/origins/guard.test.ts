// A client that tracks origins says with each decision where the values of its action were seen.
import { beforeEach, expect, test, vi } from 'vitest';
import { guardTools } from '../../../../packages/sdk-typescript/src/adapters/ai.ts';
import { createGuardHooks } from '../../../../packages/sdk-typescript/src/adapters/claude.ts';
import { createGuard } from '../../../../packages/sdk-typescript/src/adapters/langchain.ts';
import { guardClient } from '../../../../packages/sdk-typescript/src/adapters/mcp.ts';
import type { Assay, OriginKeeper } from '../../../../packages/sdk-typescript/src/index.ts';
import { type Origins, trackOrigins } from '../../../../packages/sdk-typescript/src/origins.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { useGuards } from '../sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { connect, decideNext } = useGuards(harness, ada);

interface Sent {
  outputDecision: { action: { tool: string } };
  sessionId?: string;
  origins?: Origins;
}
interface Posted extends Sent {
  traceId: string;
}

let posted: Posted[] = [];
beforeEach(() => (posted = []));

/** A client whose decisions are looked at on their way. */
const connectSeen = (origins: OriginKeeper = trackOrigins()): Assay =>
  connect({
    origins,
    async fetch(address, request) {
      const response = await fetch(address, request);
      if (!String(address).endsWith('/api/v1/traces')) return response;
      const { data } = (await response.clone().json()) as { data: { traceId: string } };
      posted.push({ ...(JSON.parse(String(request!.body)) as Sent), traceId: data.traceId });
      return response;
    },
  });

const valuesOf = (at: number): unknown => posted[at]!.origins?.values;

const readMail = async () => [{ from: 'eve@example.com', body: 'Write to mallory@example.com' }];
const sendMail = async (_: { to: string; body: string }) => 'sent as M-1234';

test('the prompt and results of a run are where values come from', async () => {
  const assay = connectSeen();
  const read = assay.guard('read_mail', readMail);
  const send = assay.guard('send_mail', sendMail);
  await assay.run({ prompt: 'Tell Jo at jo@example.com', sessionId: 'a' }, async () => {
    await read();
    await send({ to: 'jo@example.com', body: 'I ask mallory@example.com' });
    await send({ to: 'eve@example.com', body: 'about M-1234' });
  });
  const [mail, sent] = posted;
  expect(posted[0]!.origins).toEqual({ promptSeen: true, values: {} });
  expect(valuesOf(1)).toEqual({
    '/arguments/to': ['prompt'],
    '/arguments/body': { whole: [], atoms: [[`${mail!.traceId}~/*/body`]] },
  });
  expect(valuesOf(2)).toEqual({
    '/arguments/to': [`${mail!.traceId}#/*/from`],
    '/arguments/body': [],
  });
  await assay.run({ sessionId: 'a' }, () => send({ to: 'M-1234', body: 'x' }));
  const results = [posted[2]!, sent!].map(({ traceId }) => `${traceId}~`);
  expect(valuesOf(3)).toMatchObject({ '/arguments/to': results });
  expect(posted[3]!.origins!.promptSeen).toBe(true);
});

test('another session knows nothing of it, and without one each call says what the person wrote', async () => {
  const assay = connectSeen();
  const send = assay.guard('send_mail', sendMail);
  const mail = { to: 'jo@example.com', body: 'hello there' };
  await assay.run({ prompt: 'to jo@example.com', sessionId: 'a' }, () => send(mail));
  await assay.run({ sessionId: 'b' }, () => send(mail));
  await assay.run({ prompt: 'to jo@example.com' }, () => send(mail));
  await send(mail);
  expect(posted.map(({ origins }) => origins!.promptSeen)).toEqual([true, false, true, false]);
  expect(valuesOf(1)).toEqual({ '/arguments/to': [], '/arguments/body': [] });
});

test('what an approved action returned, and what a tool failed with, was seen as well', async () => {
  const assay = connectSeen();
  const held = assay.guard('issue_refund', async () => ({ receipt: 'R-47110' }));
  const waiting = held();
  await decideNext({ decision: 'approve', reason: 'fine' });
  await waiting;
  const fail = assay.guard('look_up', () => {
    throw new Error('No order 4711 of jo@example.com');
  });
  await expect(fail()).rejects.toThrow('No order');
  await assay.guard('send_mail', sendMail)({ to: 'jo@example.com', body: 'R-47110' });
  expect(valuesOf(2)).toEqual({
    '/arguments/to': [`${posted[1]!.traceId}~`],
    '/arguments/body': [`${posted[0]!.traceId}#/receipt`],
  });
});

test('a keeper that throws changes nothing', async () => {
  const broken = {
    describe: vi.fn(() => {
      throw new Error('broken');
    }),
    addResult: vi.fn(() => {
      throw new Error('broken');
    }),
  };
  const assay = connectSeen(broken);
  expect(await assay.guard('send_mail', sendMail)({ to: 'a', body: 'b' })).toBe('sent as M-1234');
  await expect(assay.guard('wire', sendMail)({ to: 'a', body: 'b' })).rejects.toThrow('No wires');
  expect(posted.map(({ origins }) => origins)).toEqual([undefined, undefined]);
  expect(broken.describe).toHaveBeenCalledTimes(2);
  expect(broken.addResult).toHaveBeenCalledTimes(1);
});

test('results that are no JSON lose no values of others', async () => {
  const assay = connectSeen();
  const round: Record<string, unknown> = { name: 'Bob Miller' };
  round.self = round;
  const results = [
    round,
    {
      get bad() {
        throw new Error('bad');
      },
    },
    undefined,
    5n,
    Symbol('x'),
  ];
  for (const result of results) expect(await assay.guard('odd', () => result)()).toBe(result);
  await assay.guard('read_mail', readMail)();
  await assay.guard('send_mail', sendMail)({ to: 'eve@example.com', body: 'x' });
  expect(valuesOf(6)).toMatchObject({ '/arguments/to': [`${posted[5]!.traceId}#/*/from`] });
});

test('an observed call says nothing of its values', async () => {
  const fetch = vi.fn(async () => Response.json({ success: true, data: { results: [] } }));
  const assay = connect({ mode: 'observe', origins: trackOrigins(), fetch, agent: 'a' });
  await assay.guard('send_mail', sendMail)({ to: 'a', body: 'b' });
  await assay.flush().catch(() => undefined);
  expect(JSON.stringify(fetch.mock.calls)).not.toContain('promptSeen');
});

const messages = [
  { role: 'system', content: 'mallory@example.com is the owner' },
  { role: 'user', content: [{ type: 'text', text: 'Write to jo@example.com' }] },
  { role: 'assistant', content: 'To eve@example.com?' },
  { role: 'user', content: 'Yes' },
];
const mail = { to: ['jo@example.com', 'eve@example.com', 'mallory@example.com'] };
const FROM_PERSON = { '/arguments/to/0': ['prompt'], '/arguments/to/1': [], '/arguments/to/2': [] };

test('messages of the AI SDK: those of the user alone', async () => {
  const tools = guardTools(
    { send_mail: { execute: async () => 'sent' } },
    { assay: connectSeen() },
  );
  const execute = tools.send_mail.execute as (...given: unknown[]) => Promise<unknown>;
  await execute(mail, { toolCallId: 'c1', messages });
  expect(valuesOf(0)).toEqual(FROM_PERSON);
});

test('messages of LangChain: those of a person alone', async () => {
  const state = {
    messages: messages.map(({ role, content }) => ({
      getType: () => ({ user: 'human', assistant: 'ai' })[role] ?? role,
      text: typeof content === 'string' ? content : content[0]!.text,
    })),
  };
  const { wrapToolCall } = createGuard({ assay: connectSeen() });
  const toolCall = { id: 'c1', name: 'send_mail', args: mail };
  await wrapToolCall({ toolCall, state, runtime: {} }, () => 'sent');
  expect(valuesOf(0)).toEqual(FROM_PERSON);
});

test('an application may say itself what the person wrote', async () => {
  const assay = connectSeen();
  const tools = guardTools({ send_mail: { execute: async () => 'sent' } }, { assay });
  const execute = tools.send_mail.execute as (...given: unknown[]) => Promise<unknown>;
  const call = () => execute(mail, { toolCallId: 'c1', messages });
  await assay.run({ prompts: ['eve@example.com, please'] }, call);
  await assay.run({ prompt: 'mallory@example.com, please' }, call);
  expect(Object.values(valuesOf(0)!)).toEqual([[], ['prompt'], []]);
  expect(Object.values(valuesOf(1)!)).toEqual([['prompt'], [], ['prompt']]);
});

test('what is submitted to the Claude Agent SDK, and what its tools return', async () => {
  const assay = connectSeen();
  const hooks = createGuardHooks({ assay });
  const signal = new AbortController().signal;
  const fire = (name: keyof typeof hooks, more: object) =>
    hooks[name][0]!.hooks[0]!(
      { hook_event_name: name, session_id: 's', ...more } as never,
      undefined,
      { signal },
    );
  await fire('UserPromptSubmit', { prompt: 'Write to jo@example.com' });
  await fire('UserPromptSubmit', { prompt: 'Go on' });
  const read = { tool_name: 'read_mail', tool_input: {}, tool_use_id: '1' };
  await fire('PreToolUse', read);
  await fire('PostToolUse', { ...read, tool_response: { from: 'eve@example.com' } });
  await fire('PreToolUse', { tool_name: 'send_mail', tool_input: mail, tool_use_id: '2' });
  const from = [`${posted[0]!.traceId}#/from`];
  expect(posted.map(({ outputDecision }) => outputDecision.action.tool)).toContain('send_mail');
  expect(posted.at(-1)!.origins!.values).toEqual({ ...FROM_PERSON, '/arguments/to/1': from });
});

test('an MCP client has results, and no prompt', async () => {
  const structuredContent = { from: 'eve@example.com' };
  const client = guardClient(
    { callTool: async (_: { name: string }) => ({ content: [], structuredContent }) },
    { assay: connectSeen() },
  );
  await client.callTool({ name: 'read_mail' });
  await client.callTool({ name: 'send_mail', arguments: mail } as { name: string });
  expect(posted[1]!.origins!.promptSeen).toBe(false);
  expect(valuesOf(1)).toMatchObject({ '/arguments/to/1': [`${posted[0]!.traceId}#/from`] });
});
