// Counts votes again: what several people have to approve is approved once they all have, each once, about the same.
import type { Shown } from '../disclosures.ts';
import type { Position } from '../layout.ts';
import { type Members, toCanonicalJson, toMembers, type Value } from '../text.ts';
import type { View } from '../view.ts';
import { readShown } from './places.ts';

interface Step {
  count: number;
  roles: Value[];
  people: Value[];
  agentOwner: boolean;
}

/** A decision that several people have to approve, while it waits for them. */
interface Ballot {
  steps: Step[];
  inOrder: boolean;
  votes: Map<number, Approval>;
}

/** One approval, as far as it is shown. */
interface Approval {
  userId: string | null;
  /** What was approved; null: it is not shown. */
  content: string | null;
  /** Role of the person, and whether the agent is theirs; null: it is not shown. */
  voter: Members | null;
}

/** An approval, and the step that it is counted for. */
interface Counted {
  at: Value;
  by: Approval;
}

/** The votes of a document; those of decisions whose `facts` are not shown are not known. */
export class Votes {
  private readonly open = new Map<number, Ballot>();

  /** Adds the next entry; returns its fault, or null. */
  addEntry(sequence: number, view: View, shown: ReadonlyMap<string, Shown>): string | null {
    if (view.kind === 'trace') this.begin(sequence, shown);
    const decision = (view.subject as Position | undefined)?.sequence ?? 0;
    const ballot = this.open.get(decision);
    if (!ballot) return null;
    if (view.kind === 'vote') ballot.votes.set(sequence, readApproval(view, shown));
    if (view.kind !== 'review') return null;
    this.open.delete(decision);
    return view.decision === 'approve' ? findFault(ballot, view, shown) : null;
  }

  private begin(sequence: number, shown: ReadonlyMap<string, Shown>): void {
    const { review = null } = toMembers(readShown(shown, 'facts'));
    const { approvals = null } = toMembers(review);
    const { steps = [], inOrder = false } = toMembers(approvals);
    if (toList(steps).length === 0) return;
    this.open.set(sequence, {
      steps: toList(steps).map(readStep),
      inOrder: inOrder === true,
      votes: new Map(),
    });
  }
}

function findFault(ballot: Ballot, view: View, shown: ReadonlyMap<string, Shown>): string | null {
  if (view.actor?.kind !== 'user') return 'it is approved by no person, where several have to';
  if (!Object.hasOwn(view.commitments, 'quorum'))
    return 'it is approved without the votes that it needs';
  const quorum = readShown(shown, 'quorum');
  if (quorum === undefined) return null;
  const { votes = [], step = null } = toMembers(quorum);
  const last = readApproval(view, shown);
  const counted: Counted[] = [];
  let newest = 0;
  for (const each of toList(votes)) {
    const { sequence = 0, step: at = null } = toMembers(each);
    const by = ballot.votes.get(Number(sequence));
    if (Number(sequence) <= newest) return 'its votes are out of order';
    newest = Number(sequence);
    if (!by) return `it counts a vote at ${String(sequence)}, which is none on it`;
    counted.push({ at, by });
  }
  counted.push({ at: step, by: last });
  return findCountFault(ballot, counted);
}

function findCountFault({ steps, inOrder }: Ballot, counted: readonly Counted[]): string | null {
  const wrong = findPersonFault(counted);
  if (wrong !== null) return wrong;
  const contents = new Set(counted.flatMap(({ by }) => by.content ?? []));
  if (contents.size > 1) return 'it counts votes about another action';
  const places = counted.map(({ at }) => Number(at));
  if (places.some((place) => steps[place] === undefined)) return 'it counts a vote for no step';
  const missing = steps.findIndex(({ count }, at) => countIn(places, at) !== count);
  if (missing >= 0) return `it does not have the votes of step ${missing}`;
  if (inOrder && !isOrdered(places)) return 'its votes are out of order';
  const stranger = counted.find(({ at, by }) => !isInStep(steps[Number(at)] as Step, by));
  return stranger
    ? `it counts a vote for step ${String(stranger.at)} by a person outside its group`
    : null;
}

function findPersonFault(counted: readonly Counted[]): string | null {
  const people = counted.flatMap(({ by }) => listPeople(by));
  if (new Set(people).size < people.length) return 'it counts a person twice';
  return counted.some(({ by }) => isByOutsider(by))
    ? 'it counts a vote in the place of another by a person who does not decide'
    : null;
}

const countIn = (places: readonly number[], step: number): number =>
  places.filter((place) => place === step).length;

const isOrdered = (places: readonly number[]): boolean =>
  places.every((place, index) => place >= (places[index - 1] ?? 0));

/** Owners stand in where too few people of a group are left. One who approves for another has the other's places. */
function isInStep({ roles, people, agentOwner }: Step, { userId, voter }: Approval): boolean {
  if (voter === null) return true;
  const { delegator } = voter;
  const seat = delegator === undefined ? voter : toMembers(delegator);
  const { role = null, agentOwner: isOwner = false } = seat;
  const id = delegator === undefined ? userId : (seat['userId'] ?? null);
  if (people.includes(id)) return true;
  return role === 'owner' || roles.includes(role) || (agentOwner && isOwner === true);
}

/** The person, and the one in whose place they approve: neither counts again. */
function listPeople({ userId, voter }: Approval): Value[] {
  const delegator = voter?.['delegator'];
  return delegator === undefined ? [userId] : [userId, toMembers(delegator)['userId'] ?? null];
}

const DECIDING: readonly Value[] = ['owner', 'admin', 'reviewer'];

const isByOutsider = ({ voter }: Approval): boolean =>
  voter?.['delegator'] !== undefined && !DECIDING.includes(voter['role'] ?? null);

function readApproval(view: View, shown: ReadonlyMap<string, Shown>): Approval {
  const voter = readShown(shown, 'voter');
  return {
    userId: view.actor?.id ?? null,
    content: readContent(view, shown),
    voter: voter === undefined ? null : toMembers(voter),
  };
}

function readContent({ commitments }: View, shown: ReadonlyMap<string, Shown>): string | null {
  const parts: Value[] = [];
  for (const name of ['actionDigest', 'edits']) {
    const value = readShown(shown, name);
    if (value === undefined && Object.hasOwn(commitments, name)) return null;
    parts.push(value ?? null);
  }
  return toCanonicalJson(parts);
}

function readStep(step: Value): Step {
  const { count = 1, roles = [], people = [], agentOwner = false } = toMembers(step);
  return {
    count: Number(count),
    roles: toList(roles),
    people: toList(people),
    agentOwner: agentOwner === true,
  };
}

const toList = (value: Value): Value[] => (Array.isArray(value) ? value : []);
