// The verdict of a set of policies on a decision, by the fixed precedence between actions (document 2, policy evaluation rules).
import { type JsonObject, truncate } from '@assay/json';
import { type Approvals, joinApprovals, readConfiguredApprovals } from './review/approvals.ts';
import { isGrantable } from './review/grantable.ts';
import { joinExpiries, readConfiguredExpiry, type ReviewExpiry } from './review/review-expiry.ts';
import { REVIEW_PRIORITIES, type ReviewPriority } from './review/review-sla.ts';
import {
  actionTypes,
  type Action,
  type ActionType,
  type Condition,
  type PolicyDefinition,
} from './definition.ts';
import { readConfiguredEffect } from './actions/effects.ts';
import { type HaltReach, HALT_REACHES, joinReaches, readHalt } from './actions/halts.ts';
import { type LimitedAction, listLimited, type MatchedLimit, readLimit } from './limits.ts';

/** A policy that matched, or a restricting one that could not be evaluated. */
export interface Match {
  readonly id: string;
  readonly revision: number;
  readonly name: string;
  /** Never empty: the strongest action's `config.reason`, else the description, else the conditions as text. */
  readonly reason: string;
  /** The types of its actions that count, in the order of the definition. */
  readonly actions: readonly ActionType[];
  /** Its actions with a limit, which count once that would be passed. */
  readonly limited: readonly LimitedAction[];
  /** What it halts as well, by its actions that count; null: nothing. */
  readonly halt: HaltReach | null;
  /** The configs of the policy's `notify` actions. */
  readonly notifications: readonly JsonObject[];
  /** Review priority: `config.priority` of its `flag_for_review` actions; null when none is configured. */
  readonly reviewPriority: ReviewPriority | null;
  /** `config.expiresIn` and `config.onExpiry` of its `flag_for_review` actions; null when none is configured. */
  readonly reviewExpiry: ReviewExpiry | null;
  /** `config.approvals` of its `flag_for_review` actions; null when none is configured. */
  readonly approvals: Approvals | null;
  /** Whether a standing grant may let through what it holds; see `isGrantable`. */
  readonly grantable: boolean;
  /** `config.effect` of its actions, without repetitions. */
  readonly effects: readonly string[];
  /** Whether an action has `config.singleUse` or an effect: what it approves is claimed before it is executed. */
  readonly singleUse: boolean;
  /** The error for which the policy counts as a match; null when it matched. */
  readonly error: string | null;
}

/** A policy that does not restrict and could not be evaluated: it does not match. */
export type PolicyFailure = Pick<Match, 'id' | 'revision' | 'name'> & { readonly error: string };

export interface PolicyVerdict {
  readonly action: ActionType;
  readonly status: 'approved' | 'flagged' | 'blocked';
  /** The first matched policy, in evaluation order, that carries the winning action; null when none matched. */
  readonly decidedBy: string | null;
  /** The matches in evaluation order. */
  readonly matched: readonly Match[];
  readonly failed: readonly PolicyFailure[];
  /** What observing policies matched, in evaluation order. */
  readonly observed: readonly Match[];
  /** The limits of the policies that matched, passed or not, in evaluation order. */
  readonly limits: readonly MatchedLimit[];
}

const statuses = {
  block: 'blocked',
  flag_for_review: 'flagged',
  notify: 'approved',
  approve: 'approved',
} as const;

/** The verdict of matches in evaluation order: block over flag_for_review over notify over approve, regardless of priorities. */
export function resolveVerdict({
  matched,
  failed,
  observed,
  limits,
}: Omit<PolicyVerdict, 'action' | 'status' | 'decidedBy'>): PolicyVerdict {
  const winner = pickStrongest(matched.flatMap(({ actions }) => actions));
  const action = winner ?? 'approve';
  const decider = matched.find(({ actions }) => actions.includes(action));
  const decidedBy = decider?.id ?? null;
  return { action, status: statuses[action], decidedBy, matched, failed, observed, limits };
}

/** The verdict in which the actions count whose limit is passed. */
export function countLimited(
  found: PolicyVerdict,
  isPassed: (limit: MatchedLimit) => boolean,
): PolicyVerdict {
  const passed = found.limits.filter(isPassed);
  if (passed.length === 0) return found;
  const matched = found.matched.map((match) => {
    const counted = passed.filter(({ policy }) => policy === match.id);
    return counted.length === 0 ? match : addActions(match, counted);
  });
  return resolveVerdict({ ...found, matched });
}

/** The match of a policy whose limited actions count as well. */
export const addActions = (match: Match, counted: readonly LimitedAction[]): Match => ({
  ...match,
  actions: [...match.actions, ...counted.map(({ type }) => type)],
  halt: joinReaches([match.halt, ...counted.map(({ halt }) => halt)]),
});

/** Finds the policy that halts the most as well; null: none does. One that could not be evaluated halts nothing. */
export function findHalting(
  matched: readonly Match[],
): (Pick<Match, 'id' | 'name'> & { readonly halt: HaltReach }) | null {
  for (const halt of HALT_REACHES) {
    const found = matched.find((match) => match.halt === halt && match.error === null);
    if (found) return { id: found.id, name: found.name, halt };
  }
  return null;
}

/** The expiry of the review of a decision that these policies hold; null: none of them sets one. */
export function findReviewExpiry(matched: readonly Match[]): ReviewExpiry | null {
  return joinExpiries(listHoldingMatches(matched).map(toExpiry));
}

/** Who has to approve a decision that these policies hold; null: any reviewer, once. */
export const findApprovals = (matched: readonly Match[]): Approvals | null =>
  joinApprovals(listHoldingMatches(matched).map(({ approvals }) => approvals));

/** The policies that hold a decision, where a standing grant may let it through; null: one does not allow it, or none holds. */
export function findGrantableHolds(
  matched: readonly Match[],
): Pick<Match, 'id' | 'revision'>[] | null {
  const holding = listHoldingMatches(matched);
  const isAllowed = holding.every(({ grantable, error }) => grantable && error === null);
  if (holding.length === 0 || !isAllowed) return null;
  return holding.map(({ id, revision }) => ({ id, revision }));
}

const listHoldingMatches = (matched: readonly Match[]): Match[] =>
  matched.filter(({ actions }) => actions.includes('flag_for_review'));

/** A policy that could not be evaluated approves nothing. */
function toExpiry({ reviewExpiry, error }: Match): ReviewExpiry | null {
  return reviewExpiry && error !== null ? { ...reviewExpiry, onExpiry: 'reject' } : reviewExpiry;
}

/** Whether a policy with these actions restricts: then an error counts as a match. */
export function isRestricting(actions: readonly Action[]): boolean {
  return actions.some(({ type }) => type === 'block' || type === 'flag_for_review');
}

/** How a policy appears in a verdict when it matches. */
export function toPolicyMatch({
  id,
  revision,
  name,
  description,
  conditions,
  actions,
}: PolicyDefinition): Match {
  const unlimited = actions.filter((action) => readLimit(action) === null);
  return {
    id,
    revision,
    name,
    reason: findConfiguredReason(actions) ?? (description || describe(conditions)),
    actions: unlimited.map(({ type }) => type),
    limited: listLimited(id, actions),
    halt: joinReaches(unlimited.map(readHalt)),
    notifications: actions.flatMap(({ type, config }) => (type === 'notify' ? [config ?? {}] : [])),
    reviewPriority: findConfiguredPriority(actions),
    reviewExpiry: joinExpiries(
      listHolding(actions).map(({ config }) => readConfiguredExpiry(config)),
    ),
    approvals: joinApprovals(
      listHolding(actions).map(({ config }) => readConfiguredApprovals(config)),
    ),
    grantable: listHolding(actions).every(isGrantable),
    ...readUse(actions),
    error: null,
  };
}

function readUse(actions: readonly Action[]): Pick<Match, 'effects' | 'singleUse'> {
  const declared = actions.flatMap(({ config }) => readConfiguredEffect(config) ?? []);
  const isSingle = actions.some(({ config }) => config?.['singleUse'] === true);
  return { effects: [...new Set(declared)], singleUse: isSingle || declared.length > 0 };
}

function pickStrongest(types: readonly ActionType[]): ActionType | undefined {
  return actionTypes.find((type) => types.includes(type));
}

function findConfiguredReason(actions: readonly Action[]): string | null {
  const type = pickStrongest(actions.map((action) => action.type));
  const reasons = actions
    .filter((action) => action.type === type)
    .map(({ config }) => config?.['reason']);
  return (
    (reasons.find((reason) => typeof reason === 'string' && reason !== '') as string | undefined) ??
    null
  );
}

function listHolding(actions: readonly Action[]): Action[] {
  return actions.filter(({ type }) => type === 'flag_for_review');
}

function findConfiguredPriority(actions: readonly Action[]): ReviewPriority | null {
  const named = listHolding(actions).map(({ config }) => config?.['priority']);
  return REVIEW_PRIORITIES.find((priority) => named.includes(priority)) ?? null;
}

const reasonLength = 500;
/** Each operator in words, and turned round. */
const operatorWords = {
  equals: ['is', 'is not'],
  contains: ['contains', 'does not contain'],
  greater_than: ['is greater than', 'is not greater than'],
  less_than: ['is less than', 'is not less than'],
  regex: ['matches', 'does not match'],
  at_least: ['is at least', 'is not at least'],
  at_most: ['is at most', 'is not at most'],
  in: ['is in', 'is not in'],
  any_in: ['has some of', 'has none of'],
} as const;

function describe(conditions: readonly Condition[]): string {
  if (conditions.length === 0) return 'Applies to every decision';
  const parts = conditions.map((condition, i) => {
    const { field, operator, value, not: isNegated, logicalOperator = 'AND' } = condition;
    const join = i === conditions.length - 1 ? '' : ` ${logicalOperator.toLowerCase()} `;
    const words = operatorWords[operator][isNegated === true ? 1 : 0];
    return `${field} ${words} ${JSON.stringify(value)}${join}`;
  });
  const text = parts.join('');
  return text.length > reasonLength ? `${truncate(text, reasonLength - 3)}...` : text;
}
