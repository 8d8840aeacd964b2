// Lists sessions of agents, the one with the newest decision first, from the newest decisions of the organisation.
import type { PipelineStage } from 'mongoose';
import { listStoredAgentNames } from '../../../../identity/agents/agent-resolver.service.ts';
import type { Page } from '../../../../domain/page.ts';
import { toObjectId } from '../../../../ledger/ledger.model.ts';
import type { Context } from '../../../../platform/context.ts';
import { type Listed, READ_MAX_MS } from '../../../../platform/mongo/queries.ts';
import { listStoredForms } from '../../scrubbing/read-scrubbers.service.ts';
import {
  type AgentSession,
  COUNTED_IN_LIST,
  LABELLED_WINDOW,
  type SessionQuery,
  WINDOW,
} from './agent-sessions.schemas.ts';
import { groupSessions, matchLabel } from './session-groups.ts';
import { filterVisible, type PlacedTrace, selectMembers } from './session-members.service.ts';
import {
  loadSessionHalts,
  type SessionHalts,
  buildSessionSummary,
} from './session-summary.service.ts';

export interface SessionList extends Listed<AgentSession> {
  /** Null: all decisions were looked at. */
  since: Date | null;
}

/** Entries of the chain that are looked at. */
interface Window {
  low: number;
  high: number;
}

/** A session of a page, as its newest decision has it. */
type FoundSession = Omit<PlacedTrace, 'session' | 'answer'> & {
  key: string | null;
  agentMark: string | null;
  /** Null: its decisions name several, or none. */
  sessionId: string | null;
};

/** Sessions that are summed up at a time. */
const AT_ONCE = 8;

export async function listAgentSessions(
  ctx: Context,
  query: SessionQuery,
  page: Page,
): Promise<SessionList> {
  const span = await findSpan(ctx, query);
  const selected = await selectDecisions(ctx, query, span);
  const halts = await loadSessionHalts(ctx);
  const { found, total } = await findSessions(ctx, { query, page, halts, ...selected });
  const items: AgentSession[] = [];
  for (let at = 0; at < found.length; at += AT_ONCE)
    items.push(
      ...(await Promise.all(
        found.slice(at, at + AT_ONCE).map((one) => buildFoundSummary(ctx, one, halts)),
      )),
    );
  return { items, total, since: await findSince(ctx, selected) };
}

async function buildFoundSummary(
  ctx: Context,
  { key, agentMark, ...one }: FoundSession,
  halts: SessionHalts,
): Promise<AgentSession> {
  const session = key === null ? undefined : ({ key } as PlacedTrace['session']);
  const members = selectMembers({ ...one, ...(session && { session }) });
  const answer = { policy: null, ...(agentMark !== null && { agentMark }) };
  const { state: _, ...summary } = await buildSessionSummary(
    ctx,
    { where: {}, key, ...members, placed: { ...one, answer } },
    { halts, countMax: COUNTED_IN_LIST },
  );
  return summary;
}

/** The part of the chain that was recorded within the dates. */
async function findSpan(
  { platform: { ledger }, tenant: { organizationId } }: Context,
  { dateFrom, dateTo }: SessionQuery,
): Promise<Window> {
  const findHead = (time: Date) => ledger.sums.findHead(organizationId, time);
  const head = (await ledger.appender.readHead(organizationId))?.sequence ?? 0;
  const high = dateTo === undefined ? head : await findHead(dateTo);
  const low = dateFrom === undefined ? 1 : (await findHead(new Date(dateFrom.getTime() - 1))) + 1;
  return { low, high };
}

/** Decisions of an agent or a session id are found by their indexes, all others by their place in the chain. */
async function selectDecisions(
  ctx: Context,
  { agentId, sessionId, label }: SessionQuery,
  { low, high }: Window,
) {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  const isIndexed = agentId !== undefined || sessionId !== undefined;
  const size = label === undefined ? WINDOW : LABELLED_WINDOW;
  const least = isIndexed ? low : Math.max(low, high - size + 1);
  const $match = {
    ...filterVisible(ctx),
    organizationId: toObjectId(organizationId),
    kind: 'trace',
    sequence: { $gte: least, $lte: high },
    ...(agentId !== undefined && {
      agentId: { $in: await listStoredAgentNames(platform, organizationId, agentId) },
    }),
    ...(sessionId !== undefined && {
      sessionId: { $in: await listStoredForms(platform, organizationId, sessionId) },
    }),
  };
  return { $match, size, reach: isIndexed || least <= low ? null : least };
}

interface Selected {
  $match: Record<string, unknown>;
  /** How many decisions are looked at. */
  size: number;
  /** The first place that is looked at; null: that of the last decision that is selected. */
  reach: number | null;
}

interface Search extends Selected {
  query: SessionQuery;
  page: Page;
  halts: SessionHalts;
}

async function findSessions(
  ctx: Context,
  { $match, size, query, page, halts }: Search,
): Promise<{ found: FoundSession[]; total: number }> {
  const [result] = await ctx.platform.models.traces.aggregate<{
    found: FoundSession[];
    counted: { total: number }[];
  }>(
    [
      { $match },
      { $sort: { sequence: -1 } },
      { $limit: size },
      ...groupSessions(),
      ...filterSessions(ctx, query, halts),
      { $sort: { sequence: -1 } },
      {
        $facet: {
          found: [{ $skip: page.skip }, { $limit: page.limit }],
          counted: [{ $count: 'total' }],
        },
      },
    ],
    { maxTimeMS: READ_MAX_MS, allowDiskUse: false },
  );
  return { found: result?.found ?? [], total: result?.counted[0]?.total ?? 0 };
}

function filterSessions(
  ctx: Context,
  { status, label }: SessionQuery,
  halts: SessionHalts,
): PipelineStage[] {
  return [
    ...(status === 'held' || status === 'blocked' ? [{ $match: { [status]: { $gt: 0 } } }] : []),
    ...(status === 'halted' ? [matchHalted(halts)] : []),
    ...(label === undefined ? [] : matchLabel(toObjectId(ctx.tenant.organizationId), label)),
  ];
}

/** Sessions that are halted, by what their halts say of them. */
function matchHalted(halts: SessionHalts): PipelineStage {
  const places = [...halts.values()].flatMap(({ history }) => {
    const session = history.find((record) => record.session !== null)?.session;
    return session ? [[session.workspaceId, session.agent, session.sessionId]] : [];
  });
  const keyed = { $in: ['$key', [...halts.keys()]] };
  const agent = { $ifNull: ['$agentMark', '$agentId'] };
  const placed = { $in: [['$workspaceId', agent, '$sessionId'], { $literal: places }] };
  return { $match: { $expr: { $or: [keyed, placed] } } };
}

/** When the oldest decision that was looked at was recorded; null: none is older. */
async function findSince(
  { platform: { models }, tenant: { organizationId } }: Context,
  { $match, size, reach }: Selected,
): Promise<Date | null> {
  const within = { maxTimeMS: READ_MAX_MS };
  const oldest =
    reach === null
      ? await models.traces
          .findOne($match, 'createdAt', { ...within, sort: { sequence: -1 }, skip: size - 1 })
          .lean<{ createdAt: Date }>()
      : await models.ledger
          .findOne({ organizationId, sequence: reach }, 'createdAt', within)
          .lean<{ createdAt: Date }>();
  return oldest?.createdAt ?? null;
}
