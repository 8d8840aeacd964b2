// Imports of tools: what a server lists or a preset holds is proposed, and written where it loosens nothing.
import { findToolPreset, type Tool } from '@assay/policy';
import type { z } from 'zod';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import { toTools } from '../../domain/policies/tool-entries.ts';
import {
  compareTools,
  readServerTools,
  toPlace,
  type ToolProposal,
} from '../../domain/policies/tool-proposals.ts';
import type { Context } from '../../platform/context.ts';
import { resolveWorkspace } from '../policies.service.ts';
import { changeTools, findTools, requireToolName, type ToolPatch } from './tools.service.ts';
import type { toolImport, ToolImportView } from './tools.schemas.ts';

type Import = z.output<typeof toolImport>;

/**
 * Proposes tools, and lists them where `apply` says so.
 * @throws AppError `VALIDATION_ERROR` for a bad name, `INVALID_OPERATION` beyond the limits, or where it needs an approval
 */
export async function importTools(ctx: Context, given: Import): Promise<ToolImportView> {
  const workspaceId = await resolveWorkspace(ctx, undefined);
  if (given.apply) await lockOrganization(ctx.platform, ctx.tenant.organizationId);
  const listed = [...(await findTools(ctx, workspaceId)).values()].flatMap(toTools);
  const proposals = buildProposals(given, listed);
  for (const { tool } of proposals) requireToolName(tool.name);
  const applied = given.apply ? await applyProposals(ctx, workspaceId, { proposals, listed }) : [];
  return { tools: proposals.map(toProposalView), applied };
}

function buildProposals(given: Import, listed: readonly Tool[]): ToolProposal[] {
  if (given.preset != null) {
    return compareTools(findToolPreset(given.preset, given.server) ?? [], listed);
  }
  const { mcp, server } = given;
  const described = new Map(mcp.tools.map(({ name, description }) => [name, description]));
  const tools = mcp.tools.flatMap((tool) => readServerTools(tool, server ?? null, listed));
  const distinct = new Map(tools.map((tool) => [toPlace(tool), tool]));
  return compareTools([...distinct.values()], listed).map((proposal) => {
    const description = described.get(proposal.tool.name);
    return { ...proposal, ...(description !== undefined && { description }) };
  });
}

/** Writes what is new or stricter; returns the names. */
async function applyProposals(
  ctx: Context,
  workspaceId: string,
  { proposals, listed }: { proposals: readonly ToolProposal[]; listed: readonly Tool[] },
): Promise<string[]> {
  const chosen = new Map<string, ToolProposal[]>();
  for (const proposal of proposals) {
    if (proposal.state !== 'new' && proposal.state !== 'stricter') continue;
    const key = requireToolName(proposal.tool.name);
    chosen.set(key, [...(chosen.get(key) ?? []), proposal]);
  }
  const patches = [...chosen].map(([key, named]) =>
    buildPatch(
      named,
      listed.filter(({ name }) => requireToolName(name) === key),
    ),
  );
  if (patches.length > 0) await changeTools(ctx, workspaceId, patches);
  return patches.map(({ name }) => name);
}

/** What is listed of one name, with what is proposed of it; a name and a description that are there stay. */
function buildPatch(named: readonly ToolProposal[], listed: readonly Tool[]): ToolPatch {
  const tools = new Map(
    [...listed, ...named.map(({ tool }) => tool)].map((tool) => [toPlace(tool), tool]),
  );
  const [first] = [...tools.values()];
  const described = named.find(({ description }) => description !== undefined);
  return {
    name: first?.name ?? '',
    ...(listed.length === 0 && { description: described?.description }),
    entries: [...tools.values()].map(({ name: _name, ...entry }) => entry),
  };
}

const toProposalView = ({
  tool,
  listed,
  ...rest
}: ToolProposal): ToolImportView['tools'][number] => {
  const { name, ...entry } = tool;
  const before = listed && (({ name: _name, ...members }) => members)(listed);
  return { ...rest, name, entry, listed: before };
};
