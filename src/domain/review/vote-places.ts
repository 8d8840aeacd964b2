// Places votes in the steps that ask for them: each person once, so that as many places as possible are filled.
import type { Approvals, VoteStep, ApproverRole } from '@assay/policy';

/** A member who may decide about held decisions by now. */
export interface Approver {
  userId: string;
  role: ApproverRole;
  isAgentOwner: boolean;
  /** The policy or the workspace keeps them from this decision. */
  isExcluded: boolean;
}

/** The people who may vote on a decision. */
export interface Electorate {
  approvers: readonly Approver[];
  /** Whether these are all: else no one can say that too few are left. */
  isWhole: boolean;
}

type Place = number | null;
type MayApprove = (step: number, userId: string) => boolean;

/** The step of each of the people, in their order; null: they count in none. */
export interface Placing {
  places: Place[];
  /** Steps for which too few people are left. */
  short: ReadonlySet<number>;
}

export function placePeople(
  approvals: Approvals,
  people: readonly string[],
  { approvers, isWhole }: Electorate,
): Placing {
  const short = isWhole ? findShort(approvals, people, approvers) : new Set<number>();
  const mayApprove = createMayApprove(approvals, approvers, short);
  return { places: assignPlaces(approvals, people, mayApprove), short };
}

export const countPlaced = (places: readonly Place[], step: number): number =>
  places.filter((place) => place === step).length;

/** Steps that cannot be completed even if all who are left approve. */
function findShort(
  approvals: Approvals,
  voted: readonly string[],
  approvers: readonly Approver[],
): Set<number> {
  const others = approvers.filter(({ userId }) => !voted.includes(userId));
  const people = [...voted, ...others.map(({ userId }) => userId)];
  const mayApprove = createMayApprove(approvals, approvers, new Set());
  const places = assignPlaces({ ...approvals, inOrder: false }, people, mayApprove);
  return new Set(
    approvals.steps.flatMap(({ count }, at) => (countPlaced(places, at) < count ? [at] : [])),
  );
}

function createMayApprove(
  { steps }: Approvals,
  approvers: readonly Approver[],
  short: ReadonlySet<number>,
): MayApprove {
  const known = new Map(approvers.map((approver) => [approver.userId, approver]));
  return (at, userId) => {
    const person = known.get(userId);
    const step = steps[at];
    if (!person || !step || person.isExcluded) return false;
    return isInGroup(step, person) || (short.has(at) && person.role === 'owner');
  };
}

/** What places a person; a role that decides about nothing is in no group. */
interface Standing {
  userId: string;
  role: string | null;
  isAgentOwner: boolean;
}

export const isInGroup = (
  { roles, people, agentOwner }: VoteStep,
  { userId, role, isAgentOwner }: Standing,
): boolean =>
  roles.some((one) => one === role) || people.includes(userId) || (agentOwner && isAgentOwner);

/** The step for which each person counts, in their order; null: for none. */
function assignPlaces(
  { steps, inOrder }: Approvals,
  people: readonly string[],
  mayApprove: MayApprove,
): Place[] {
  return inOrder
    ? assignInOrder(steps, people, mayApprove)
    : assignAtOnce(steps, people, mayApprove);
}

function assignInOrder(
  steps: readonly VoteStep[],
  people: readonly string[],
  mayApprove: MayApprove,
): Place[] {
  let [at, left] = [0, steps[0]?.count ?? 0];
  return people.map((userId) => {
    if (at >= steps.length || !mayApprove(at, userId)) return null;
    const place = at;
    if (--left === 0) left = steps[++at]?.count ?? 0;
    return place;
  });
}

/** Fills as many places as possible: one who fits two steps makes room for another (augmenting paths). */
function assignAtOnce(
  steps: readonly VoteStep[],
  people: readonly string[],
  mayApprove: MayApprove,
): Place[] {
  const inside = steps.map((): number[] => []);
  const take = (person: number, seen: Set<number>): boolean => {
    for (const [step, { count }] of steps.entries()) {
      const placed = inside[step];
      if (!placed || seen.has(step) || !mayApprove(step, people[person] ?? '')) continue;
      seen.add(step);
      const moved = placed.length < count ? -1 : placed.find((other) => take(other, seen));
      if (moved === undefined) continue;
      inside[step] = [...placed.filter((other) => other !== moved), person];
      return true;
    }
    return false;
  };
  for (const person of people.keys()) take(person, new Set());
  return people.map((_, person) => findStep(inside, person));
}

/** `inside`: the people in each step. */
function findStep(inside: readonly (readonly number[])[], person: number): Place {
  const step = inside.findIndex((placed) => placed.includes(person));
  return step < 0 ? null : step;
}
