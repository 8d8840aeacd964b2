// The check that every request with an API key passes (document 1, section 5).
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller, Key, Tenant } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
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
}

interface Deps {
  organizations: OrganizationService;
}

const WORKSPACE_KEY = /^svc_live_[0-9a-f]{64}$/;
const AGENT_KEY = /^svc_agent_[0-9a-f]{48}$/;
/** `lastUsedAt` is written at most this often per key and instance. */
const USE_NOTED_MS = 60_000;
const CACHED_KEYS = 50_000;

export function createKeyAuthenticationService(
  platform: Pick<Platform, 'models' | 'clock' | 'onCommit' | 'caches'>,
  deps: Deps,
) {
  const { models, clock, onCommit, caches } = platform;
  const { organizations } = deps;
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
    const agentId = agent._id.toHexString();
    return {
      organizationId: agent.organizationId.toHexString(),
      keyId: agentId,
      keyHash: apiKeyHash,
      kind: 'agentKey',
      workspaceId: agent.workspaceId.toHexString(),
      agentIds: [agentId],
      readOnly: false,
      isForFeedback: false,
      agentId,
    };
  }

  /** @throws AppError `INVALID_API_KEY` */
  async function identify(keyHash: string, kind: Key['kind']): Promise<KeyIdentity> {
    const find = kind === 'workspaceKey' ? findWorkspaceKey : findAgentKey;
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

  return {
    /**
     * Drops cached keys after a change of the organisation's workspace keys, or of its agents, which have their own
     * keys.
     */
    forget(organizationId: string): void {
      onCommit(() => identities.invalidate(organizationId));
    },

    /** @throws AppError `INVALID_API_KEY_FORMAT`, `INVALID_API_KEY` */
    async authenticate(raw: string): Promise<Caller> {
      const isWorkspaceKey = WORKSPACE_KEY.test(raw);
      if (!isWorkspaceKey && !AGENT_KEY.test(raw)) throw new AppError('INVALID_API_KEY_FORMAT');
      const identity = await identify(hashKey(raw), isWorkspaceKey ? 'workspaceKey' : 'agentKey');
      if (isWorkspaceKey) noteUse(identity);
      return toKeyCaller(identity, await organizations.getContext(identity.organizationId));
    },

    /** The caller behind a key that was authenticated before. @throws AppError `INVALID_API_KEY` */
    async resume({ keyHash, kind }: Pick<Key, 'keyHash' | 'kind'>): Promise<Caller> {
      const identity = await identify(keyHash, kind);
      return toKeyCaller(identity, await organizations.getContext(identity.organizationId));
    },
  };
}
export type KeyAuthenticationService = ReturnType<typeof createKeyAuthenticationService>;

function toKeyCaller(
  { organizationId, workspaceId, agentIds, keyId, keyHash, kind, ...rights }: KeyIdentity,
  { plan, defaultWorkspaceId }: Pick<Tenant, 'plan' | 'defaultWorkspaceId'>,
): Caller {
  const { readOnly, isForFeedback, agentId } = rights;
  const actor = { kind, id: keyId };
  return {
    role: 'member',
    tenant: { organizationId, workspaceId, defaultWorkspaceId, plan, agentIds, actor },
    key: { keyId, keyHash, kind, readOnly, isForFeedback, workspaceId, agentId },
  };
}
