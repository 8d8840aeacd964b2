// The check that every request with an API key passes (document 1, section 5).
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller, Key, Run, Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { WorkspaceService } from '../../organization/workspaces/workspaces.service.ts';
import type { WorkspaceKeyDocument } from './keys.model.ts';

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

interface Deps {
  organizations: OrganizationService;
  workspaces: WorkspaceService;
  runTokens: {
    /** Null: there is no such token, or its trust or agent has ended. */
    findRun(tokenHash: string): Promise<(Run & AgentPlace) | null>;
  };
}

const WORKSPACE_KEY = /^svc_live_[0-9a-f]{64}$/;
const AGENT_KEY = /^svc_agent_[0-9a-f]{48}$/;
const RUN_TOKEN = /^svc_run_[0-9a-f]{48}$/;
/** `lastUsedAt` is written at most this often per key and instance. */
const USE_NOTED_MS = 60_000;
const CACHED_KEYS = 50_000;

export function createKeyAuthenticationService(
  platform: Pick<Platform, 'models' | 'clock' | 'onCommit' | 'caches'>,
  deps: Deps,
) {
  const { models, clock, onCommit, caches } = platform;
  const { organizations, workspaces, runTokens } = deps;
  const identities = caches.openCache<KeyIdentity>({
    collections: ['workspace_keys', 'agents'],
    max: CACHED_KEYS,
  });
  const notedAt = new Map<string, number>();

  async function findWorkspaceKey(keyHash: string): Promise<KeyIdentity | null> {
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

  async function findAgentKey(apiKeyHash: string): Promise<KeyIdentity | null> {
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
  async function identifyRun(tokenHash: string): Promise<KeyIdentity> {
    const found = await runTokens.findRun(tokenHash);
    if (!found) throw new AppError('INVALID_API_KEY');
    const { principal, expiresAt } = found;
    if (expiresAt <= clock.now()) throw new AppError('TOKEN_EXPIRED', 'The run token has expired');
    return { ...toAgentIdentity(tokenHash, found), run: { principal, expiresAt } };
  }

  /** @throws AppError `FORBIDDEN` where the workspace of the agent takes run tokens only */
  async function identifyAgent(keyHash: string): Promise<KeyIdentity> {
    const identity = await identify(keyHash, findAgentKey);
    const { organizationId, workspaceId } = identity;
    const settings = await workspaces.loadSettings(organizationId, workspaceId ?? '');
    if (settings?.keys === 'workload')
      throw new AppError(
        'FORBIDDEN',
        'The workspace of this agent takes run tokens, and no keys of agents: POST /auth/token',
      );
    return identity;
  }

  /** @throws AppError `INVALID_API_KEY` */
  async function identify(
    keyHash: string,
    find: (keyHash: string) => Promise<KeyIdentity | null>,
  ): Promise<KeyIdentity> {
    const identity = await identities.get(keyHash, async () => {
      const value = await find(keyHash);
      return value && { organizationId: value.organizationId, value };
    });
    if (!identity) throw new AppError('INVALID_API_KEY');
    return identity;
  }

  /** Writes `lastUsedAt` without delaying the request; after a failure the next use writes it. */
  function noteUse({ organizationId, keyId }: KeyIdentity): void {
    const now = clock.now();
    if (now.getTime() - (notedAt.get(keyId) ?? 0) < USE_NOTED_MS) return;
    notedAt.set(keyId, now.getTime());
    models.workspaceKeys
      .updateOne(
        { _id: keyId, organizationId },
        { $set: { lastUsedAt: now } },
        { timestamps: false },
      )
      .exec()
      .catch(() => notedAt.delete(keyId));
  }

  const identifiers = {
    workspaceKey: (keyHash: string) => identify(keyHash, findWorkspaceKey),
    agentKey: identifyAgent,
    run: identifyRun,
  };

  async function toCaller(identity: KeyIdentity): Promise<Caller> {
    return toKeyCaller(identity, await organizations.getContext(identity.organizationId));
  }

  return {
    /**
     * Drops cached keys after a change of the organisation's workspace keys, or of its agents, which have their own
     * keys.
     */
    forget(organizationId: string): void {
      onCommit(() => identities.invalidate(organizationId));
    },

    /** @throws AppError `INVALID_API_KEY_FORMAT`, `INVALID_API_KEY`, `TOKEN_EXPIRED`, `FORBIDDEN` */
    async authenticate(raw: string): Promise<Caller> {
      const kind = findKind(raw);
      if (kind === null) throw new AppError('INVALID_API_KEY_FORMAT');
      const identity = await identifiers[kind](hashKey(raw));
      if (kind === 'workspaceKey') noteUse(identity);
      return toCaller(identity);
    },

    /** The caller behind a key that was authenticated before. @throws AppError as `authenticate` does */
    async resume({ keyHash, kind, run }: Pick<Key, 'keyHash' | 'kind' | 'run'>): Promise<Caller> {
      return toCaller(await identifiers[run ? 'run' : kind](keyHash));
    },
  };
}
export type KeyAuthenticationService = ReturnType<typeof createKeyAuthenticationService>;

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
