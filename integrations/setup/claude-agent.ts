// An agent of the Claude Agent SDK: Claude Code itself, with tools of this process and a fake of its model.
import { join } from 'node:path';
import {
  createSdkMcpServer,
  type McpServerConfig,
  type Options,
  query,
  type SDKResultMessage,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import { type AdapterOptions, createGuardHooks } from '@assay/sdk/claude';
import { recordCall, type Done, SCHEMAS, TOOL_NAMES } from './tools.ts';

/** Where the program writes what it did. */
export const SHOP_LOG = 'shop.log';

export interface Session {
  /** Of the fake model. */
  url: string;
  /** A folder of its own, for sessions and settings. */
  folder: string;
  done: Done[];
  /** A session that goes on. */
  resume?: string;
  /** The program of a server to start, instead of tools of this process. */
  program?: string;
}

/** Options of a query without hooks. */
export function createOptions({ url, folder, done, resume, program }: Session): Options {
  const tools = TOOL_NAMES.map((name) =>
    tool(name, name, SCHEMAS[name].shape, async (args: object) => ({
      content: [{ type: 'text' as const, text: recordCall(done, name, args) }],
    })),
  );
  const { PATH = '' } = process.env;
  const shop: McpServerConfig =
    program === undefined
      ? createSdkMcpServer({ name: 'shop', tools, alwaysLoad: true })
      : {
          command: process.execPath,
          args: [program],
          env: { SHOP_LOG: join(folder, SHOP_LOG) },
          alwaysLoad: true,
        };
  return {
    cwd: folder,
    settingSources: [],
    model: 'claude-fake',
    allowedTools: TOOL_NAMES.map((name) => `mcp__shop__${name}`),
    mcpServers: { shop },
    ...(resume !== undefined && { resume }),
    env: {
      PATH,
      HOME: folder,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'a key for tests',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  };
}

export async function runClaude(
  prompt: string,
  session: Session,
  options: AdapterOptions,
): Promise<SDKResultMessage> {
  const hooks = createGuardHooks(options);
  const messages = query({ prompt, options: { ...createOptions(session), hooks } });
  for await (const message of messages) if (message.type === 'result') return message;
  throw new Error('Claude Code ended without a result');
}
