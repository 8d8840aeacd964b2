// What a policy does, or would do: its matches by day and verdict, by agent and tool, with examples.
import {
  findPolicyMatches,
  type MatchGroup,
} from '../../decisions/traces/series/policy-matches.service.ts';
import type { Context } from '../../platform/context.ts';
import { getPolicy } from '../policies.service.ts';
import type { PolicyEffect } from './effect.schemas.ts';

const EXAMPLES = 10;
const NAMES = 10;

/** @throws AppError `NOT_FOUND` */
export async function describeEffect(ctx: Context, policyId: string): Promise<PolicyEffect> {
  await getPolicy(ctx, policyId);
  const { groups, agents, newest, since } = await findPolicyMatches(ctx, policyId);
  return {
    policyId,
    since,
    days: countDays(groups),
    held: countHeld(groups),
    agents: agents.map(({ name, count }) => ({ name: name ?? 'unnamed', count })),
    tools: countNames(newest.flatMap(({ tools }) => [...new Set(tools)])),
    examples: newest.slice(0, EXAMPLES).map((match) => ({
      traceId: match.traceId,
      createdAt: match.createdAt,
      agent: match.agentName ?? match.agentId ?? null,
      tools: match.tools,
      verdict: match.verdict,
      status: match.status as PolicyEffect['examples'][number]['status'],
      observed: !match.matchedPolicyIds?.includes(policyId),
    })),
  };
}

function countDays(groups: readonly MatchGroup[]): PolicyEffect['days'] {
  const days = new Map<string, PolicyEffect['days'][number]>();
  for (const { day, verdict, isObserved, count } of groups) {
    const counts = days.get(day) ?? { day, approved: 0, flagged: 0, blocked: 0, observed: 0 };
    counts[isObserved ? 'observed' : verdict] += count;
    days.set(day, counts);
  }
  return [...days.values()].sort((one, other) => (one.day < other.day ? -1 : 1));
}

function countHeld(groups: readonly MatchGroup[]): PolicyEffect['held'] {
  const held = { waiting: 0, approved: 0, rejected: 0, other: 0 };
  for (const { verdict, review, isObserved, count } of groups) {
    if (isObserved || verdict !== 'flagged') continue;
    if (review === 'pending') held.waiting += count;
    else if (review === 'approved') held.approved += count;
    else if (review === 'rejected') held.rejected += count;
    else held.other += count;
  }
  return held;
}

function countNames(names: readonly string[]): PolicyEffect['tools'] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
    .slice(0, NAMES);
}
