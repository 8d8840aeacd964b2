// The bridge as a server of the Model Context Protocol.
import { AppError, type Code } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
import { answerMcp, type McpAnswer, type McpMessage } from '../../platform/mcp/mcp-endpoint.ts';
import type { Platform } from '../../platform/platform.ts';
import { RESOURCES, SERVER_INFO, TOOLS } from './bridge.schemas.ts';
import { callTool, readResource } from './bridge.service.ts';

export function answerMessage(ctx: Context, message: McpMessage): Promise<McpAnswer> {
  const { platform } = ctx;
  const offer = {
    ...SERVER_INFO,
    resources: RESOURCES.map(({ uri, name, description }) => ({
      uri,
      name,
      description,
      read: () => hideErrorText(platform, 'MCP_READ_FAILED', readResource(ctx, uri)),
    })),
    tools: TOOLS.map(({ name, description, arguments: schema }) => ({
      name,
      description,
      arguments: schema,
      call: (given: unknown) =>
        hideErrorText(platform, 'MCP_TOOL_FAILED', callTool(ctx, name, given)),
    })),
  };
  return answerMcp(offer, message);
}

/** Hides the text of unexpected errors, which the protocol would show to clients. */
async function hideErrorText<T>({ logger }: Platform, code: Code, pending: Promise<T>): Promise<T> {
  try {
    return await pending;
  } catch (error) {
    if (error instanceof AppError) throw error;
    logger.error({ err: error, code }, 'a question over the Model Context Protocol failed');
    throw new AppError(code);
  }
}
