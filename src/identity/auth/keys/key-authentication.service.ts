// The check that every request with an API key passes (document 1, section 5).
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller, Key, Run, Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import { findRun } from '../../agents/trusts/run-tokens.service.ts';
import { getOrganizationContext } from '../../organization/organization.service.ts';
import { loadWorkspaceSettings } from '../../organization/workspaces/workspaces.service.ts';
import type { WorkspaceKeyDocument } from './keys.model.ts';
import { perInstance } from '../../../platform/per-instance.ts';

/** The identity behind a key; the plan is looked up separately, because it changes independently. */
interface KeyIdentity {
  organizationId: string;
  keyId: string;
  keyHash: string;
  kind: Key['kind'];
  workspaceId: string | null;
  agentIds: string[] | null;
  readOnly: boolean;
  isForFeedback: boolean;
  agentId: string | null;
  run?: Run;
}

const WORKSPACE_KEY = /^svc_live_[0-9a-f]{64}$/;
const AGENT_KEY = /^svc_agent_[0-9a-f]{48}$/;
const RUN_TOKEN = /^svc_run_[0-9a-f]{48}$/;
/** `lastUsedAt` is written at most this often per key and instance. */
const USE_NOTED_MS = 60_000;
const CACHED_KEYS = 50_000;

const openIdentities = perInstance(({ caches }: Platform) =>
  caches.openCache<KeyIdentity>({
    collections: ['workspace_keys', 'agents'],
    max: CACHED_KEYS,
  }),
);
const openNotedUses = perInstance(() => new Map<string, number>());

/**
 * Drops cached keys after a change of the organisation's workspace keys, or of its agents, which have their own
 * keys.
 */
export function forgetKeys(platform: Platform, organizationId: string): void {
  platform.onCommit(() => openIdentities(platform).invalidate(organizationId));
}

/** @throws AppError `INVALID_API_KEY_FORMAT`, `INVALID_API_KEY`, `TOKEN_EXPIRED`, `FORBIDDEN` */
export async function authenticateKey(platform: Platform, raw: string): Promise<Caller> {
  const kind = findKind(raw);
  if (kind === null) throw new AppError('INVALID_API_KEY_FORMAT');
  const identity = await identifyBy(platform, kind, hashKey(raw));
  if (kind === 'workspaceKey') noteUse(platform, identity);
  return toCaller(platform, identity);
}

/** The caller behind a key that was authenticated before. @throws AppError as `authenticate` does */
export async function resumeKey(
  platform: Platform,
  { keyHash, kind, run }: Pick<Key, 'keyHash' | 'kind' | 'run'>,
): Promise<Caller> {
  return toCaller(platform, await identifyBy(platform, run ? 'run' : kind, keyHash));
}

async function findWorkspaceKey(
  { models }: Platform,
  keyHash: string,
): Promise<KeyIdentity | null> {
  const key = await models.workspaceKeys
    .findOne({ keyHash, revokedAt: null }, null, { crossTenant: true })
    .lean<WorkspaceKeyDocument>();
  return (
    key && {
      organizationId: key.organizationId.toHexString(),
      keyId: key._id.toHexString(),
      keyHash,
      kind: 'workspaceKey',
      workspaceId: key.workspaceId?.toHexString() ?? null,
      agentIds: key.scope.agentIds?.map((agentId) => agentId.toHexString()) ?? null,
      readOnly: key.scope.readOnly,
      isForFeedback: key.capabilities?.includes('feedback') ?? false,
      agentId: null,
    }
  );
}

async function findAgentKey({ models }: Platform, apiKeyHash: string): Promise<KeyIdentity | null> {
  const agent = await models.agents
    .findOne({ apiKeyHash, deletedAt: null }, null, { crossTenant: true })
    .lean();
  if (!agent) return null;
  return toAgentIdentity(apiKeyHash, {
    organizationId: agent.organizationId.toHexString(),
    workspaceId: agent.workspaceId.toHexString(),
    agentId: agent._id.toHexString(),
  });
}

/** @throws AppError `INVALID_API_KEY`, `TOKEN_EXPIRED` */
async function identifyRun(platform: Platform, tokenHash: string): Promise<KeyIdentity> {
  const found = await findRun(platform, tokenHash);
  if (!found) throw new AppError('INVALID_API_KEY');
  const { principal, expiresAt } = found;
  if (expiresAt <= platform.clock.now())
    throw new AppError('TOKEN_EXPIRED', 'The run token has expired');
  return { ...toAgentIdentity(tokenHash, found), run: { principal, expiresAt } };
}

/** @throws AppError `FORBIDDEN` where the workspace of the agent takes run tokens only */
async function identifyAgent(platform: Platform, keyHash: string): Promise<KeyIdentity> {
  const identity = await identify(platform, keyHash, findAgentKey);
  const { organizationId, workspaceId } = identity;
  const settings = await loadWorkspaceSettings(platform, organizationId, workspaceId ?? '');
  if (settings?.keys === 'workload')
    throw new AppError(
      'FORBIDDEN',
      'The workspace of this agent takes run tokens, and no keys of agents: POST /auth/token',
    );
  return identity;
}

/** @throws AppError `INVALID_API_KEY` */
async function identify(
  platform: Platform,
  keyHash: string,
  find: (platform: Platform, keyHash: string) => Promise<KeyIdentity | null>,
): Promise<KeyIdentity> {
  const identity = await openIdentities(platform).get(keyHash, async () => {
    const value = await find(platform, keyHash);
    return value && { organizationId: value.organizationId, value };
  });
  if (!identity) throw new AppError('INVALID_API_KEY');
  return identity;
}

/** Writes `lastUsedAt` without delaying the request; after a failure the next use writes it. */
function noteUse(platform: Platform, { organizationId, keyId }: KeyIdentity): void {
  const now = platform.clock.now();
  const notedAt = openNotedUses(platform);
  if (now.getTime() - (notedAt.get(keyId) ?? 0) < USE_NOTED_MS) return;
  notedAt.set(keyId, now.getTime());
  platform.models.workspaceKeys
    .updateOne({ _id: keyId, organizationId }, { $set: { lastUsedAt: now } }, { timestamps: false })
    .exec()
    .catch(() => notedAt.delete(keyId));
}

function identifyBy(
  platform: Platform,
  kind: Key['kind'] | 'run',
  keyHash: string,
): Promise<KeyIdentity> {
  if (kind === 'run') return identifyRun(platform, keyHash);
  return kind === 'agentKey'
    ? identifyAgent(platform, keyHash)
    : identify(platform, keyHash, findWorkspaceKey);
}

async function toCaller(platform: Platform, identity: KeyIdentity): Promise<Caller> {
  return toKeyCaller(identity, await getOrganizationContext(platform, identity.organizationId));
}

function findKind(raw: string): Key['kind'] | 'run' | null {
  if (WORKSPACE_KEY.test(raw)) return 'workspaceKey';
  if (AGENT_KEY.test(raw)) return 'agentKey';
  return RUN_TOKEN.test(raw) ? 'run' : null;
}

interface AgentPlace {
  organizationId: string;
  workspaceId: string;
  agentId: string;
}

/** A run token is identified as the key of its agent. */
const toAgentIdentity = (
  keyHash: string,
  { organizationId, workspaceId, agentId }: AgentPlace,
): KeyIdentity => ({
  organizationId,
  keyId: agentId,
  keyHash,
  kind: 'agentKey',
  workspaceId,
  agentIds: [agentId],
  readOnly: false,
  isForFeedback: false,
  agentId,
});

function toKeyCaller(
  { organizationId, workspaceId, agentIds, keyId, keyHash, kind, ...rights }: KeyIdentity,
  { plan, defaultWorkspaceId }: Pick<Tenant, 'plan' | 'defaultWorkspaceId'>,
): Caller {
  const { readOnly, isForFeedback, agentId, run } = rights;
  const actor = { kind, id: keyId };
  const key: Key = { keyId, keyHash, kind, readOnly, isForFeedback, workspaceId, agentId };
  if (run) key.run = run;
  return {
    role: 'member',
    tenant: { organizationId, workspaceId, defaultWorkspaceId, plan, agentIds, actor },
    key,
  };
}
