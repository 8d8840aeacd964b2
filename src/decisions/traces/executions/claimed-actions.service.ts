// Lists the actions that are claimed and have not ended: a halt shows them.
import type { Platform } from '../../../platform/platform.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { TraceDocument } from '../traces.model.ts';

/** The newest that are read. */
const READ_MAX = 1000;
const MEMBERS =
  'organizationId workspaceId agentId agentName answer sessionId sealed.principal content generation sequence traceId execution';

/** The newest thousand at most, with their values readable. */
export async function listClaimedActions(
  { models, contents }: Pick<Platform, 'models' | 'contents'>,
  organizationId: string,
): Promise<TraceDocument[]> {
  const found = await models.traces
    .find({ organizationId, 'execution.state': 'claimed' }, MEMBERS)
    .hint('execution-claimed')
    .sort({ sequence: -1 })
    .limit(READ_MAX)
    .maxTimeMS(READ_MAX_MS)
    .lean<TraceDocument[]>();
  return contents.decryptDocuments(organizationId, found);
}
