// Counts the approvals of a held decision that several people have to give: which count, for which step, and what is left.
import { canonicalize, type Json } from '@assay/json';
import type { Approvals, VoteStep } from '@assay/policy';
import {
  countPlaced,
  type Electorate,
  listPlaceable,
  listSeats,
  listUsed,
  placePeople,
  type Placing,
  type Voter,
} from './vote-places.ts';

export interface Vote extends Voter {
  sequence: number;
  /** What was approved: the digest of the action, with these edits. */
  content: string;
}

/** What a vote is about. Edits are part of it: an approval of another action annuls the votes before it. */
export const toContent = (actionDigest: string | null, edits: Json | undefined): string =>
  canonicalize([actionDigest, edits ?? null]);

export interface StepState {
  step: VoteStep;
  given: number;
  /** Too few people are left for it: owners approve in their place. */
  isEscalated: boolean;
}

/** A vote, and the step that it counts for; null: it does not count. */
export interface CountedVote<V extends Vote = Vote> {
  vote: V;
  step: number | null;
}

export interface VoteCount<V extends Vote = Vote> {
  approvals: Approvals;
  votes: CountedVote<V>[];
  steps: StepState[];
  needed: number;
  given: number;
}

/** The votes that a last one completes, and the step that it counts for itself. */
export type Quorum = {
  votes: { sequence: number; step: number }[];
  step: number;
};

/** Votes in the order of the chain, and the people who may vote. */
export interface Ballot<V extends Vote = Vote> extends Electorate {
  votes: readonly V[];
}

/** How far the approvals have come. */
export function countVotes<V extends Vote>(approvals: Approvals, ballot: Ballot<V>): VoteCount<V> {
  const { votes } = ballot;
  const standing = listStanding(approvals, ballot, votes.at(-1)?.content);
  const { places, short } = placePeople(approvals, standing, ballot);
  const placeOf = new Map(standing.map((vote, at) => [vote.sequence, places[at] ?? null]));
  return {
    approvals,
    votes: votes.map((vote) => ({ vote, step: placeOf.get(vote.sequence) ?? null })),
    steps: approvals.steps.map((step, at) => ({
      step,
      given: countPlaced(places, at),
      isEscalated: short.has(at),
    })),
    needed: approvals.steps.reduce((sum, { count }) => sum + count, 0),
    given: places.filter((place) => place !== null).length,
  };
}

/**
 * What an approval is: by a `stranger` to the open steps, `repeated`, by one who is `represented` already, a `vote`, or
 * the one that makes it `complete`. `delegator`: in whose place it is given; null: in their own.
 */
export type JudgedVote =
  | { as: 'stranger' | 'repeated' | 'represented' }
  | { as: 'vote'; step: number; delegator: string | null }
  | { as: 'complete'; quorum: Quorum; delegator: string | null };

/** A person approves in their own place where that counts, else in that of one who named them. */
export function judgeVote(
  approvals: Approvals,
  { userId, content }: Pick<Vote, 'userId' | 'content'>,
  ballot: Ballot,
): JudgedVote {
  const standing = listStanding(approvals, ballot, content);
  const used = listUsed(standing);
  if (used.has(userId)) {
    const hasVoted = standing.some((vote) => vote.userId === userId);
    return { as: hasVoted ? 'repeated' : 'represented' };
  }
  for (const seat of listSeats(ballot, userId, used)) {
    const judged = judgeSeat(approvals, seat, { ...ballot, votes: standing });
    if (judged.as !== 'stranger') return judged;
  }
  return { as: 'stranger' };
}

function judgeSeat(approvals: Approvals, seat: Voter, ballot: Ballot): JudgedVote {
  const { delegator } = seat;
  const { places } = placePeople(approvals, [...ballot.votes, seat], ballot);
  const step = places.at(-1) ?? null;
  if (step === null) return { as: 'stranger' };
  if (!isComplete(approvals, places)) return { as: 'vote', step, delegator };
  const votes = ballot.votes.flatMap(({ sequence }, at) => {
    const place = places[at] ?? null;
    return place === null ? [] : [{ sequence, step: place }];
  });
  return { as: 'complete', quorum: { votes, step }, delegator };
}

/** The members whose approval counts now, of what the newest vote approved. */
export const listOpenVoters = (approvals: Approvals, ballot: Ballot): string[] =>
  listPlaceable(approvals, listStanding(approvals, ballot, ballot.votes.at(-1)?.content), ballot);

/** How far approvals are, in numbers and words. */
export interface VoteState {
  needed: number;
  given: number;
  /** Null: for no one. */
  waitsFor: string | null;
}

/** `1 of 2, waits for Finance` */
export const formatApprovals = ({ needed, given, waitsFor }: VoteState): string =>
  `${given} of ${needed}${waitsFor === null ? '' : `, waits for ${waitsFor}`}`;

/** Says whose approvals are missing: `Finance, and 2 of owner or admin`. */
export function describeMissing(steps: readonly StepState[]): string {
  const open = steps.filter(({ step, given }) => given < step.count);
  return open.map(describeStep).join(', and ');
}

function describeStep({ step, given, isEscalated }: StepState): string {
  const left = step.count - given;
  const group = isEscalated ? 'owner' : formatGroup(step);
  return left === 1 ? group : `${left} of ${group}`;
}

function formatGroup({ name, roles, people, agentOwner }: VoteStep): string {
  if (name !== null) return name;
  const parts = [
    ...roles,
    ...(agentOwner ? ['the owner of the agent'] : []),
    ...(people.length > 0 ? [`${people.length} people named by the policy`] : []),
  ];
  return parts.join(' or ');
}

/** Whether each step has as many as it asks for. */
const isComplete = ({ steps }: Approvals, places: Placing['places']): boolean =>
  steps.every(({ count }, at) => countPlaced(places, at) === count);

/** The newest votes about the same: an approval of something else annuls those before it, for good. */
function listStanding<V extends Vote>(
  approvals: Approvals,
  ballot: Ballot<V>,
  content: string | undefined,
): readonly V[] {
  const other = ballot.votes.findLastIndex((vote) => vote.content !== content);
  return leaveOneOpen(approvals, ballot.votes.slice(other + 1), ballot);
}

/**
 * An approval ends a review, not the return of a voter who had left: where votes alone would be complete, the newest of
 * them has to be given again.
 */
function leaveOneOpen<V extends Vote>(
  approvals: Approvals,
  votes: readonly V[],
  electorate: Electorate,
): readonly V[] {
  const { places } = placePeople(approvals, votes, electorate);
  // Where no step is asked for, there are no votes to leave.
  if (approvals.steps.length === 0 || !isComplete(approvals, places)) return votes;
  const newest = places.findLastIndex((place) => place !== null);
  return leaveOneOpen(approvals, votes.toSpliced(newest, 1), electorate);
}
