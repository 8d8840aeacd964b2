// Says how far the approvals of held decisions have come that several people have to give (decisions: votes).
import { APPROVER_ROLES, type Approvals, type ApproverRole } from '@assay/policy';
import {
  type VoteCount,
  countVotes,
  judgeVote,
  type Ballot,
} from '../../../../domain/review/approval-votes.ts';
import type { Context } from '../../../../platform/context.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { ReviewItem } from '../../traces.model.ts';
import type { HeldDecision } from '../held.ts';
import { listAgentOwners, listOthers, type Person } from '../self-review/review-people.ts';
import { findExclusions, type HeldSource } from '../self-review/self-review.service.ts';
import { loadVotes, type StoredVote } from './votes.service.ts';

/** Members that are looked at: with more no step is said to have too few people left. */
const APPROVERS_MAX = 2000;

/** A held decision, and what its policies ask for. */
export interface ApprovedItem extends HeldSource {
  review: Pick<ReviewItem, 'approvals'> | undefined;
}

export function toApprovedItem(trace: HeldDecision): ApprovedItem {
  const { traceId, workspaceId, agentId, held } = trace;
  const { approvals } = held.item;
  const actors = held.readActors();
  return { traceId, workspaceId, agentId, actors, exclude: approvals?.exclude, review: held.item };
}

/** The votes on a decision, and the people who may vote. */
export type StoredBallot = Ballot<StoredVote>;

export interface ApprovalProgress extends VoteCount<StoredVote> {
  /** Whether an approval by the caller, as it was proposed or as others approved it, counts now. */
  callerMayApprove: boolean;
}

/** Resolves with a map by `traceId`; decisions that one person approves are missing. */
export async function loadProgress(
  { platform, tenant: { organizationId, actor } }: Context,
  items: readonly ApprovedItem[],
): Promise<ReadonlyMap<string, ApprovalProgress>> {
  const asked = items.filter(({ review }) => review?.approvals);
  const ballots = await openBallots(platform, organizationId)(asked);
  return new Map(
    asked.flatMap(({ traceId, review }) => {
      const ballot = ballots.get(traceId);
      const approvals = review?.approvals;
      if (!ballot || !approvals) return [];
      const userId = actor.kind === 'user' ? (actor.id ?? '') : '';
      const progress = countVotes(approvals, ballot);
      return [[traceId, { ...progress, callerMayApprove: mayApprove(approvals, userId, ballot) }]];
    }),
  );
}

function mayApprove(approvals: Approvals, userId: string, ballot: StoredBallot): boolean {
  const content = ballot.votes.at(-1)?.content ?? '';
  const { as } = judgeVote(approvals, { userId, content }, ballot);
  return as === 'vote' || as === 'complete';
}

type LoadBallots = (sources: readonly HeldSource[]) => Promise<ReadonlyMap<string, StoredBallot>>;

/** A loader for one request, which reads the people once. The map is by `traceId`, and has every one of the decisions. */
export function openBallots(platform: Platform, organizationId: string): LoadBallots {
  const choice = { roles: APPROVER_ROLES, limit: APPROVERS_MAX };
  let people: Promise<Person[]> | undefined;
  return async (sources) => {
    if (sources.length === 0) return new Map();
    people ??= listOthers(platform, organizationId, choice);
    const traceIds = sources.map(({ traceId }) => traceId);
    const [found, votes, exclusions, owners] = await Promise.all([
      people,
      loadVotes(platform, organizationId, traceIds),
      findExclusions(platform, organizationId, sources),
      listAgentOwners(platform, organizationId, sources),
    ]);
    return toBallots(sources, { people: found, votes, exclusions, owners });
  };
}

interface BallotParts {
  people: readonly Person[];
  votes: ReadonlyMap<string, StoredVote[]>;
  exclusions: Awaited<ReturnType<typeof findExclusions>>;
  owners: ReadonlyMap<string, string>;
}

function toBallots(
  sources: readonly HeldSource[],
  { people, votes, exclusions, owners }: BallotParts,
): Map<string, StoredBallot> {
  const isWhole = people.length < APPROVERS_MAX;
  return new Map(
    sources.map(({ traceId, agentId }) => {
      const isExcluded = exclusions.get(traceId) ?? (() => false);
      const approvers = people.map((person) => ({
        ...toApprover(person, owners.get(agentId)),
        isExcluded: isExcluded(person),
      }));
      return [traceId, { votes: votes.get(traceId) ?? [], approvers, isWhole }];
    }),
  );
}

const toApprover = ({ userId, role }: Person, agentOwner: string | undefined) => ({
  userId,
  role: role as ApproverRole,
  isAgentOwner: userId === agentOwner,
});
