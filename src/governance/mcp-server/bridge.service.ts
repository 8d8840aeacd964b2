// The bridge for hosts of language models: three resources to read and two tools to call, none of which writes.
import { AppError } from '../../errors.ts';
import type { Context } from '../../platform/context.ts';
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

const READS: Readonly<Record<ResourceUri, (ctx: Context) => Promise<object>>> = {
  'service://policies': listActivePolicies,
  'service://traces/recent': listRecentTraces,
  'service://hash-chain/status': loadChainStatus,
};

const CALLS: Readonly<Record<string, (ctx: Context, given: unknown) => Promise<ToolResult>>> = {
  lookup_decision: (ctx, given) =>
    lookUp(ctx, parseArguments(lookupArguments.safeParse(given)).traceId),
  async verify_chain_segment(ctx, given) {
    const segment = parseArguments(segmentArguments.safeParse(given));
    const value = await verifySegment(ctx, segment);
    return { value, isError: !value.verified };
  },
};

/** The same for every caller. */
export const BRIDGE_MANIFEST: BridgeManifest = {
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

/** Reads the resource of a URI as JSON text. @throws AppError `MCP_READ_FAILED` */
export async function readResource(ctx: Context, uri: string): Promise<string> {
  if (!Object.hasOwn(READS, uri)) throw new AppError('MCP_READ_FAILED');
  return JSON.stringify(await READS[uri as ResourceUri](ctx));
}

/** @throws AppError `MCP_TOOL_FAILED` for an unknown tool and for arguments that it does not take */
export async function callTool(ctx: Context, name: string, given: unknown): Promise<ToolAnswer> {
  const call = Object.hasOwn(CALLS, name) ? CALLS[name] : undefined;
  if (!call) throw new AppError('MCP_TOOL_FAILED');
  const { value, isError } = await call(ctx, given);
  return { content: [{ type: 'text', text: JSON.stringify(value) }], isError };
}

async function listActivePolicies({ platform, tenant }: Context): Promise<object[]> {
  const { organizationId, workspaceId, signal } = tenant;
  const chosen = workspaceId === null ? {} : { workspaceId };
  const cursor = platform.models.policies
    .find({ organizationId, deletedAt: null, enabled: true, ...chosen }, POLICY_MEMBERS)
    .sort({ priority: 1, _id: 1 })
    .setOptions({ maxTimeMS: READ_MAX_MS })
    .lean<PolicyDocument>()
    .cursor();
  const shown: object[] = [];
  let left = POLICIES_MAX;
  for await (const policy of readCursor(cursor, signal)) {
    const { _id: id, name, description, priority, conditions, actions } = policy;
    const brief = { id, name, description, priority, workspaceId: policy.workspaceId };
    left -= JSON.stringify([conditions, actions]).length;
    shown.push(
      left < 0 ? { ...brief, definitionOmitted: true } : { ...brief, conditions, actions },
    );
  }
  return shown;
}

async function listRecentTraces(ctx: Context): Promise<object[]> {
  const { items } = await listTraces(ctx, {}, RECENT);
  return items.map(({ traceId, status, confidenceScore: confidence, createdAt, rationale }) => ({
    traceId,
    status,
    confidence,
    createdAt,
    rationale,
  }));
}

async function loadChainStatus(ctx: Context): Promise<object> {
  const {
    lastChainHash: head,
    lastSequence: sequence,
    lastVerifiedAt,
    lastVerificationOk,
  } = await describeStatus(ctx);
  const verdict = lastVerificationOk ? 'verified' : 'broken';
  const status = lastVerificationOk === null ? 'unverified' : verdict;
  return { head, sequence, lastVerifiedAt, status };
}

async function lookUp(ctx: Context, traceId: string): Promise<ToolResult> {
  try {
    return { value: await loadNamedTrace(ctx, traceId), isError: false };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    return { value: { error: 'No decision has this traceId' }, isError: true };
  }
}

/**
 * Does not say which argument is wrong, because errors of the bridge carry no details.
 * @throws AppError `MCP_TOOL_FAILED`
 */
function parseArguments<T>(result: { success: true; data: T } | { success: false }): T {
  if (!result.success) throw new AppError('MCP_TOOL_FAILED');
  return result.data;
}
