// Who has to approve a held decision, and how many of them (docs/guides/reviews.md).
import { isJsonObject, type Json, type JsonObject } from '@assay/json';

/** The roles that decide held decisions. */
export const APPROVER_ROLES = ['owner', 'admin', 'reviewer'] as const;
export type ApproverRole = (typeof APPROVER_ROLES)[number];

/** Who never approves: whom the decision names as its actor, who made its key, who registered its agent. */
export const EXCLUDABLE = ['actor', 'keyMaker', 'agentOwner'] as const;
export type Excludable = (typeof EXCLUDABLE)[number];

/** How many distinct people of one group. A person is in it by role, by name, or because the agent is theirs. */
export interface VoteStep {
  /** What people call the group, such as `Finance`; null: it has no name. */
  readonly name: string | null;
  readonly roles: readonly ApproverRole[];
  /** Ids of users. */
  readonly people: readonly string[];
  readonly agentOwner: boolean;
  readonly count: number;
}

export interface Approvals {
  readonly steps: readonly VoteStep[];
  /** A step begins when those before it are complete. */
  readonly inOrder: boolean;
  readonly exclude: readonly Excludable[];
  /** Each signs the approval with a passkey. No steps are needed then: without them one person approves. */
  readonly signed?: true;
}

export const APPROVAL_LIMITS = { steps: 8, count: 10, people: 50, name: 60 } as const;

const MEMBERS: readonly string[] = ['steps', 'inOrder', 'exclude', 'signed'];
const STEP_MEMBERS: readonly string[] = ['name', 'roles', 'people', 'agentOwner', 'count'];
const USER_ID = /^[0-9a-f]{24}$/;

/** The approvals that the config of an action asks for; null: one approval by any reviewer. */
export function readConfiguredApprovals(config: JsonObject | undefined): Approvals | null {
  const given = config?.['approvals'];
  if (given === undefined || findProblem(given) !== null) return null;
  const { steps, inOrder = false, exclude = [], signed } = given as Partial<Approvals>;
  return {
    steps: (steps ?? []).map(toStep),
    inOrder,
    exclude: [...exclude].sort(),
    ...(signed === true && { signed }),
  };
}

/** Finds the fault of the approvals in the config of an action that holds; null: none. */
export function findApprovalsProblem(config: JsonObject): string | null {
  const { approvals, onExpiry } = config;
  if (approvals === undefined) return null;
  if (onExpiry === 'approve') return 'approvals cannot be given by expiry: leave onExpiry out';
  return findProblem(approvals);
}

/** What all policies that hold a decision ask for together: steps that are alike need the larger count. */
export function joinApprovals(asked: readonly (Approvals | null)[]): Approvals | null {
  const found = asked.filter((approvals) => approvals !== null);
  if (found.length < 2) return found[0] ?? null;
  const steps = new Map<string, VoteStep>();
  for (const step of found.flatMap((approvals) => approvals.steps)) {
    const key = JSON.stringify({ ...step, count: 0 });
    steps.set(key, { ...step, count: Math.max(step.count, steps.get(key)?.count ?? 0) });
  }
  return {
    steps: [...steps.values()],
    inOrder: found.every(({ inOrder, steps }) => inOrder || steps.length === 0),
    exclude: [...new Set(found.flatMap(({ exclude }) => exclude))].sort(),
    ...(found.some(({ signed }) => signed === true) && { signed: true }),
  };
}

function toStep(given: Partial<VoteStep>): VoteStep {
  const { name = null, people = [], agentOwner = false, count = 1 } = given;
  const hasGroup = people.length > 0 || agentOwner;
  const roles = given.roles ?? (hasGroup ? [] : APPROVER_ROLES);
  return { name, roles: [...roles].sort(), people: [...people].sort(), agentOwner, count };
}

function findProblem(given: Json): string | null {
  if (!isJsonObject(given)) return 'approvals must be an object';
  const { steps = [], inOrder = false, exclude = [], signed = false } = given;
  const unknown = Object.keys(given).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) return `approvals has no member ${unknown}: use ${MEMBERS.join(', ')}`;
  if (typeof inOrder !== 'boolean') return 'approvals.inOrder must be true or false';
  if (!isListOf(exclude, EXCLUDABLE))
    return `approvals.exclude must list some of ${EXCLUDABLE.join(', ')}`;
  if (typeof signed !== 'boolean') return 'approvals.signed must be true or false';
  const { steps: most } = APPROVAL_LIMITS;
  const least = signed ? 0 : 1;
  if (!Array.isArray(steps) || steps.length < least || steps.length > most)
    return `approvals.steps must have 1 to ${most} steps, or signed must be true`;
  for (const [at, step] of steps.entries()) {
    const problem = findStepProblem(step);
    if (problem !== null) return `approvals.steps[${at}]${problem}`;
  }
  return null;
}

function findStepProblem(step: Json): string | null {
  if (!isJsonObject(step)) return ' must be an object';
  const { name = '-', roles = [], people = [], agentOwner = false, count = 1 } = step;
  const unknown = Object.keys(step).find((member) => !STEP_MEMBERS.includes(member));
  if (unknown !== undefined) return ` has no member ${unknown}: use ${STEP_MEMBERS.join(', ')}`;
  const limits = APPROVAL_LIMITS;
  if (typeof name !== 'string' || name.trim() === '' || name.length > limits.name)
    return `.name must be a text of 1 to ${limits.name} characters`;
  if (!isListOf(roles, APPROVER_ROLES))
    return `.roles must list some of ${APPROVER_ROLES.join(', ')}`;
  if (!isPeople(people)) return `.people must list at most ${limits.people} ids of users`;
  if (typeof agentOwner !== 'boolean') return '.agentOwner must be true or false';
  if (!Number.isInteger(count) || (count as number) < 1 || (count as number) > limits.count)
    return `.count must be a whole number from 1 to ${limits.count}`;
  return null;
}

const isPeople = (value: Json): boolean =>
  Array.isArray(value) &&
  value.length <= APPROVAL_LIMITS.people &&
  new Set(value).size === value.length &&
  value.every((id) => typeof id === 'string' && USER_ID.test(id));

const isListOf = (value: Json, allowed: readonly string[]): boolean =>
  Array.isArray(value) &&
  new Set(value).size === value.length &&
  value.every((item) => allowed.includes(item as string));
