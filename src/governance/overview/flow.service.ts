// The flow of a span: from agents over policies, verdicts and people to what became of decisions.
import { buildFlow, type FlowNode } from '../../domain/counts/flow.ts';
import { findDecidingId } from '../../domain/counts/top-lists.ts';
import type { Context } from '../../platform/context.ts';
import { describePolicies, loadAgentNames } from './names.service.ts';
import type { OverviewFlow, OverviewQuery } from './overview.schemas.ts';
import { describeSpan, loadPaths, loadVerdictCounts, resolveSpan } from './span.service.ts';

/** Nodes of a stage besides that of the others. */
const NODES_MAX = 8;

/** @throws AppError `VALIDATION_ERROR` */
export async function loadFlow(ctx: Context, query: OverviewQuery): Promise<OverviewFlow> {
  const range = resolveSpan(ctx, query);
  const paths = await loadPaths(ctx, range, (await loadVerdictCounts(ctx, range)).sum);
  const policies = await describePolicies(
    ctx,
    paths.flatMap((path) => path.policies),
  );
  const counted = paths.map((path) => ({
    ...path,
    policy: findDecidingId(path, (id) => policies.get(id)?.actions),
  }));
  const { total, nodes, links } = buildFlow(counted, NODES_MAX);
  const span = await describeSpan(ctx, range);
  return { span, total, nodes: await loadNodeNames(ctx, nodes, policies), links };
}

async function loadNodeNames(
  ctx: Context,
  nodes: readonly FlowNode[],
  policies: ReadonlyMap<string, { name: string }>,
): Promise<OverviewFlow['nodes']> {
  const agents = await loadAgentNames(
    ctx,
    nodes.filter(({ stage }) => stage === 'agent').map(({ key }) => key),
  );
  const names: Partial<Record<FlowNode['stage'], (key: string) => string | undefined>> = {
    agent: (key) => agents.get(key),
    policy: (key) => policies.get(key)?.name,
  };
  return nodes.map((node) => ({ ...node, name: names[node.stage]?.(node.key) ?? null }));
}
