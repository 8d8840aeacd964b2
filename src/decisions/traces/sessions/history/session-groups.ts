// Groups decisions to sessions in the database: one document a session, as its newest decision has it.
import type { PipelineStage, Types } from 'mongoose';
import { countWhere } from '../../../../platform/mongo/queries.ts';

/** What names a session. */
const NAMED: PipelineStage.Match = {
  $match: { $or: [{ 'session.key': { $exists: true } }, { sessionId: { $type: 'string' } }] },
};

const SHORT: PipelineStage.Project = {
  $project: {
    traceId: 1,
    sequence: 1,
    createdAt: 1,
    workspaceId: 1,
    agentId: 1,
    agentName: 1,
    sessionId: 1,
    status: 1,
    key: '$session.key',
    agentMark: '$answer.agentMark',
    review: '$review.status',
  },
};

/** Decisions come with the newest first. What is erased in one stands in others. */
const GROUPED: PipelineStage.Group = {
  $group: {
    _id: { $ifNull: ['$key', ['$workspaceId', '$agentId', '$sessionId']] },
    traceId: { $first: '$traceId' },
    sequence: { $first: '$sequence' },
    createdAt: { $first: '$createdAt' },
    workspaceId: { $first: '$workspaceId' },
    agentMark: { $max: '$agentMark' },
    key: { $max: '$key' },
    agentId: { $max: '$agentId' },
    agentName: { $max: '$agentName' },
    sessionId: { $max: '$sessionId' },
    leastId: { $min: '$sessionId' },
    held: countWhere('$review', 'pending'),
    blocked: countWhere('$status', 'blocked'),
  },
};

/** Where an agent has one session under any name, that name is none. */
const ONE_NAME: PipelineStage.Set = {
  $set: { sessionId: { $cond: [{ $eq: ['$sessionId', '$leastId'] }, '$sessionId', null] } },
};

export const groupSessions = (): PipelineStage[] => [NAMED, SHORT, GROUPED, ONE_NAME];

/** Keeps sessions that have a label, as the newest entry of each leaves it. */
export const matchLabel = (organizationId: Types.ObjectId, label: string): PipelineStage[] => [
  { $match: { key: { $type: 'string' } } },
  {
    $lookup: {
      from: 'ledger',
      localField: 'key',
      foreignField: 'session.key',
      as: 'newest',
      pipeline: [
        { $match: { organizationId, 'session.key': { $exists: true } } },
        { $sort: { sequence: -1 } },
        { $limit: 1 },
        { $project: { labels: { $objectToArray: '$session.state.labels' } } },
      ],
    },
  },
  { $match: { 'newest.labels.k': label } },
  { $unset: 'newest' },
];
