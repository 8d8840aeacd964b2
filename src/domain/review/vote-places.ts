// Places votes in the steps that ask for them: each person once, so that as many places as possible are filled.
import type { Approvals, VoteStep, ApproverRole } from '@assay/policy';

/** A member who may decide about held decisions by now. */
export interface Approver {
  userId: string;
  role: ApproverRole;
}

/** The people who may vote on a decision. Decisions of one list share `approvers` and `delegators`. */
export interface Electorate {
  /** Members by id, the longest-standing first. */
  approvers: ReadonlyMap<string, Approver>;
  /** Whether these are all: else no one can say that too few are left. */
  isWhole: boolean;
  /** Those in whose place each of them may approve by now. */
  delegators: ReadonlyMap<string, readonly string[]>;
  agentOwner: string | undefined;
  /** Whether the policy or the workspace keeps them from this decision. */
  isExcluded(this: void, userId: string): boolean;
  /** Whether a rule looks at how they are involved: no one approves in their place. */
  isInvolved(this: void, userId: string): boolean;
}

/** What a person was when they approved, as it was sealed. */
export interface SealedVoter {
  role: string | null;
  agentOwner: boolean;
  /** The member in whose place they approved; absent: their own. */
  delegator?: { userId: string; role: string | null; agentOwner: boolean } | undefined;
}

/** One who approves. */
export interface Voter {
  userId: string;
  /** The member in whose place; null: their own. */
  delegator: string | null;
  /** Null: they approve only now, or it is erased. */
  sealed: SealedVoter | null;
}

type Place = number | null;
type MayApprove = (step: number, voter: Voter) => boolean;

/** The step of each voter, in their order; null: they count in none. */
export interface Placing {
  places: Place[];
  /** Steps for which too few people are left. */
  short: ReadonlySet<number>;
}

export function placePeople(
  approvals: Approvals,
  voters: readonly Voter[],
  electorate: Electorate,
): Placing {
  const short = electorate.isWhole ? findShort(approvals, voters, electorate) : new Set<number>();
  const mayApprove = createMayApprove(approvals, electorate, short);
  return { places: assignPlaces(approvals, voters, mayApprove), short };
}

export const countPlaced = (places: readonly Place[], step: number): number =>
  places.filter((place) => place === step).length;

/** Those who have approved, and those in whose place: none of them approves again. */
export const listUsed = (voters: readonly Voter[]): ReadonlySet<string> =>
  new Set(voters.flatMap(({ userId, delegator }) => [userId, delegator ?? userId]));

/** The members whose approval would count now, after those of `voters`. */
export function listPlaceable(
  approvals: Approvals,
  voters: readonly Voter[],
  electorate: Electorate,
): string[] {
  const { places, short } = placePeople(approvals, voters, electorate);
  const mayApprove = createMayApprove(approvals, electorate, short);
  const open = findOpenSteps(approvals, { voters, places, mayApprove });
  const used = listUsed(voters);
  const asked = [...electorate.approvers.keys()].filter((userId) => !used.has(userId));
  return asked.filter((userId) =>
    listSeats(electorate, userId, used).some((seat) => open.some((at) => mayApprove(at, seat))),
  );
}

/** The places that a person may take: their own, then those of the people who named them, of whom none was used. */
export const listSeats = (
  { delegators }: Electorate,
  userId: string,
  used: ReadonlySet<string>,
): Voter[] => {
  const absent = (delegators.get(userId) ?? []).filter((one) => !used.has(one));
  return [null, ...absent].map((delegator) => ({ userId, delegator, sealed: null }));
};

interface Placed {
  voters: readonly Voter[];
  places: readonly Place[];
  mayApprove: MayApprove;
}

/** Steps that have a place left, or one whose voter has room in another. */
function findOpenSteps(
  { steps, inOrder }: Approvals,
  { voters, places, mayApprove }: Placed,
): number[] {
  const free = [...steps.keys()].filter((at) => countPlaced(places, at) < (steps[at]?.count ?? 0));
  if (inOrder) return free.slice(0, 1);
  const open = new Set(free);
  // A set goes on over what is added to it.
  for (const at of open)
    for (const [index, voter] of voters.entries()) {
      const place = places[index] ?? null;
      if (place !== null && mayApprove(at, voter)) open.add(place);
    }
  return [...open];
}

/** Steps that cannot be completed even if all who are left approve. */
function findShort(
  approvals: Approvals,
  voted: readonly Voter[],
  electorate: Electorate,
): Set<number> {
  const mayApprove = createMayApprove(approvals, electorate, new Set());
  const inside = fillSteps(approvals.steps, listAll(voted, electorate), mayApprove);
  return new Set(
    approvals.steps.flatMap(({ count }, at) => ((inside[at]?.length ?? 0) < count ? [at] : [])),
  );
}

function* listAll(voted: readonly Voter[], { approvers }: Electorate): Generator<Voter> {
  yield* voted;
  const used = listUsed(voted);
  for (const userId of approvers.keys())
    if (!used.has(userId)) yield { userId, delegator: null, sealed: null };
}

function createMayApprove(
  { steps }: Approvals,
  electorate: Electorate,
  short: ReadonlySet<number>,
): MayApprove {
  return (at, voter) => {
    const step = steps[at];
    const seat = findSeat(electorate, voter);
    if (!step || !seat || !isSealedInGroup(step, voter)) return false;
    const isAgentOwner = seat.userId === electorate.agentOwner;
    return isInGroup(step, { ...seat, isAgentOwner }) || (short.has(at) && seat.role === 'owner');
  };
}

/** The member whose places a voter takes; undefined: one of the two has left, or is kept from it. */
function findSeat(
  { approvers, isExcluded, isInvolved }: Electorate,
  { userId, delegator }: Voter,
): Approver | undefined {
  const person = approvers.get(userId);
  if (!person || isExcluded(userId)) return undefined;
  if (delegator === null) return person;
  return isInvolved(delegator) ? undefined : approvers.get(delegator);
}

/** What places a person; a role that decides about nothing is in no group. */
interface Standing {
  userId: string;
  role: string | null;
  isAgentOwner: boolean;
}

const isInGroup = (
  { roles, people, agentOwner }: VoteStep,
  { userId, role, isAgentOwner }: Standing,
): boolean =>
  roles.some((one) => one === role) || people.includes(userId) || (agentOwner && isAgentOwner);

/** Whether an approval may be in a step by what was sealed of it. Owners stand in where too few of a group are left. */
export function isSealedInGroup(
  step: VoteStep,
  { userId, sealed }: Pick<Voter, 'userId' | 'sealed'>,
): boolean {
  if (sealed === null) return true;
  const seat = sealed.delegator ?? { ...sealed, userId };
  return seat.role === 'owner' || isInGroup(step, { ...seat, isAgentOwner: seat.agentOwner });
}

/** The step for which each voter counts, in their order; null: for none. */
function assignPlaces(
  { steps, inOrder }: Approvals,
  voters: readonly Voter[],
  mayApprove: MayApprove,
): Place[] {
  if (inOrder) return assignInOrder(steps, voters, mayApprove);
  const inside = fillSteps(steps, voters, mayApprove);
  return voters.map((voter) => findStep(inside, voter));
}

function assignInOrder(
  steps: readonly VoteStep[],
  voters: readonly Voter[],
  mayApprove: MayApprove,
): Place[] {
  let [at, left] = [0, steps[0]?.count ?? 0];
  return voters.map((voter) => {
    if (at >= steps.length || !mayApprove(at, voter)) return null;
    const place = at;
    if (--left === 0) left = steps[++at]?.count ?? 0;
    return place;
  });
}

/**
 * Fills as many places as possible, and returns the voters in each step: one who fits two steps makes room for another
 * (augmenting paths). Once all places are filled, no more voters are looked at.
 */
function fillSteps(
  steps: readonly VoteStep[],
  voters: Iterable<Voter>,
  mayApprove: MayApprove,
): Voter[][] {
  const inside = steps.map((): Voter[] => []);
  const take = (voter: Voter, seen: Set<number>): boolean => {
    for (const [step, { count }] of steps.entries()) {
      const placed = inside[step];
      if (!placed || seen.has(step) || !mayApprove(step, voter)) continue;
      seen.add(step);
      const moved = placed.length < count ? null : placed.find((other) => take(other, seen));
      if (moved === undefined) continue;
      inside[step] = [...placed.filter((other) => other !== moved), voter];
      return true;
    }
    return false;
  };
  let left = steps.reduce((sum, { count }) => sum + count, 0);
  for (const voter of voters) {
    if (take(voter, new Set())) left--;
    if (left === 0) break;
  }
  return inside;
}

/** `inside`: the voters in each step. */
function findStep(inside: readonly (readonly Voter[])[], voter: Voter): Place {
  const step = inside.findIndex((placed) => placed.includes(voter));
  return step < 0 ? null : step;
}
