// Tools that agents called of late and that no entry lists, from the newest decisions.
import { type ToolCatalogue, readCalls, toolLimits } from '@assay/policy';
import { readNewestOutputs } from '../../decisions/traces/series/newest-outputs.service.ts';
import { PeriodicYield } from '../../platform/concurrency/event-loop.ts';
import type { Context } from '../../platform/context.ts';
import { loadCatalogue } from './tool-sets.service.ts';
import type { UnlistedTools } from './tools.schemas.ts';

/** Decisions whose contents are read. */
const READ_DECISIONS = 1_000;
const WITHIN_MS = 30 * 24 * 3_600_000;
const TOOLS_SHOWN = 200;
const AGENTS_SHOWN = 10;
/** Tools that are counted at a time: more names than a workspace can list are noise. */
const COUNTED_MAX = 2_000;
/** Calls between two rests for other requests. */
const CALLS_PER_TURN = 500;

type UnlistedTool = UnlistedTools['tools'][number];

/** The most called first. */
export async function listUnlistedTools(ctx: Context): Promise<UnlistedTools> {
  const since = new Date(ctx.platform.clock.now().getTime() - WITHIN_MS);
  const counted = new Map<string, UnlistedTool>();
  const turns = new PeriodicYield(CALLS_PER_TURN);
  let decisions = 0;
  let oldest: Date | null = null;
  for await (const found of readNewestOutputs(ctx, { since, most: READ_DECISIONS })) {
    decisions++;
    oldest = found.at;
    const catalogue = await loadWorkspaceCatalogue(ctx, found.workspaceId);
    const calls = readCalls(found.output);
    await turns.addWork(calls.length + 1);
    for (const call of calls) if (!catalogue?.isListed(call)) countCall(counted, call, found);
  }
  const tools = [...counted.values()].sort((a, b) => b.calls - a.calls).slice(0, TOOLS_SHOWN);
  return { since: decisions < READ_DECISIONS ? since : (oldest ?? since), decisions, tools };
}

/** By the workspace of the decision alone: where its agent is at home elsewhere, more may be unlisted. */
function loadWorkspaceCatalogue(
  { platform, tenant: { organizationId } }: Context,
  workspaces: string,
): Promise<ToolCatalogue | null> {
  return loadCatalogue(platform, { organizationId, workspaces });
}

function countCall(
  counted: Map<string, UnlistedTool>,
  { name, server }: { name: string | null; server: string | null },
  { workspaceId, agent, at }: { workspaceId: string; agent: string | null; at: Date },
): void {
  if (!isListable(name) || (server !== null && !isListable(server))) return;
  const key = JSON.stringify([workspaceId, name, server]);
  let tool = counted.get(key);
  if (!tool) {
    if (counted.size >= COUNTED_MAX) return;
    tool = { name, server, workspaceId, calls: 0, lastCalledAt: at, agents: [] };
    counted.set(key, tool);
  }
  tool.calls++;
  if (agent !== null && !tool.agents.includes(agent) && tool.agents.length < AGENTS_SHOWN)
    tool.agents.push(agent);
}

const isListable = (name: string | null): name is string =>
  name !== null && name !== '' && name.length <= toolLimits.name;
