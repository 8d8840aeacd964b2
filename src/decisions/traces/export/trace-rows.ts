// A decision as one row of a CSV export: a column for each of its fields, objects as JSON.
import type { Json } from '@assay/json';
import type { Cell } from '../../../domain/csv.ts';
import type { TraceView } from '../traces.view.ts';

const COLUMNS: Readonly<Record<string, (trace: TraceView) => Cell>> = {
  _id: ({ _id }) => _id.toHexString(),
  traceId: ({ traceId }) => traceId,
  timestamp: ({ timestamp }) => timestamp.toISOString(),
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  organizationId: ({ organizationId }) => organizationId.toHexString(),
  workspaceId: ({ workspaceId }) => workspaceId,
  agentId: ({ agentId }) => agentId,
  agentName: ({ agentName }) => agentName,
  agentVersion: ({ agentVersion }) => agentVersion,
  schemaVersion: ({ schemaVersion }) => schemaVersion,
  status: ({ status }) => status,
  confidenceScore: ({ confidenceScore }) => confidenceScore,
  tags: ({ tags }) => tags.join(' '),
  humanOverride: ({ humanOverride }) => humanOverride,
  prompt: ({ inputContext }) => toCellText(readMember(inputContext, 'prompt')),
  action: ({ outputDecision }) => toCellText(readMember(outputDecision, 'action')),
  rationale: ({ rationale }) => rationale,
  triggeringCondition: ({ triggeringCondition }) => triggeringCondition,
  inputContext: ({ inputContext }) => toCellText(inputContext),
  outputDecision: ({ outputDecision }) => toCellText(outputDecision),
  alternatives: ({ alternatives }) => toCellText(alternatives),
  metadata: ({ metadata }) => toCellText(metadata),
  clientInfo: ({ clientInfo }) => toCellText(clientInfo && { ...clientInfo }),
  adapter: ({ adapter }) => toCellText(adapter),
  mlBomReference: ({ mlBomReference }) => toCellText(mlBomReference),
  art12: ({ art12 }) => toCellText(art12),
  conversation: ({ conversation }) => toCellText(conversation),
  crew: ({ crew }) => toCellText(crew),
  sequence: ({ hashChain }) => hashChain.sequence,
  chainHash: ({ hashChain }) => hashChain.chainHash,
  sessionId: ({ sessionId }) => toCellText(sessionId),
  parentTraceId: ({ parentTraceId }) => toCellText(parentTraceId),
  actor: ({ actor }) => toCellText(actor),
  labels: ({ labels }) => toCellText(labels),
  matchedPolicy: ({ matchedPolicy }) => toCellText(matchedPolicy && { ...matchedPolicy }),
  decidedBy: ({ decidedBy }) => decidedBy,
};

export const TRACE_COLUMNS: readonly string[] = Object.keys(COLUMNS);

/** The cells of a decision, in the order of the columns. */
export function toTraceRow(trace: TraceView): Cell[] {
  return Object.values(COLUMNS).map((toCell) => toCell(trace));
}

function toCellText(value: Json | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function readMember(value: Json, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value[name];
}
