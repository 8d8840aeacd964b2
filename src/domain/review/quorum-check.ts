// Checks what an approval commits to of the votes before it: enough for each step, by distinct people, about the same.
import type { Approvals, VoteStep } from '@assay/policy';
import type { Quorum } from './approval-votes.ts';
import { countPlaced, isInGroup } from './vote-places.ts';

/** What an entry says of one approval. */
export interface SealedApproval {
  userId: string | null;
  /** What was approved. */
  content: string;
  /** Null: erased. */
  voter: { role: string | null; agentOwner: boolean } | null;
}

/** An approval that ends a review, and the votes on the decision by sequence. */
export interface SealedEnd {
  last: SealedApproval;
  votes: ReadonlyMap<number, SealedApproval>;
  quorum: Quorum;
}

/** Null: none. */
export function findQuorumFault(approvals: Approvals, end: SealedEnd): string | null {
  const { last, votes, quorum } = end;
  const missing = quorum.votes.find(({ sequence }) => !votes.has(sequence));
  if (missing) return `it counts a vote at ${missing.sequence}, which is none on it`;
  const sequences = quorum.votes.map(({ sequence }) => sequence);
  const counted = [...sequences.flatMap((sequence) => votes.get(sequence) ?? []), last];
  if (new Set(counted.map(({ userId }) => userId)).size < counted.length)
    return 'it counts a person twice';
  if (counted.some(({ content }) => content !== last.content))
    return 'it counts votes about another action';
  return findPlaceFault(approvals, counted, [...quorum.votes.map(({ step }) => step), quorum.step]);
}

function findPlaceFault(
  { steps, inOrder }: Approvals,
  counted: readonly SealedApproval[],
  places: readonly number[],
): string | null {
  const short = steps.findIndex(({ count }, at) => countPlaced(places, at) !== count);
  if (short >= 0) return `it does not have the votes of step ${short}`;
  if (inOrder && places.some((place, at) => place < (places[at - 1] ?? 0)))
    return 'its votes are out of order';
  const isInside = (approval: SealedApproval, at: number): boolean => {
    const step = steps[places[at] ?? -1];
    return step !== undefined && mayCount(step, approval);
  };
  const stranger = counted.findIndex((approval, at) => !isInside(approval, at));
  return stranger < 0
    ? null
    : `it counts a vote for step ${places[stranger]} by a person outside it`;
}

/** Owners stand in where too few people of a group are left. */
const mayCount = (step: VoteStep, { userId, voter }: SealedApproval): boolean =>
  voter === null ||
  voter.role === 'owner' ||
  isInGroup(step, { userId: userId ?? '', role: voter.role, isAgentOwner: voter.agentOwner });
