// Run tokens: what a workload got in exchange for its own token. They act as the key of their agent for some minutes.
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Run } from '../../../domain/identity/tenant.ts';
import type { Principal } from '../../../domain/workload/principal.ts';
import { insertOne } from '../../../platform/mongo/queries.ts';
import type { AgentDocument } from '../agents.model.ts';
import type { RunTokenDocument } from './run-tokens.model.ts';
import type { AgentTrustDocument } from './trusts.model.ts';
import { perInstance } from '../../../platform/per-instance.ts';

/** A run token as requests with it need it. */
export interface FoundRun extends Run {
  organizationId: string;
  workspaceId: string;
  agentId: string;
}

const LIFETIME_MS = 15 * 60_000;
const CACHED_TOKENS = 50_000;

// Not by changes of the tokens themselves: they are never changed, and each exchange makes one.
const openRunCache = perInstance(({ caches }: Platform) =>
  caches.openCache<FoundRun>({
    collections: ['agent_trusts', 'agents'],
    max: CACHED_TOKENS,
  }),
);

/** Null: there is no such token, or its trust or agent has ended. It may have expired. */
export function findRun(platform: Platform, tokenHash: string): Promise<FoundRun | null> {
  return openRunCache(platform).get(tokenHash, () => loadRun(platform, tokenHash));
}

/** Issues a token, which is shown once. `end`: when it ends at the latest. `expiresIn`: seconds. */
export async function issueRunToken(
  { generateHex, clock, models }: Platform,
  { organizationId, agentId }: { organizationId: string; agentId: string },
  { principal, end }: { principal: Principal; end: Date },
): Promise<{ token: string; expiresIn: number }> {
  const token = `svc_run_${generateHex(24)}`;
  const now = clock.now().getTime();
  const expiresAt = new Date(Math.min(now + LIFETIME_MS, end.getTime()));
  const { trust: trustId } = principal;
  const row = { organizationId, agentId, trustId, principal, expiresAt };
  await insertOne(models.runTokens, { ...row, tokenHash: hashKey(token) });
  return { token, expiresIn: Math.floor((expiresAt.getTime() - now) / 1000) };
}

/** Makes a change of trusts count for the tokens of an organisation. */
export function forgetRuns(platform: Platform, organizationId: string): void {
  platform.onCommit(() => openRunCache(platform).invalidate(organizationId));
}

async function loadRun({ models }: Platform, tokenHash: string) {
  const token = await models.runTokens
    .findOne({ tokenHash }, null, { crossTenant: true })
    .lean<RunTokenDocument>();
  if (!token) return null;
  const { organizationId: owner, agentId, trustId, principal, expiresAt } = token;
  const organizationId = owner.toHexString();
  const live = { organizationId, deletedAt: null };
  const [agent, trust] = await Promise.all([
    models.agents.findOne({ ...live, _id: agentId }, 'workspaceId').lean<AgentDocument>(),
    models.agentTrusts.findOne({ ...live, _id: trustId }, '_id').lean<AgentTrustDocument>(),
  ]);
  if (!agent || !trust) return null;
  const workspaceId = agent.workspaceId.toHexString();
  const place = { organizationId, workspaceId, agentId: agentId.toHexString() };
  return { organizationId, value: { ...place, principal, expiresAt } };
}
