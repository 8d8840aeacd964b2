// What the newest decisions put out, for those who ask which tools agents call.
import type { Json } from '@assay/json';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { readSealed } from '../../../domain/record/commitments.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { Context } from '../../../platform/context.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { TraceDocument } from '../traces.model.ts';
import { readOpened } from './opened-decisions.ts';

/** Decisions that are gone over, the newest of the organisation. */
const GONE_OVER = 10_000;
/** What is read, with what opens the contents. */
const READ = 'sequence workspaceId agentId agentName createdAt sealed content generation';

type StoredOutput = Pick<
  TraceDocument,
  | '_id'
  | 'sequence'
  | 'workspaceId'
  | 'agentId'
  | 'agentName'
  | 'createdAt'
  | 'sealed'
  | 'content'
  | 'generation'
>;

interface DecisionOutput {
  workspaceId: string;
  agent: string | null;
  at: Date;
  output: Json;
}

/** Those that the tenant may see, the newest first; erased ones have no output, and are left out. */
export async function* readNewestOutputs(
  ctx: Context,
  { since, most }: { since: Date; most: number },
): AsyncGenerator<DecisionOutput> {
  const { platform, tenant } = ctx;
  const newest = await platform.models.traces.aggregate<{ traceId: string }>(
    [
      { $match: { organizationId: toObjectId(tenant.organizationId), kind: 'trace' } },
      { $sort: { sequence: -1 } },
      { $limit: GONE_OVER },
      { $match: { createdAt: { $gte: since }, ...createVisibilityFilter(tenant) } },
      { $limit: most },
      { $project: { _id: 0, traceId: 1 } },
    ],
    { maxTimeMS: READ_MAX_MS },
  );
  for await (const trace of readOpened<StoredOutput>(ctx, newest, READ)) {
    const { workspaceId, agentName, agentId, createdAt: at, sealed } = trace;
    const output = readSealed(sealed, 'outputDecision');
    if (output !== null) yield { workspaceId, agent: agentName ?? agentId ?? null, at, output };
  }
}
