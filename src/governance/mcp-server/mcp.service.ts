// The bridge as a server of the Model Context Protocol.
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError, type Code } from '../../errors.ts';
import type { answerMcp, McpAnswer, McpMessage } from '../../platform/mcp/mcp-endpoint.ts';
import { RESOURCES, SERVER_INFO, TOOLS } from './bridge.schemas.ts';
import type { BridgeService } from './bridge.service.ts';

interface Deps {
  questions: BridgeService;
  answerMcp: typeof answerMcp;
}

export function createMcpService(
  { logger }: Pick<Platform, 'logger'>,
  { questions, answerMcp: answer }: Deps,
) {
  /** Hides the text of unexpected errors, which the protocol would show to clients. */
  async function hideErrorText<T>(code: Code, pending: Promise<T>): Promise<T> {
    try {
      return await pending;
    } catch (error) {
      if (error instanceof AppError) throw error;
      logger.error({ err: error, code }, 'a question over the Model Context Protocol failed');
      throw new AppError(code);
    }
  }

  return {
    async answer(tenant: Tenant, message: McpMessage): Promise<McpAnswer> {
      const offer = {
        ...SERVER_INFO,
        resources: RESOURCES.map(({ uri, name, description }) => ({
          uri,
          name,
          description,
          read: () => hideErrorText('MCP_READ_FAILED', questions.readResource(tenant, uri)),
        })),
        tools: TOOLS.map(({ name, description, arguments: schema }) => ({
          name,
          description,
          arguments: schema,
          call: (given: unknown) =>
            hideErrorText('MCP_TOOL_FAILED', questions.callTool(tenant, name, given)),
        })),
      };
      return answer(offer, message);
    },
  };
}
export type McpService = ReturnType<typeof createMcpService>;
