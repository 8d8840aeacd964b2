// The bridge for hosts of language models: three resources to read and two tools to call, none of which writes.
import type { Json } from '@assay/json';
import type { Platform } from '../../platform/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { AppError } from '../../errors.ts';
import { readCursor, READ_MAX_MS } from '../../platform/mongo/queries.ts';
import { describeStatus } from '../../evidence/hash-chain/hash-chain.service.ts';
import { verifySegment } from '../../evidence/hash-chain/segments.service.ts';
import type { PolicyDocument } from '../../policies/policies.model.ts';
import { listTraces, loadNamedTrace } from '../../decisions/traces/traces.service.ts';
import {
  toInputSchema,
  lookupArguments,
  type BridgeManifest,
  PROTOCOL_VERSION,
  RESOURCES,
  type ResourceUri,
  segmentArguments,
  SERVER_INFO,
  TOOLS,
  type ToolAnswer,
} from './bridge.schemas.ts';

/** The result of a tool, and whether it is an error. */
interface ToolResult {
  value: unknown;
  isError: boolean;
}

const RECENT = { skip: 0, limit: 50 };
/** Limit of characters; policies beyond it are shown without conditions and actions. */
const POLICIES_MAX = 2 * 1024 * 1024;
const POLICY_MEMBERS = 'name description priority conditions actions workspaceId';

export function createBridgeService(platform: Platform) {
  const { models } = platform;
  async function listPolicies({ organizationId, workspaceId, signal }: Tenant): Promise<object[]> {
    const chosen = workspaceId === null ? {} : { workspaceId };
    const cursor = models.policies
      .find({ organizationId, deletedAt: null, enabled: true, ...chosen }, POLICY_MEMBERS)
      .sort({ priority: 1, _id: 1 })
      .setOptions({ maxTimeMS: READ_MAX_MS })
      .lean<PolicyDocument>()
      .cursor();
    const shown: object[] = [];
    let left = POLICIES_MAX;
    for await (const policy of readCursor(cursor, signal)) {
      const { _id: id, name, description, priority, conditions, actions } = policy;
      const workspace = policy.workspaceId;
      const brief = { id, name, description, priority, workspaceId: workspace };
      left -= JSON.stringify([conditions, actions]).length;
      shown.push(
        left < 0 ? { ...brief, definitionOmitted: true } : { ...brief, conditions, actions },
      );
    }
    return shown;
  }

  async function listRecentTraces(tenant: Tenant): Promise<object[]> {
    const { items } = await listTraces({ platform, tenant }, {}, RECENT);
    return items.map(({ traceId, status, confidenceScore: confidence, createdAt, rationale }) => ({
      traceId,
      status,
      confidence,
      createdAt,
      rationale,
    }));
  }

  async function loadChainStatus(tenant: Tenant): Promise<object> {
    const status = await describeStatus({ platform, tenant });
    const {
      lastChainHash: head,
      lastSequence: sequence,
      lastVerifiedAt,
      lastVerificationOk,
    } = status;
    const verdict = lastVerificationOk ? 'verified' : 'broken';
    const statusText = lastVerificationOk === null ? 'unverified' : verdict;
    return { head, sequence, lastVerifiedAt, status: statusText };
  }

  const reads: Readonly<Record<ResourceUri, (tenant: Tenant) => Promise<object>>> = {
    'service://policies': listPolicies,
    'service://traces/recent': listRecentTraces,
    'service://hash-chain/status': loadChainStatus,
  };

  async function lookUp(tenant: Tenant, traceId: string): Promise<ToolResult> {
    try {
      return { value: await loadNamedTrace({ platform, tenant }, traceId), isError: false };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
      return { value: { error: 'No decision has this traceId' }, isError: true };
    }
  }

  const tools: Readonly<Record<string, (tenant: Tenant, given: unknown) => Promise<ToolResult>>> = {
    lookup_decision: (tenant, given) =>
      lookUp(tenant, parseArguments(lookupArguments.safeParse(given)).traceId),
    async verify_chain_segment(tenant, given) {
      const value = await verifySegment(
        { platform, tenant },
        parseArguments(segmentArguments.safeParse(given)),
      );
      return { value, isError: !value.verified };
    },
  };

  return {
    /** The manifest is the same for every caller. */
    manifest: createManifest(),

    /** Reads the resource of a URI as JSON text. @throws AppError `MCP_READ_FAILED` */
    async readResource(tenant: Tenant, uri: string): Promise<string> {
      if (!Object.hasOwn(reads, uri)) throw new AppError('MCP_READ_FAILED');
      return JSON.stringify(await reads[uri as ResourceUri](tenant));
    },

    /** @throws AppError `MCP_TOOL_FAILED` for an unknown tool and for arguments that it does not take */
    async callTool(tenant: Tenant, name: string, given: unknown): Promise<ToolAnswer> {
      const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
      if (!tool) throw new AppError('MCP_TOOL_FAILED');
      const { value, isError } = await tool(tenant, given);
      return { content: [{ type: 'text', text: JSON.stringify(value as Json) }], isError };
    },
  };
}
export type BridgeService = ReturnType<typeof createBridgeService>;

function createManifest(): BridgeManifest {
  return {
    protocolVersion: PROTOCOL_VERSION,
    serverInfo: SERVER_INFO,
    capabilities: { resources: true, tools: true, prompts: false },
    resources: [...RESOURCES],
    tools: TOOLS.map(({ name, description, arguments: schema }) => ({
      name,
      description,
      inputSchema: toInputSchema(schema),
    })),
  };
}

/**
 * Does not say which argument is wrong, because errors of the bridge carry no details.
 * @throws AppError `MCP_TOOL_FAILED`
 */
function parseArguments<T>(result: { success: true; data: T } | { success: false }): T {
  if (!result.success) throw new AppError('MCP_TOOL_FAILED');
  return result.data;
}
