// API keys: workspace keys are made, changed and revoked here; every key presented is authenticated here (document 1, sections 4.2 and 5).
import type { z } from 'zod';
import type { Platform } from '../../../composition/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller, Tenant, User } from '../../../domain/identity/tenant.ts';
import { AppError } from '../../../errors.ts';
import type { Models } from '../../../models.ts';
import type { OrganizationService } from '../../organization/organization.service.ts';
import type { WorkspaceKeyDocument } from './keys.model.ts';
import type { keyChange, keyInput } from './keys.schemas.ts';

/** What a key stands for; the plan is looked up apart, for it changes apart. */
export interface KeyIdentity {
  organizationId: string;
  keyId: string;
  kind: 'workspaceKey' | 'agentKey';
  workspaceId: string | null;
  agentIds: string[] | null;
  readOnly: boolean;
  agentId: string | null;
}

type Deps = Pick<Platform, 'models' | 'clock' | 'randomHex' | 'onCommit' | 'caches'> & {
  organizations: OrganizationService;
};

const WORKSPACE_KEY = /^svc_live_[0-9a-f]{64}$/;
const AGENT_KEY = /^svc_agent_[0-9a-f]{48}$/;
const SHOWN_PREFIX = 'svc_live_'.length + 8;
/** `lastUsedAt` is written at most this often per key and instance. */
const USE_NOTED_MS = 60_000;
const ACTIVE_KEYS = 50;
const CACHED_KEYS = 50_000;

export function createKeyService({
  models,
  organizations,
  clock,
  randomHex,
  onCommit,
  caches,
}: Deps) {
  const identities = caches.open<KeyIdentity>({
    collections: ['workspace_keys', 'agents'],
    max: CACHED_KEYS,
  });
  const noted = new Map<string, number>();
  const forget = (organizationId: string): void =>
    onCommit(() => identities.invalidate(organizationId));

  async function findWorkspaceKey(
    keyHash: string,
  ): Promise<{ organizationId: string; value: KeyIdentity } | null> {
    const key = await models.workspaceKeys
      .findOne({ keyHash, revokedAt: null }, null, { crossTenant: true })
      .lean<WorkspaceKeyDocument>();
    if (!key) return null;
    const organizationId = key.organizationId.toHexString();
    const agentIds = key.scope.agentIds?.map((agentId) => agentId.toHexString()) ?? null;
    return {
      organizationId,
      value: {
        organizationId,
        keyId: key._id.toHexString(),
        kind: 'workspaceKey',
        workspaceId: key.workspaceId?.toHexString() ?? null,
        agentIds,
        readOnly: key.scope.readOnly,
        agentId: null,
      },
    };
  }

  async function findAgentKey(
    apiKeyHash: string,
  ): Promise<{ organizationId: string; value: KeyIdentity } | null> {
    const agent = await models.agents
      .findOne({ apiKeyHash, deletedAt: null }, null, { crossTenant: true })
      .lean();
    if (!agent) return null;
    const [organizationId, agentId] = [agent.organizationId.toHexString(), agent._id.toHexString()];
    return {
      organizationId,
      value: {
        organizationId,
        keyId: agentId,
        kind: 'agentKey',
        workspaceId: agent.workspaceId.toHexString(),
        agentIds: [agentId],
        readOnly: false,
        agentId,
      },
    };
  }

  function noteUse({ organizationId, keyId }: KeyIdentity): void {
    const now = clock.now();
    if (now.getTime() - (noted.get(keyId) ?? 0) < USE_NOTED_MS) return;
    noted.set(keyId, now.getTime());
    // Beside the request: a use that is not noted is noted by the next one.
    models.workspaceKeys
      .updateOne(
        { _id: keyId, organizationId },
        { $set: { lastUsedAt: now } },
        { timestamps: false },
      )
      .exec()
      .catch(() => noted.delete(keyId));
  }

  return {
    /** Keys of the organisation were made, changed or ended elsewhere: agents have keys of their own. */
    forget,

    /** @throws AppError `INVALID_API_KEY_FORMAT`, `INVALID_API_KEY` */
    async authenticate(raw: string): Promise<Caller> {
      const isWorkspaceKey = WORKSPACE_KEY.test(raw);
      if (!isWorkspaceKey && !AGENT_KEY.test(raw)) throw new AppError('INVALID_API_KEY_FORMAT');
      const keyHash = hashKey(raw);
      const identity = await identities.get(keyHash, () =>
        isWorkspaceKey ? findWorkspaceKey(keyHash) : findAgentKey(keyHash),
      );
      if (!identity) throw new AppError('INVALID_API_KEY');
      if (isWorkspaceKey) noteUse(identity);
      const { organizationId, workspaceId, agentIds, keyId, kind, readOnly, agentId } = identity;
      const { plan, defaultWorkspaceId } = await organizations.context(organizationId);
      return {
        role: 'member',
        tenant: {
          organizationId,
          workspaceId,
          defaultWorkspaceId,
          plan,
          agentIds,
          actor: { kind, id: keyId },
        },
        key: { keyId, kind, readOnly, agentId },
      };
    },

    async list({ organizationId }: Tenant, page: { skip: number; limit: number }) {
      const where = { organizationId, revokedAt: null };
      const [items, total] = await Promise.all([
        models.workspaceKeys
          .find(where)
          .sort({ createdAt: -1, _id: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .lean<WorkspaceKeyDocument[]>(),
        models.workspaceKeys.countDocuments(where),
      ]);
      return { items, total };
    },

    /** The raw key is in this answer only. @throws AppError `NOT_FOUND` for a foreign workspace or agent, `INVALID_OPERATION` past the number of keys */
    async create(
      tenant: Tenant,
      { userId }: User,
      { name, workspaceId = null, scope = {} }: z.output<typeof keyInput>,
    ) {
      const { organizationId } = tenant;
      await checkScope(models, organizationId, { workspaceId, agentIds: scope.agentIds ?? null });
      if (
        (await models.workspaceKeys.countDocuments({ organizationId, revokedAt: null })) >=
        ACTIVE_KEYS
      )
        throw new AppError('INVALID_OPERATION', `At most ${ACTIVE_KEYS} keys may be active`);
      const key = `svc_live_${randomHex(32)}`;
      const row = {
        organizationId,
        name,
        workspaceId,
        prefix: key.slice(0, SHOWN_PREFIX),
        keyHash: hashKey(key),
        scope: { agentIds: scope.agentIds ?? null, readOnly: scope.readOnly ?? false },
        createdBy: userId,
      };
      const [made] = await models.workspaceKeys.create([row]);
      if (!made) throw new AppError('INTERNAL_ERROR');
      return { ...made.toObject(), key };
    },

    /** @throws AppError `NOT_FOUND` */
    async update(tenant: Tenant, id: string, { name, scope }: z.output<typeof keyChange>) {
      const { organizationId } = tenant;
      if (scope?.agentIds)
        await checkScope(models, organizationId, { workspaceId: null, agentIds: scope.agentIds });
      const changes = {
        ...(name !== undefined && { name }),
        ...(scope?.agentIds !== undefined && { 'scope.agentIds': scope.agentIds }),
        ...(scope?.readOnly !== undefined && { 'scope.readOnly': scope.readOnly }),
      };
      const updated = await models.workspaceKeys
        .findOneAndUpdate(
          { _id: id, organizationId, revokedAt: null },
          { $set: changes },
          { returnDocument: 'after' },
        )
        .lean<WorkspaceKeyDocument>();
      if (!updated) throw new AppError('NOT_FOUND');
      forget(tenant.organizationId);
      return updated;
    },

    /** Revoked at once on this instance, on others as soon as the change feed tells them. @throws AppError `NOT_FOUND` */
    async revoke(tenant: Tenant, id: string) {
      const revoked = await models.workspaceKeys
        .findOneAndUpdate(
          { _id: id, organizationId: tenant.organizationId, revokedAt: null },
          { $set: { revokedAt: clock.now() } },
          { returnDocument: 'after' },
        )
        .lean<WorkspaceKeyDocument>();
      if (!revoked) throw new AppError('NOT_FOUND');
      forget(tenant.organizationId);
      return revoked;
    },
  };
}
export type KeyService = ReturnType<typeof createKeyService>;

interface Scope {
  workspaceId: string | null;
  agentIds: string[] | null;
}

async function checkScope(
  models: Models,
  organizationId: string,
  { workspaceId, agentIds }: Scope,
): Promise<void> {
  if (
    workspaceId !== null &&
    !(await models.workspaces.exists({ _id: workspaceId, organizationId }))
  )
    throw new AppError('NOT_FOUND', 'No such workspace');
  const wanted = [...new Set(agentIds ?? [])];
  if (
    wanted.length > 0 &&
    (await models.agents.countDocuments({
      organizationId,
      _id: { $in: wanted },
      deletedAt: null,
    })) !== wanted.length
  )
    throw new AppError('NOT_FOUND', 'No such agent');
}
