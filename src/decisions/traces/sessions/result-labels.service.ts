// The labels that the outcome of an execution adds to the session of its decision.
import type { Platform } from '../../../platform/platform.ts';
import type { ExecutionOutcome } from '../executions/execution-amendment.ts';
import { getTraceNeighbours } from '../neighbours.service.ts';
import type { TraceDocument } from '../traces.model.ts';
import { NO_TOOLS } from './judged-session.ts';

/** Those that the catalogue of its workspace has. */
export async function selectResultLabels(
  platform: Platform,
  { organizationId, workspaceId }: TraceDocument,
  { labels = [] }: ExecutionOutcome,
): Promise<string[]> {
  if (labels.length === 0) return [];
  const scope = { organizationId: organizationId.toHexString(), workspaces: String(workspaceId) };
  const catalogue = await getTraceNeighbours(platform).loadCatalogue(scope);
  return (catalogue ?? NO_TOOLS).selectLabels(labels);
}
