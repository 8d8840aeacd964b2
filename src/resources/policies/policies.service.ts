// Policies: every change leaves an immutable revision, removal included (document 2, section 4.2).
import type { z } from 'zod';
import { findTemplate, policyTemplates } from '../../domain/policies/templates.ts';
import type { Tenant } from '../../domain/tenant.ts';
import { AppError } from '../../errors.ts';
import type { Clock } from '../../infra/clock.ts';
import type { Models } from '../../models.ts';
import type {
  PolicyContents,
  PolicyDocument,
  PolicyRevisionDocument,
  PolicyStatisticsDocument,
} from './policies.model.ts';
import type { policyChange, policyInput, templateInput } from './policies.schemas.ts';
import type { PolicySetService } from './policy-sets.service.ts';

interface Deps {
  models: Models;
  policySets: PolicySetService;
  clock: Clock;
  onCommit: (callback: () => void) => void;
}

const NEVER_MATCHED = { matchCount: 0, lastMatched: null };

export function createPolicyService({ models, policySets, clock, onCommit }: Deps) {
  async function recordRevision(tenant: Tenant, policy: PolicyDocument, deleted = false): Promise<void> {
    const { _id, organizationId, revision, name, description, enabled, priority, conditions, actions } = policy;
    const changedBy = tenant.actor.kind === 'user' ? tenant.actor.id : null;
    await models.policyRevisions.create([
      {
        organizationId,
        policyId: _id,
        revision,
        name,
        description,
        enabled,
        priority,
        conditions,
        actions,
        deleted,
        changedBy,
      },
    ]);
    onCommit(() => policySets.invalidate(tenant.organizationId));
  }

  async function withStatistics(organizationId: string, policies: readonly PolicyDocument[]) {
    const found = await models.policyStatistics
      .find({ organizationId, _id: { $in: policies.map(({ _id }) => _id) } })
      .lean<PolicyStatisticsDocument[]>();
    const byId = new Map(
      found.map(({ _id, matchCount, lastMatched }) => [_id.toHexString(), { matchCount, lastMatched }]),
    );
    return policies.map((policy) => ({
      ...policy,
      id: policy._id,
      ...(byId.get(policy._id.toHexString()) ?? NEVER_MATCHED),
    }));
  }

  async function shown(organizationId: string, policy: PolicyDocument | null) {
    const [view] = policy ? await withStatistics(organizationId, [policy]) : [];
    if (!view) throw new AppError('NOT_FOUND');
    return view;
  }

  /** Applies a change to a live policy as its next revision; a change made meanwhile is not overwritten. */
  async function revise(
    tenant: Tenant,
    id: string,
    change: Partial<PolicyContents> & { deletedAt?: Date },
  ): Promise<PolicyDocument> {
    const { organizationId } = tenant;
    const current = await models.policies.findOne({ _id: id, organizationId, deletedAt: null }).lean<PolicyDocument>();
    if (!current) throw new AppError('NOT_FOUND');
    const revision = current.revision + 1;
    const revised = await models.policies
      .findOneAndUpdate(
        { _id: id, organizationId, revision: current.revision },
        { $set: { ...change, revision } },
        { returnDocument: 'after' },
      )
      .lean<PolicyDocument>();
    if (!revised) throw new AppError('CONFLICT');
    await recordRevision(tenant, revised, change.deletedAt !== undefined);
    return revised;
  }

  const service = {
    async list({ organizationId, workspaceId }: Tenant, page: { skip: number; limit: number }) {
      const where = { organizationId, deletedAt: null, ...(workspaceId !== null && { workspaceId }) };
      const [policies, total] = await Promise.all([
        models.policies
          .find(where)
          .sort({ createdAt: -1, _id: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .lean<PolicyDocument[]>(),
        models.policies.countDocuments(where),
      ]);
      return { items: await withStatistics(organizationId, policies), total };
    },

    /** @throws AppError `NOT_FOUND` */
    async get({ organizationId }: Tenant, id: string) {
      return shown(
        organizationId,
        await models.policies.findOne({ _id: id, organizationId, deletedAt: null }).lean<PolicyDocument>(),
      );
    },

    /** @throws AppError `NOT_FOUND` for a workspace that is not the organisation's */
    async create(tenant: Tenant, { workspaceId: named, ...contents }: z.output<typeof policyInput>) {
      const { organizationId } = tenant;
      const workspaceId = named ?? tenant.workspaceId ?? tenant.defaultWorkspaceId;
      if (!(await models.workspaces.exists({ _id: workspaceId, organizationId })))
        throw new AppError('NOT_FOUND', 'No such workspace');
      const policy = new models.policies({ ...contents, organizationId, workspaceId, revision: 1 });
      await policy.save();
      const made = policy.toObject<PolicyDocument>();
      await recordRevision(tenant, made);
      return { ...made, id: made._id, ...NEVER_MATCHED };
    },

    /** @throws AppError `NOT_FOUND`, `CONFLICT` */
    async update(tenant: Tenant, id: string, change: z.output<typeof policyChange>) {
      const given = Object.fromEntries(
        Object.entries(change).filter(([, value]) => value !== undefined),
      ) as Partial<PolicyContents>;
      return shown(tenant.organizationId, await revise(tenant, id, given));
    },

    /** Soft: what it judged stays provable. @throws AppError `NOT_FOUND`, `CONFLICT` */
    async remove(tenant: Tenant, id: string) {
      const { _id } = await revise(tenant, id, { deletedAt: clock.now() });
      return { _id, id: _id, deleted: true as const };
    },

    /** Revisions of a policy, newest first; they outlive it. @throws AppError `NOT_FOUND` */
    async revisions({ organizationId }: Tenant, policyId: string, page: { skip: number; limit: number }) {
      const where = { organizationId, policyId };
      const [items, total] = await Promise.all([
        models.policyRevisions
          .find(where)
          .sort({ revision: -1 })
          .skip(page.skip)
          .limit(page.limit)
          .lean<PolicyRevisionDocument[]>(),
        models.policyRevisions.countDocuments(where),
      ]);
      if (total === 0) throw new AppError('NOT_FOUND');
      return { items, total };
    },

    /** @throws AppError `NOT_FOUND` */
    async revision({ organizationId }: Tenant, policyId: string, revision: number) {
      const found = await models.policyRevisions
        .findOne({ organizationId, policyId, revision })
        .lean<PolicyRevisionDocument>();
      if (!found) throw new AppError('NOT_FOUND');
      return found;
    },

    templates: () => Promise.resolve([...policyTemplates]),

    /** @throws AppError `NOT_FOUND` for an unknown template */
    async createFromTemplate(tenant: Tenant, { templateId, name }: z.output<typeof templateInput>) {
      const template = findTemplate(templateId);
      if (!template) throw new AppError('NOT_FOUND', 'No such template');
      const { description, conditions, actions } = template;
      return service.create(tenant, {
        name: name ?? template.name,
        description,
        conditions,
        actions,
        enabled: true,
        priority: 1,
      });
    },
  };
  return service;
}
export type PolicyService = ReturnType<typeof createPolicyService>;
