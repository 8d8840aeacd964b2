// Names of agents and policies that counts hold by id or digest; those of agents are read from decisions that are left.
import { MARK, OTHER, UNNAMED } from '../../domain/counts/decision-path.ts';
import { deriveAgentMark } from '../../domain/agents/agent-mark.ts';
import { listAgentNames } from '../../identity/agents/agent-resolver.service.ts';
import { listSeenAgents } from '../../identity/agents/agents.service.ts';
import { listPolicyOutlines } from '../../policies/policies.service.ts';
import type { Context } from '../../platform/context.ts';
import type { Overview } from './overview.schemas.ts';

type AgentKind = Overview['agents'][number]['kind'];

/** Names by the keys that paths have; an agent that is not registered has one while its newest decisions do. */
export async function loadAgentNames(
  ctx: Context,
  keys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { platform, tenant } = ctx;
  const names = await listAgentNames(platform, tenant.organizationId, keys);
  if (!keys.some((key) => key.startsWith(MARK))) return names;
  for (const { name } of await listSeenAgents(ctx))
    names.set(
      `${MARK}${deriveAgentMark(platform.secrets.ledgerKey, tenant.organizationId, name)}`,
      name,
    );
  return names;
}

export function findAgentKind(key: string): AgentKind {
  if (key === OTHER || key === UNNAMED) return key;
  return key.startsWith(MARK) ? 'unregistered' : 'registered';
}

/** Names and action types by id. */
export async function describePolicies(
  ctx: Context,
  ids: Iterable<string>,
): Promise<ReadonlyMap<string, { name: string; actions: string[] }>> {
  const known = [...new Set(ids)].filter((id) => id !== OTHER);
  const found = await listPolicyOutlines(ctx, known);
  return new Map(
    [...found].map(([id, { name, actions }]) => [
      id,
      { name, actions: actions.map(({ type }) => type) },
    ]),
  );
}
