// Checks what an approval commits to of the votes before it: enough for each step, by distinct people, about the same.
import { APPROVER_ROLES, type Approvals } from '@assay/policy';
import type { Quorum } from './approval-votes.ts';
import { countPlaced, isSealedInGroup, type SealedVoter } from './vote-places.ts';

/** What an entry says of one approval. */
export interface SealedApproval {
  userId: string | null;
  /** What was approved. */
  content: string;
  /** Null: erased. */
  voter: SealedVoter | null;
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
  if (countsTwice(counted)) return 'it counts a person twice';
  if (counted.some(({ voter }) => voter?.delegator && !isApprover(voter.role)))
    return 'it counts a vote in the place of another by a person who does not decide';
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
    return step !== undefined && isSealedInGroup(step, toVoter(approval));
  };
  const stranger = counted.findIndex((approval, at) => !isInside(approval, at));
  return stranger < 0
    ? null
    : `it counts a vote for step ${places[stranger]} by a person outside it`;
}

const toVoter = ({ userId, voter }: SealedApproval) => ({ userId: userId ?? '', sealed: voter });

const isApprover = (role: string | null): boolean => APPROVER_ROLES.some((one) => one === role);

/** One who stands in for another is one person, and the other does not count again. */
function countsTwice(counted: readonly SealedApproval[]): boolean {
  const people = counted.flatMap(({ userId, voter }) =>
    voter?.delegator ? [userId, voter.delegator.userId] : [userId],
  );
  return new Set(people).size < people.length;
}
