// Groups held and blocked decisions that are alike: one cause is one thing to look at, however often it came.
import type { PipelineStage } from 'mongoose';
import { createVisibilityFilter } from '../../../domain/identity/visible-decisions.ts';
import { readSealed } from '../../../domain/record/commitments.ts';
import { listCalledTools } from '../../../domain/review/alike-mark.ts';
import { toObjectId } from '../../../ledger/ledger.model.ts';
import type { Context } from '../../../platform/context.ts';
import { countWhere, READ_MAX_MS } from '../../../platform/mongo/queries.ts';
import { readOpened } from '../series/opened-decisions.ts';
import type { TraceDocument } from '../traces.model.ts';
import type { DecisionGroup, GroupsQuery, Mute } from './groups.schemas.ts';
import { loadMutes } from './mutes.service.ts';

/** Held and blocked decisions that are counted, the newest of the organisation. */
const COUNTED_MAX = 10_000;
/** Groups of one answer. */
const GROUPS_MAX = 100;
const SAMPLES = 5;
/** What is read of a sample, with what opens its contents. */
const READ = 'sequence traceId answer.policy sealed content generation';

type Sample = Pick<
  TraceDocument,
  '_id' | 'sequence' | 'traceId' | 'answer' | 'sealed' | 'content' | 'generation'
>;

interface CountedGroup extends Pick<
  DecisionGroup,
  'group' | 'count' | 'waiting' | 'approved' | 'blocked'
> {
  firstAt: Date;
  lastAt: Date;
  days: { day: string; count: number; newest: string[] }[];
}

interface Found {
  groups: CountedGroup[];
  oldest: { createdAt: Date; counted: number }[];
}

/** Those with the most waiting come first. `since`: when the oldest counted one was made; null: all were counted. */
export async function listGroups(
  ctx: Context,
  query: GroupsQuery,
): Promise<{ groups: DecisionGroup[]; since: Date | null }> {
  const mutes = await loadMutes(ctx);
  const { groups, oldest } = await countGroups(ctx, query, [...mutes.keys()]);
  const samples = await openSamples(ctx, groups);
  const [{ createdAt, counted } = { createdAt: null, counted: 0 }] = oldest;
  return {
    groups: groups.map((group) =>
      toView(group, samples.get(listNewest(group)[0] ?? ''), mutes.get(group.group) ?? null),
    ),
    since: counted === COUNTED_MAX ? createdAt : null,
  };
}

/** The decisions that are shown. */
function buildFilter(
  { tenant }: Context,
  { muted, dateFrom, dateTo }: GroupsQuery,
  mutes: readonly string[],
): object {
  return {
    ...createVisibilityFilter(tenant),
    alike: muted === true ? { $in: mutes } : { $nin: mutes },
    ...((dateFrom ?? dateTo) && {
      createdAt: { ...(dateFrom && { $gte: dateFrom }), ...(dateTo && { $lte: dateTo }) },
    }),
  };
}

async function countGroups(
  ctx: Context,
  query: GroupsQuery,
  mutes: readonly string[],
): Promise<Found> {
  const { platform, tenant } = ctx;
  const $match = buildFilter(ctx, query, mutes);
  const [found] = await platform.models.traces.aggregate<Found>(
    [
      { $match: { organizationId: toObjectId(tenant.organizationId), alike: { $gt: '' } } },
      { $sort: { sequence: -1 } },
      { $limit: COUNTED_MAX },
      { $project: COUNTED },
      {
        $facet: {
          groups: [{ $match }, ...GROUPED, ...chooseGroups(query.state)],
          oldest: [
            { $group: { _id: null, createdAt: { $last: '$createdAt' }, counted: { $sum: 1 } } },
          ],
        },
      },
    ],
    { maxTimeMS: READ_MAX_MS },
  );
  return found ?? { groups: [], oldest: [] };
}

const COUNTED = {
  traceId: 1,
  alike: 1,
  createdAt: 1,
  verdict: 1,
  'review.status': 1,
  workspaceId: 1,
  agentId: 1,
  deletedAt: 1,
} as const;

const DAY = { $dateToString: { date: '$createdAt', format: '%Y-%m-%d' } };

/** Each day of a group, then each group; the newest comes first until then. */
const GROUPED: PipelineStage.FacetPipelineStage[] = [
  {
    $group: {
      _id: { group: '$alike', day: DAY },
      count: { $sum: 1 },
      waiting: countWhere('$review.status', 'pending'),
      approved: countWhere('$review.status', 'approved'),
      blocked: countWhere('$verdict', 'blocked'),
      firstAt: { $min: '$createdAt' },
      lastAt: { $max: '$createdAt' },
      newest: { $firstN: { input: '$traceId', n: SAMPLES } },
    },
  },
  { $sort: { '_id.day': 1 } },
  {
    $group: {
      _id: '$_id.group',
      count: { $sum: '$count' },
      waiting: { $sum: '$waiting' },
      approved: { $sum: '$approved' },
      blocked: { $sum: '$blocked' },
      firstAt: { $min: '$firstAt' },
      lastAt: { $max: '$lastAt' },
      days: { $push: { day: '$_id.day', count: '$count', newest: '$newest' } },
    },
  },
];

const chooseGroups = (state: GroupsQuery['state']): PipelineStage.FacetPipelineStage[] => [
  ...(state ? [{ $match: { [state]: { $gt: 0 } } }] : []),
  { $sort: { waiting: -1, lastAt: -1, _id: 1 } },
  { $limit: GROUPS_MAX },
  { $set: { group: '$_id' } },
];

const listNewest = ({ days }: CountedGroup): string[] =>
  days
    .toReversed()
    .flatMap(({ newest }) => newest)
    .slice(0, SAMPLES);

/** The newest decision of each group. */
async function openSamples(
  ctx: Context,
  groups: readonly CountedGroup[],
): Promise<Map<string, Sample>> {
  const chosen = groups.flatMap((group) =>
    listNewest(group)
      .slice(0, 1)
      .map((traceId) => ({ traceId })),
  );
  const samples = new Map<string, Sample>();
  for await (const sample of readOpened<Sample>(ctx, chosen, READ))
    samples.set(sample.traceId, sample);
  return samples;
}

function toView(
  group: CountedGroup,
  sample: Sample | undefined,
  muted: Mute | null,
): DecisionGroup {
  const { decidedBy = null } =
    readSealed<{ decidedBy?: string | null }>(sample?.sealed, 'evaluation') ?? {};
  return {
    ...group,
    policy: sample?.answer.policy ?? null,
    policyId: decidedBy !== null && /^[0-9a-f]{24}$/.test(decidedBy) ? decidedBy : null,
    tools: listCalledTools(readSealed(sample?.sealed, 'outputDecision')),
    days: group.days.map(({ day, count }) => ({ day, count })),
    newest: listNewest(group),
    muted,
  };
}
