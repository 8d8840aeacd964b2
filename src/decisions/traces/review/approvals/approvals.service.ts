// Says how far the approvals of held decisions have come that several people have to give (decisions: votes).
import { APPROVER_ROLES, type Approvals, type ApproverRole } from '@assay/policy';
import {
  type VoteCount,
  countVotes,
  judgeVote,
  type Ballot,
} from '../../../../domain/review/approval-votes.ts';
import { groupBy } from '../../../../domain/group-by.ts';
import type { Approver } from '../../../../domain/review/vote-places.ts';
import type { Context } from '../../../../platform/context.ts';
import type { Platform } from '../../../../platform/platform.ts';
import type { ReviewItem } from '../../traces.model.ts';
import type { HeldDecision } from '../held.ts';
import { listAgentOwners, listOthers, type Person } from '../self-review/review-people.ts';
import {
  type Exclusion,
  findExclusions,
  type HeldSource,
} from '../self-review/self-review.service.ts';
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

/** What the policies of a decision ask for, and the votes on it. */
export interface AskedBallot {
  approvals: Approvals;
  ballot: StoredBallot;
}

/** Resolves with a map by `traceId`; decisions that one person approves are missing. */
export async function loadAskedBallots(
  platform: Platform,
  organizationId: string,
  items: readonly ApprovedItem[],
): Promise<ReadonlyMap<string, AskedBallot>> {
  const asked = items.filter(({ review }) => review?.approvals);
  const ballots = await openBallots(platform, organizationId)(asked);
  return new Map(
    asked.flatMap(({ traceId, review }) => {
      const ballot = ballots.get(traceId);
      const approvals = review?.approvals;
      return ballot && approvals ? [[traceId, { approvals, ballot }]] : [];
    }),
  );
}

/** Resolves with a map by `traceId`; decisions that one person approves are missing. */
export async function loadProgress(
  { platform, tenant: { organizationId, actor } }: Context,
  items: readonly ApprovedItem[],
): Promise<ReadonlyMap<string, ApprovalProgress>> {
  const asked = await loadAskedBallots(platform, organizationId, items);
  const userId = actor.kind === 'user' ? (actor.id ?? '') : '';
  return new Map(
    [...asked].map(([traceId, { approvals, ballot }]) => {
      const progress = countVotes(approvals, ballot);
      return [traceId, { ...progress, callerMayApprove: mayApprove(approvals, userId, ballot) }];
    }),
  );
}

function mayApprove(approvals: Approvals, userId: string, ballot: StoredBallot): boolean {
  const { approvers, isExcluded } = ballot;
  if (approvals.steps.length === 0) return approvers.has(userId) && !isExcluded(userId);
  const content = ballot.votes.at(-1)?.content ?? '';
  const { as } = judgeVote(approvals, { userId, content }, ballot);
  return as === 'vote' || as === 'complete';
}

type LoadBallots = (sources: readonly HeldSource[]) => Promise<ReadonlyMap<string, StoredBallot>>;

/** A loader for one request, which reads the people once. The map is by `traceId`, and has every one of the decisions. */
export function openBallots(platform: Platform, organizationId: string): LoadBallots {
  let people: Promise<People> | undefined;
  return async (sources) => {
    if (sources.length === 0) return new Map();
    people ??= loadPeople(platform, organizationId);
    const traceIds = sources.map(({ traceId }) => traceId);
    const [found, votes, exclusions, owners] = await Promise.all([
      people,
      loadVotes(platform, organizationId, traceIds),
      findExclusions(platform, organizationId, sources),
      listAgentOwners(platform, organizationId, sources),
    ]);
    return new Map(
      sources.map(({ traceId, agentId }) => {
        const keeps = toKeeps(found, exclusions.get(traceId));
        const agentOwner = owners.get(agentId);
        return [traceId, { ...found, ...keeps, agentOwner, votes: votes.get(traceId) ?? [] }];
      }),
    );
  };
}

/** What all decisions of an organisation share. */
interface People extends Pick<StoredBallot, 'isWhole' | 'delegators'> {
  approvers: ReadonlyMap<string, Approver & Person>;
}

async function loadPeople(platform: Platform, organizationId: string): Promise<People> {
  const choice = { roles: APPROVER_ROLES, limit: APPROVERS_MAX };
  const people = await listOthers(platform, organizationId, choice);
  const approvers = new Map(people.map((person) => [person.userId, toApprover(person)]));
  const isWhole = people.length < APPROVERS_MAX;
  return { approvers, isWhole, delegators: listDelegators(people) };
}

/** Those in whose place each decides, by the id of who does. */
function listDelegators(people: readonly Person[]): ReadonlyMap<string, string[]> {
  const pairs = people.flatMap(({ userId, delegates }) =>
    delegates.map((delegate) => ({ userId, delegate })),
  );
  const groups = groupBy(pairs, ({ delegate }) => delegate);
  return new Map([...groups].map(([delegate, of]) => [delegate, of.map(({ userId }) => userId)]));
}

const toApprover = (person: Person) => ({ ...person, role: person.role as ApproverRole });

function toKeeps(
  { approvers }: People,
  exclusion: Exclusion | undefined,
): Pick<StoredBallot, 'isExcluded' | 'isInvolved'> {
  if (!exclusion) return { isExcluded: () => false, isInvolved: () => false };
  const test = (isKept: Exclusion['isExcluded']) => (userId: string) => {
    const person = approvers.get(userId);
    return person !== undefined && isKept(person);
  };
  return { isExcluded: test(exclusion.isExcluded), isInvolved: test(exclusion.isInvolved) };
}
