// Reads the observed activity of agents, for their views and the routes below an agent (document 1, section 4.3).
import type { Types } from 'mongoose';
import type { Platform } from '../../../platform/platform.ts';
import type { AgentActivityDocument } from './agent-activity.model.ts';
import type { AgentAnalytics } from '../agents.schemas.ts';

/** The activity that the view of an agent shows. */
export type AgentState = Pick<AgentActivityDocument, 'status' | 'lastActive'> & {
  observed: { acts: number; breaches: number; lastAt: Date | null };
};

type AgentRef = Pick<AgentActivityDocument, '_id' | 'organizationId'>;

/** State of an agent without decisions. */
export const NO_ACTIVITY = {
  status: 'healthy',
  lastActive: null,
  observed: { acts: 0, breaches: 0, lastAt: null },
} as const satisfies AgentState;
const NO_VERDICTS = { approved: 0, flagged: 0, blocked: 0 };

/** Returns the state of these agents by id; agents without activity are missing. */
export async function loadAgentStates(
  { models }: Platform,
  organizationId: string,
  agents: readonly AgentRef[],
): Promise<ReadonlyMap<string, AgentState>> {
  const found = await models.agentActivity
    .find(
      { organizationId, _id: { $in: agents.map(({ _id }) => _id) } },
      'status lastActive observed',
    )
    .lean<AgentActivityDocument[]>();
  return new Map(
    found.map((activity) => [
      activity._id.toHexString(),
      { ...activity, observed: activity.observed ?? NO_ACTIVITY.observed },
    ]),
  );
}

/** Versions in order of first appearance. */
export async function listAgentVersions(
  platform: Platform,
  agent: AgentRef,
): Promise<AgentActivityDocument['versions']> {
  return (await findActivity(platform, agent))?.versions ?? [];
}

export async function loadAgentAnalytics(
  platform: Platform,
  agent: AgentRef,
): Promise<AgentAnalytics> {
  const { approved, flagged, blocked } =
    (await findActivity(platform, agent))?.verdicts ?? NO_VERDICTS;
  return { totalTraces: approved + flagged + blocked, blocked, flagged, approved };
}

/** An agent that has decided nothing lately. */
export interface SilentAgent {
  agentId: string;
  agentName: string;
  lastActive: Date;
}

interface SilenceQuery {
  workspaceId: string | null;
  /** Null: all agents. */
  agentId: string | null;
  /** Between these times each decided last. */
  after: Date;
  before: Date;
}

const SILENT_MAX = 1_000;

/** Agents whose newest decision is of a span, those that are silent longest first; paused and removed ones are left out. */
export async function listSilentAgents(
  { models }: Platform,
  organizationId: string,
  { workspaceId, agentId, after, before }: SilenceQuery,
): Promise<SilentAgent[]> {
  const found = await models.agentActivity
    .find(
      {
        organizationId,
        lastActive: { $gte: after, $lte: before },
        ...(agentId !== null && { _id: agentId }),
      },
      'lastActive',
    )
    .sort({ lastActive: 1 })
    .limit(SILENT_MAX)
    .lean<{ _id: Types.ObjectId; lastActive: Date }[]>();
  const agentIds = found.map(({ _id }) => _id);
  const names = await listWorkingNames({ models }, organizationId, { workspaceId, agentIds });
  return found.flatMap(({ _id, lastActive }) => {
    const agentName = names.get(_id.toHexString());
    return agentName === undefined ? [] : [{ agentId: _id.toHexString(), agentName, lastActive }];
  });
}

/** The names of those that are neither paused nor removed, by id. */
async function listWorkingNames(
  { models }: Pick<Platform, 'models'>,
  organizationId: string,
  { workspaceId, agentIds }: { workspaceId: string | null; agentIds: Types.ObjectId[] },
): Promise<ReadonlyMap<string, string>> {
  const where = { organizationId, _id: { $in: agentIds }, isActive: true };
  const here = workspaceId === null ? {} : { workspaceId };
  const agents = await models.agents
    .find({ ...where, ...here, deletedAt: null, paused: null }, 'name')
    .lean<{ _id: Types.ObjectId; name: string }[]>();
  return new Map(agents.map(({ _id, name }) => [_id.toHexString(), name]));
}

function findActivity(
  { models }: Platform,
  { _id, organizationId }: AgentRef,
): Promise<AgentActivityDocument | null> {
  return models.agentActivity.findOne({ _id, organizationId }).lean<AgentActivityDocument>();
}
