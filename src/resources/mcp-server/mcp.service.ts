// The bridge as a server of the Model Context Protocol.
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { answerMcp, McpAnswer, McpMessage } from '../../platform/mcp/mcp-endpoint.ts';
import { RESOURCES, SERVER_INFO, TOOLS } from './bridge.schemas.ts';
import type { BridgeService } from './bridge.service.ts';

interface Deps {
  questions: BridgeService;
  answerMcp: typeof answerMcp;
}

export function createMcpService({ questions, answerMcp: answer }: Deps) {
  return {
    async answer(tenant: Tenant, message: McpMessage): Promise<McpAnswer> {
      const offer = {
        ...SERVER_INFO,
        resources: RESOURCES.map(({ uri, name, description }) => ({
          uri,
          name,
          description,
          read: () => questions.read(tenant, uri),
        })),
        tools: TOOLS.map(({ name, description, arguments: schema }) => ({
          name,
          description,
          arguments: schema,
          call: (given: unknown) => questions.call(tenant, name, given),
        })),
      };
      return answer(offer, message);
    },
  };
}
export type McpService = ReturnType<typeof createMcpService>;
