// What a policy matched among the newest decisions, grouped, with the newest of them opened.
import type { PipelineStage } from 'mongoose';
import { listCalls } from '@assay/policy';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { readSealed } from '../../../domain/record/commitments.ts';
import { readOpened } from './opened-decisions.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { Context } from '../../../platform/context.ts';
import { READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import type { TraceDocument } from '../traces.model.ts';

/** Decisions that are gone over, the newest of the organisation. */
const GONE_OVER = 10_000;
/** Matches whose contents are read. */
const READ_MATCHES = 200;
const NAMES = 10;
const GROUPED = {
  traceId: 1,
  createdAt: 1,
  verdict: 1,
  'review.status': 1,
  matchedPolicyIds: 1,
  agentName: 1,
  agentId: 1,
} as const;
/** What is read of a match, with what opens its contents. */
const READ =
  'sequence traceId agentId agentName verdict status createdAt matchedPolicyIds sealed content generation';

/** The matches of one day that got the same verdict and stand alike today. */
export interface MatchGroup {
  day: string;
  verdict: TraceDocument['verdict'];
  /** Where its review stands. */
  review: string | null;
  /** It only observed. */
  isObserved: boolean;
  count: number;
}

type StoredMatch = Pick<
  TraceDocument,
  | '_id'
  | 'sequence'
  | 'traceId'
  | 'agentId'
  | 'agentName'
  | 'verdict'
  | 'status'
  | 'createdAt'
  | 'matchedPolicyIds'
  | 'sealed'
  | 'content'
  | 'generation'
>;

/** A decision that a policy matched, and the tools that it calls. */
export interface OpenedMatch extends Omit<StoredMatch, 'sealed' | 'content'> {
  tools: string[];
}

export interface MatchedDecisions {
  groups: MatchGroup[];
  /** The most frequent first; null: the decision names none. */
  agents: { name: string | null; count: number }[];
  newest: OpenedMatch[];
  /** When the oldest decision that was gone over was made; null: there are no older ones. */
  since: Date | null;
}

interface Found {
  groups: { _id: Omit<MatchGroup, 'count'>; count: number }[];
  agents: { _id: string | null; count: number }[];
  newest: { traceId: string }[];
}

/** The matches that the tenant may see. */
export async function findPolicyMatches(ctx: Context, policyId: string): Promise<MatchedDecisions> {
  const { groups, agents, newest } = await findMatches(ctx, policyId);
  return {
    groups: groups.map(({ _id, count }) => ({ ..._id, count })),
    agents: agents.map(({ _id: name, count }) => ({ name, count })),
    newest: await openMatches(ctx, newest),
    since: await findOldest(ctx),
  };
}

async function findMatches({ platform, tenant }: Context, policyId: string): Promise<Found> {
  const matches = { $or: [{ matchedPolicyIds: policyId }, { observedPolicyIds: policyId }] };
  const [found] = await platform.models.traces.aggregate<Found>(
    [
      { $match: { organizationId: toObjectId(tenant.organizationId), kind: 'trace' } },
      { $sort: { sequence: -1 } },
      { $limit: GONE_OVER },
      { $match: { ...matches, ...createVisibilityFilter(tenant) } },
      { $project: GROUPED },
      { $facet: { ...FREQUENT, groups: [{ $group: { _id: groupKey(policyId), ...COUNT } }] } },
    ],
    { maxTimeMS: READ_MAX_MS },
  );
  return found ?? { groups: [], agents: [], newest: [] };
}

const COUNT = { count: { $sum: 1 } } as const;
/** The agents of the matches, and the newest matches. */
const FREQUENT = {
  agents: [
    { $group: { _id: { $ifNull: ['$agentName', '$agentId'] }, ...COUNT } },
    { $sort: { count: -1, _id: 1 } },
    { $limit: NAMES },
  ],
  newest: [{ $limit: READ_MATCHES }, { $project: { _id: 0, traceId: 1 } }],
} satisfies Record<string, PipelineStage.FacetPipelineStage[]>;

const groupKey = (policyId: string) => ({
  day: { $dateToString: { date: '$createdAt', format: '%Y-%m-%d' } },
  verdict: '$verdict',
  review: '$review.status',
  isObserved: { $not: [{ $in: [policyId, { $ifNull: ['$matchedPolicyIds', []] }] }] },
});

async function findOldest({ platform, tenant }: Context): Promise<Date | null> {
  const oldest = await platform.models.traces
    .findOne({ organizationId: tenant.organizationId, kind: 'trace' }, 'createdAt')
    .sort({ sequence: -1 })
    .skip(GONE_OVER)
    .maxTimeMS(READ_MAX_MS)
    .lean<Pick<TraceDocument, 'createdAt'>>();
  return oldest?.createdAt ?? null;
}

/** The matches with the tools that they call, which are encrypted at rest. */
async function openMatches(ctx: Context, newest: Found['newest']): Promise<OpenedMatch[]> {
  const opened: OpenedMatch[] = [];
  for await (const match of readOpened<StoredMatch>(ctx, newest, READ))
    opened.push(toOpenedMatch(match));
  return opened;
}

function toOpenedMatch({ sealed, content: _content, ...match }: StoredMatch): OpenedMatch {
  const calls = listCalls(readSealed(sealed, 'outputDecision'));
  return { ...match, tools: calls.filter((name) => name !== null) };
}
