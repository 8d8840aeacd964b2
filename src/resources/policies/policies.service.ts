// Policies: every change leaves an immutable revision, removal included (document 2, section 4.2).
import type { z } from 'zod';
import type { Platform } from '../../composition/platform.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import type { Page } from '../../domain/page.ts';
import { sameJson } from '../../domain/policies/condition.ts';
import { findTemplate, policyTemplates } from '../../domain/policies/templates/templates.ts';
import { workspaceLimitViolation } from '../../domain/policies/workspace-limits.ts';
import { AppError } from '../../errors.ts';
import {
  contentsOf,
  type PolicyContents,
  type PolicyDocument,
  type PolicyRevisionDocument,
  type PolicyStatisticsDocument,
} from './policies.model.ts';
import type { policyChange, policyInput, templateInput } from './policies.schemas.ts';
import type { PolicySetService } from './policy-sets.service.ts';

type Deps = Pick<Platform, 'models' | 'clock' | 'onCommit'> & {
  policySets: PolicySetService;
};

const NEVER_MATCHED = { matchCount: 0, lastMatched: null };

export function createPolicyService({ models, policySets, clock, onCommit }: Deps) {
  /** The policies that the tenant sees: of the organisation, or of the chosen workspace. */
  function visible({ organizationId, workspaceId }: Tenant) {
    return { organizationId, ...(workspaceId !== null && { workspaceId }) };
  }

  function live(tenant: Tenant) {
    return { ...visible(tenant), deletedAt: null };
  }

  async function find(tenant: Tenant, _id: string): Promise<PolicyDocument> {
    const policy = await models.policies.findOne({ ...live(tenant), _id }).lean<PolicyDocument>();
    if (!policy) throw new AppError('NOT_FOUND');
    return policy;
  }

  /** What every change brings with it, in the transaction of the change. */
  async function recordChange(tenant: Tenant, policy: PolicyDocument): Promise<void> {
    const { organizationId, actor } = tenant;
    const changedBy = actor.kind === 'user' ? actor.id : null;
    const deleted = policy.deletedAt !== null;
    const { _id: policyId, revision } = policy;
    await models.policyRevisions.create([
      { ...contentsOf(policy), organizationId, policyId, revision, deleted, changedBy },
    ]);
    if (policy.enabled && !deleted) await refuseExcess(policy);
    onCommit(() => policySets.invalidate(organizationId));
  }

  async function refuseExcess({ organizationId, workspaceId }: PolicyDocument): Promise<void> {
    const enabled = await models.policies
      .find({ organizationId, workspaceId, deletedAt: null, enabled: true }, 'conditions')
      .lean<PolicyDocument[]>();
    const excess = workspaceLimitViolation(enabled);
    if (excess !== null) throw new AppError('INVALID_OPERATION', excess);
  }

  async function revise(
    tenant: Tenant,
    _id: string,
    change: Partial<PolicyContents> | { deletedAt: Date },
  ): Promise<PolicyDocument> {
    const policy = await models.policies
      .findOneAndUpdate(
        { ...live(tenant), _id },
        { $set: change, $inc: { revision: 1 } },
        { returnDocument: 'after' },
      )
      .lean<PolicyDocument>();
    if (!policy) throw new AppError('NOT_FOUND');
    await recordChange(tenant, policy);
    return policy;
  }

  /** Of a policy that the tenant sees, live or removed. */
  async function revisionsOf(tenant: Tenant, policyId: string) {
    if (!(await models.policies.exists({ ...visible(tenant), _id: policyId })))
      throw new AppError('NOT_FOUND');
    return { organizationId: tenant.organizationId, policyId };
  }

  async function withStatistics(organizationId: string, policies: readonly PolicyDocument[]) {
    const found = await models.policyStatistics
      .find({ organizationId, _id: { $in: policies.map(({ _id }) => _id) } })
      .lean<PolicyStatisticsDocument[]>();
    const byId = new Map(found.map((statistics) => [statistics._id.toHexString(), statistics]));
    return policies.map((policy) => {
      const { matchCount, lastMatched } = byId.get(policy._id.toHexString()) ?? NEVER_MATCHED;
      return { ...policy, id: policy._id, matchCount, lastMatched };
    });
  }

  async function shown(policy: PolicyDocument) {
    const [view] = await withStatistics(policy.organizationId.toHexString(), [policy]);
    if (!view) throw new AppError('INTERNAL_ERROR');
    return view;
  }

  const service = {
    async list(tenant: Tenant, { skip, limit }: Page) {
      const where = live(tenant);
      const [policies, total] = await Promise.all([
        models.policies
          .find(where)
          .sort({ createdAt: -1, _id: -1 })
          .skip(skip)
          .limit(limit)
          .lean<PolicyDocument[]>(),
        models.policies.countDocuments(where),
      ]);
      return { items: await withStatistics(tenant.organizationId, policies), total };
    },

    /** @throws AppError `NOT_FOUND` */
    get: async (tenant: Tenant, id: string) => shown(await find(tenant, id)),

    /** @throws AppError `NOT_FOUND` for a workspace that is not the organisation's, `INVALID_OPERATION` past the workspace's limits */
    async create(
      tenant: Tenant,
      { workspaceId: named, ...contents }: z.output<typeof policyInput>,
    ) {
      const { organizationId } = tenant;
      const workspaceId = named ?? tenant.workspaceId ?? tenant.defaultWorkspaceId;
      if (!(await models.workspaces.exists({ _id: workspaceId, organizationId })))
        throw new AppError('NOT_FOUND', 'No such workspace');
      const [made] = await models.policies.create([
        { ...contents, organizationId, workspaceId, revision: 1 },
      ]);
      if (!made) throw new AppError('INTERNAL_ERROR');
      const policy = made.toObject<PolicyDocument>();
      await recordChange(tenant, policy);
      return { ...policy, id: policy._id, ...NEVER_MATCHED };
    },

    /** A change to what is there already leaves no revision. @throws AppError `NOT_FOUND`, `INVALID_OPERATION` past the workspace's limits */
    async update(tenant: Tenant, id: string, change: z.output<typeof policyChange>) {
      const policy = await find(tenant, id);
      const current = contentsOf(policy);
      return shown(
        sameJson({ ...current, ...change }, current) ? policy : await revise(tenant, id, change),
      );
    },

    /** Soft: what it judged stays provable. @throws AppError `NOT_FOUND` */
    async remove(tenant: Tenant, id: string) {
      const { _id } = await revise(tenant, id, { deletedAt: clock.now() });
      return { _id, id: _id, deleted: true as const };
    },

    /** Newest first; they outlive the policy. @throws AppError `NOT_FOUND` */
    async revisions(tenant: Tenant, policyId: string, { skip, limit }: Page) {
      const where = await revisionsOf(tenant, policyId);
      const [items, total] = await Promise.all([
        models.policyRevisions
          .find(where)
          .sort({ revision: -1 })
          .skip(skip)
          .limit(limit)
          .lean<PolicyRevisionDocument[]>(),
        models.policyRevisions.countDocuments(where),
      ]);
      return { items, total };
    },

    /** @throws AppError `NOT_FOUND` */
    async revision(tenant: Tenant, policyId: string, revision: number) {
      const where = await revisionsOf(tenant, policyId);
      const found = await models.policyRevisions
        .findOne({ ...where, revision })
        .lean<PolicyRevisionDocument>();
      if (!found) throw new AppError('NOT_FOUND');
      return found;
    },

    templates: () => Promise.resolve([...policyTemplates]),

    /** @throws AppError `NOT_FOUND` for an unknown template, `INVALID_OPERATION` past the workspace's limits */
    async createFromTemplate(tenant: Tenant, { templateId, name }: z.output<typeof templateInput>) {
      const template = findTemplate(templateId);
      if (!template) throw new AppError('NOT_FOUND', 'No such template');
      const { description, conditions, actions } = template;
      const contents = { name: name ?? template.name, description, conditions, actions };
      return service.create(tenant, { ...contents, enabled: true, priority: 1 });
    },
  };

  return service;
}
export type PolicyService = ReturnType<typeof createPolicyService>;
