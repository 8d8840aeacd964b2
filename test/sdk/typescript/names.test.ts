// The same call posts the same action through every adapter, as the shared table of names says.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guardTools as guardAiTools } from '../../../packages/sdk-typescript/src/adapters/ai.ts';
import type { AdapterOptions } from '../../../packages/sdk-typescript/src/adapters/calls.ts';
import { createGuardHooks } from '../../../packages/sdk-typescript/src/adapters/claude.ts';
import {
  createGuard,
  guardTools as guardGraphTools,
} from '../../../packages/sdk-typescript/src/adapters/langchain.ts';
import { guardClient } from '../../../packages/sdk-typescript/src/adapters/mcp.ts';
import { guardTool } from '../../../packages/sdk-typescript/src/adapters/openai-agents.ts';
import { AssayError } from '../../../packages/sdk-typescript/src/index.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk } from '../../setup/personas.ts';
import { useGuards } from './sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const stage = useGuards(harness, ada);

interface Named {
  from: string;
  server?: string;
  name: string;
  input: unknown;
  cwd?: unknown;
  action: object;
}
type Call = (named: Named, options: AdapterOptions) => Promise<unknown>;

const { names } = JSON.parse(readFileSync('test/vectors/sdk/names.json', 'utf8')) as {
  names: Named[];
};
const run = async (): Promise<string> => 'done';
const toOptions = ({ server }: Named, options: AdapterOptions): AdapterOptions =>
  server === undefined ? options : { ...options, members: { server } };

/** How each adapter is called by its framework, and the rows of the table that it has to do with. */
const ADAPTERS: [string, string, Call][] = [
  [
    'MCP client',
    'mcp',
    ({ name, input, server }, options) => {
      const client = {
        getServerVersion: () => ({ name: server! }),
        callTool: async (_: { name: string; arguments: unknown }) => ({ content: [] }),
      };
      return guardClient(client, options).callTool({ name, arguments: input });
    },
  ],
  [
    'Claude Agent SDK',
    'claude-agent-sdk',
    async ({ name, input, cwd }, options) => {
      const use = { tool_name: name, tool_input: input, tool_use_id: crypto.randomUUID() };
      const event = {
        hook_event_name: 'PreToolUse',
        session_id: 's',
        ...use,
        ...(cwd ? { cwd } : {}),
      };
      const { signal } = new AbortController();
      const [matcher] = createGuardHooks(options).PreToolUse;
      await matcher!.hooks[0]!(event, use.tool_use_id, { signal });
    },
  ],
  [
    'AI SDK',
    'framework',
    (named, options) => {
      const tools = guardAiTools({ [named.name]: { execute: run } }, toOptions(named, options));
      const execute = tools[named.name]!.execute as (
        input: unknown,
        info: object,
      ) => Promise<string>;
      return execute(named.input, { toolCallId: crypto.randomUUID(), messages: [] });
    },
  ],
  [
    'LangChain',
    'framework',
    ({ name, input, ...named }, options) => {
      const { wrapToolCall } = createGuard(toOptions({ name, input, ...named }, options));
      const toolCall = { id: crypto.randomUUID(), name, args: input };
      return wrapToolCall({ toolCall, state: {}, runtime: {} }, run);
    },
  ],
  [
    'LangGraph',
    'framework',
    (named, options) => {
      const [tool] = guardGraphTools(
        [{ name: named.name, invoke: (_: unknown) => run() }],
        toOptions(named, options),
      );
      return tool!.invoke(named.input);
    },
  ],
  [
    'OpenAI Agents',
    'framework',
    (named, options) => {
      const create = (given: { name: string; execute: (input: unknown) => unknown }) => given;
      const made = guardTool(create, toOptions(named, options));
      return Promise.resolve(made({ name: named.name, execute: run }).execute(named.input));
    },
  ],
];

const cases = ADAPTERS.flatMap(([adapter, way, call]) =>
  names
    .filter(({ from }) => from === way)
    .map((named) => [adapter, named.name, named.server, { named, call }] as const),
);
test.each(cases)('%s: %s of %s', async (_adapter, _name, _server, { named, call }) => {
  const { key, id } = stage.agent;
  const assay = stage.connect({ key, agent: id, wait: 0, onTimeout: 'leave' });
  // One of them is held, which is no matter here.
  await call(named, { assay }).catch((error: unknown) => expect(error).toBeInstanceOf(AssayError));
  const { token } = ada;
  const { data } = assertOk(
    await harness.app.call('GET', '/api/v1/traces?limit=1', { token }),
  ).body;
  const [{ traceId }] = data.traces ?? data.items ?? data;
  const { outputDecision } = await stage.read(traceId);
  expect(outputDecision.action).toEqual(named.action);
});
