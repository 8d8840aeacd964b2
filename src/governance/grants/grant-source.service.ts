// Reads from a held decision what a standing grant may be given for, and refuses what cannot be granted.
import { compileCatalogue, type ToolCatalogue } from '@assay/policy';
import type { Json } from '@assay/json';
import {
  findGrantableCall,
  type GrantedCall,
  type HoldingPolicy,
} from '../../domain/grants/standing-grant.ts';
import { createVisibilityFilter } from '../../domain/identity/visible-decisions.ts';
import { readSealed } from '../../domain/record/commitments.ts';
import { readCommittedState } from '../../domain/record/committed-state.ts';
import type { TracePayload } from '../../domain/record/payload.ts';
import { loadVisibleDecision } from '../../decisions/traces/decision-lookup.service.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import { AppError } from '../../errors.ts';
import { toObjectId } from '../../ledger/ledger.model.ts';
import type { UserContext } from '../../platform/context.ts';
import { listGrantablePolicies } from '../../policies/grantable-policies.service.ts';
import { resolveToolSet } from '../../policies/tools/tool-sets.service.ts';

/** What a grant takes from the decision that a person looked at. */
export interface GrantSource extends GrantedCall {
  traceId: string;
  workspaceId: string;
  agentId: string;
  agentName: string | null;
  policies: HoldingPolicy[];
  review: NonNullable<TraceDocument['review']>;
}

interface Evaluation {
  matchedPolicies: { id: string; revision: number; actions: string[]; error: string | null }[];
}

/** @throws AppError `NOT_FOUND`, `INVALID_OPERATION` (it cannot be granted) */
export async function loadGrantSource(
  ctx: UserContext,
  where: { traceId: string } | { reviewId: string },
): Promise<GrantSource> {
  const filter = 'traceId' in where ? where : { 'review._id': toObjectId(where.reviewId) };
  const trace = await loadVisibleDecision(ctx, {
    ...createVisibilityFilter(ctx.tenant),
    ...filter,
  });
  const { review, traceId, workspaceId, agentName } = trace;
  const { agent } = JSON.parse(trace.view) as TracePayload;
  if (!review) throw createUngrantableError('it was not held');
  if (agent === null) throw createUngrantableError('its agent is not registered');
  if (trace.answer?.halt) throw createUngrantableError('a halt held it');
  if (trace.answer?.limits) throw createUngrantableError('a limit held it');
  if (review.edited || trace.changed?.['outputDecision'] !== undefined)
    throw createUngrantableError('its action was edited');
  const policies = await findPolicies(ctx, trace);
  const call = await findCall(ctx, trace);
  return { traceId, workspaceId, agentId: agent, agentName, policies, review, ...call };
}

/** The policies that held it; each MUST still be as it was. */
async function findPolicies(
  { platform, tenant }: UserContext,
  { sealed }: TraceDocument,
): Promise<HoldingPolicy[]> {
  const { matchedPolicies = [] } = readSealed<Evaluation>(sealed, 'evaluation') ?? {};
  const holding = matchedPolicies.filter(({ actions }) => actions.includes('flag_for_review'));
  const ids = holding.map(({ id }) => id);
  const grantable = await listGrantablePolicies(platform, tenant.organizationId, ids);
  const other = holding.find(({ id, revision, error }) => {
    const now = grantable.get(id);
    return error !== null || now !== revision;
  });
  if (holding.length === 0) throw createUngrantableError('no policy held it');
  if (other)
    throw createUngrantableError(
      `the policy ${other.id} that held it has changed since, or cannot be granted past`,
    );
  return holding.map(({ id, revision }) => ({ id, revision }));
}

async function findCall(ctx: UserContext, { sealed }: TraceDocument): Promise<GrantedCall> {
  const output = readSealed<Json>(sealed, 'outputDecision');
  if (output === null) throw createUngrantableError('its action was not kept');
  const call = findGrantableCall(output, await findCatalogue(ctx, sealed));
  if ('why' in call) throw createUngrantableError(call.why);
  return call;
}

/** The tools as they were listed when it was judged. */
async function findCatalogue(
  ctx: UserContext,
  sealed: TraceDocument['sealed'],
): Promise<ToolCatalogue | undefined> {
  const { catalog } = readCommittedState(sealed);
  if (typeof catalog !== 'string') return undefined;
  const { lists } = await resolveToolSet(ctx, catalog);
  return compileCatalogue(lists.map((list) => list.map(({ name, entry }) => ({ name, ...entry }))));
}

export const createUngrantableError = (why: string): AppError =>
  new AppError('INVALID_OPERATION', `This cannot be granted: ${why}`);
