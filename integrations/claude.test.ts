// The Claude Agent SDK: Claude Code itself runs the hooks, with a fake of its model.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdapterOptions } from '@assay/sdk/claude';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { testGuarding } from './setup/behaviour.ts';
import { runClaude, SHOP_LOG } from './setup/claude-agent.ts';
import { type MessagesApi, PREFIX, startMessagesApi } from './setup/messages-api.ts';
import { PROGRAMS } from './setup/packed-sdk.ts';
import { useStage } from './setup/stage.ts';
import { type Plan, planRefund, refund } from './setup/tools.ts';

const stage = useStage();
const { connect, createPolicy, decideNext, done, listExecutions } = stage;
let api: MessagesApi;
let folder: string;

beforeAll(async () => {
  api = await startMessagesApi();
  folder = await mkdtemp(join(inject('scratch'), 'claude-'));
  const hold = { type: 'flag_for_review', config: { reason: 'Refunds are looked at' } };
  await createPolicy('Refunds by Claude', `${PREFIX}issue_refund`, hold);
  const block = { type: 'block', config: { reason: 'No wires' } };
  await createPolicy('Wires by Claude', `${PREFIX}wire`, block);
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

async function converse(plan: Plan, options: AdapterOptions, resume?: string) {
  api.plan = plan;
  const session = { url: api.url, folder, done, ...(resume !== undefined && { resume }) };
  return runClaude('Refund order A-17', session, options);
}

testGuarding(
  async (plan, options) => {
    const result = await converse(plan, options);
    if (result.subtype !== 'success') throw new Error(JSON.stringify(result));
    return JSON.parse(result.result) as string[];
  },
  stage,
  'call-2',
);

test('a deferred call ends the query, and runs once when its session is resumed after an approval', async () => {
  api.plan = [[planRefund({}, `toolu_${crypto.randomUUID()}`)]];
  const options = { assay: connect(), onHold: 'suspend' as const };
  const session = { url: api.url, folder, done, program: join(PROGRAMS, 'shop.mjs') };
  const begun = await runClaude('Refund order A-17', session, options);
  expect(begun).toMatchObject({ terminal_reason: 'tool_deferred', deferred_tool_use: {} });
  const again = { ...session, resume: begun.session_id };
  const waiting = await runClaude('', again, options);
  expect(waiting).toMatchObject({ deferred_tool_use: {} });
  const traceId = await decideNext({ decision: 'approve' });
  const resumed = await runClaude('', again, options);
  expect(resumed).toMatchObject({ result: expect.stringContaining('done: issue_refund') });
  const log = await readFile(join(folder, SHOP_LOG), 'utf8');
  expect(
    log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([refund]);
  expect(await listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
});
