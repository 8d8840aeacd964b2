// Policies: every change leaves an immutable revision, removal included (document 2, section 4.2).
import type { z } from 'zod';
import { isSameJson, findTemplate, type PolicyTemplate, policyTemplates } from '@assay/policy';
import type { Tenant } from '../domain/identity/tenant.ts';
import type { Page } from '../domain/page.ts';
import { AppError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import {
  findOr404,
  type Listed,
  listPage,
  type DeletedView,
  toDeletedView,
  takeOnly,
} from '../platform/mongo/queries.ts';
import type { WorkspaceService } from '../identity/organization/workspaces/workspaces.service.ts';
import type { ApprovalHistory } from './approvals/approval-history.service.ts';
import {
  toPolicyContents,
  type PolicyDocument,
  type PolicyRevisionDocument,
  type PolicyStatisticsDocument,
} from './policies.model.ts';
import type {
  policyChange,
  policyInput,
  templateInput,
  PolicyRevisionView,
} from './policies.schemas.ts';
import { createPolicyChanges, type PolicyChangeDeps } from './policy-changes.service.ts';

interface Deps extends PolicyChangeDeps {
  workspaces: WorkspaceService;
  approvalHistory: ApprovalHistory;
}

type Statistics = Pick<PolicyStatisticsDocument, 'matchCount' | 'lastMatched'>;

export interface PolicyView extends Omit<PolicyDocument, 'canary'>, Statistics {
  id: PolicyDocument['_id'];
  canary: NonNullable<PolicyDocument['canary']> | null;
}

const NEVER_MATCHED: Statistics = { matchCount: 0, lastMatched: null };

export function createPolicyService(
  platform: Pick<Platform, 'models' | 'clock' | 'onCommit'>,
  deps: Deps,
) {
  const { models, clock } = platform;
  const { workspaces, approvalHistory } = deps;
  const changes = createPolicyChanges(platform, deps);

  function findPolicy(tenant: Tenant, _id: string): Promise<PolicyDocument> {
    const where = { ...filterLive(tenant), _id };
    return findOr404(models.policies.findOne(where).lean<PolicyDocument>());
  }

  /** The filter for the revisions of a policy that the tenant sees, live or removed. */
  async function filterRevisions(tenant: Tenant, policyId: string) {
    await findOr404(models.policies.exists({ ...filterVisible(tenant), _id: policyId }));
    return { organizationId: tenant.organizationId, policyId };
  }

  /** Adds to revisions of one policy the approvals that made them. */
  async function withApprovals(
    { organizationId }: Tenant,
    revisions: readonly PolicyRevisionDocument[],
  ): Promise<PolicyRevisionView[]> {
    const [first] = revisions;
    if (!first) return [];
    const numbers = revisions.map(({ revision }) => revision);
    const approvals = await approvalHistory.loadByRevision(organizationId, first.policyId, numbers);
    return revisions.map((one) => ({ ...one, approval: approvals.get(one.revision) ?? null }));
  }

  async function loadViews(
    organizationId: string,
    policies: readonly PolicyDocument[],
  ): Promise<PolicyView[]> {
    const found = await models.policyStatistics
      .find({ organizationId, _id: { $in: policies.map(({ _id }) => _id) } })
      .lean<PolicyStatisticsDocument[]>();
    const byId = new Map(found.map((statistics) => [statistics._id.toHexString(), statistics]));
    return policies.map((policy) => toView(policy, byId.get(policy._id.toHexString())));
  }

  const loadView = (policy: PolicyDocument): Promise<PolicyView> =>
    takeOnly(loadViews(policy.organizationId.toHexString(), [policy]));

  /** The workspace of a new policy. @throws AppError `NOT_FOUND` */
  async function resolveWorkspace(
    tenant: Tenant,
    requestedWorkspaceId: string | undefined,
  ): Promise<string> {
    const { organizationId } = tenant;
    const workspaceId = requestedWorkspaceId ?? tenant.workspaceId ?? tenant.defaultWorkspaceId;
    await workspaces.require(organizationId, workspaceId);
    return workspaceId;
  }

  async function create(
    tenant: Tenant,
    { workspaceId: requestedWorkspaceId, ...contents }: z.output<typeof policyInput>,
  ): Promise<PolicyView> {
    const workspaceId = await resolveWorkspace(tenant, requestedWorkspaceId);
    return toView(await changes.insert(tenant, { ...contents, workspaceId }));
  }

  return {
    async listPolicies(tenant: Tenant, page: Page): Promise<Listed<PolicyView>> {
      const { items, total } = await listPage(models.policies, filterLive(tenant), page);
      return { items: await loadViews(tenant.organizationId, items), total };
    },

    /** @throws AppError `NOT_FOUND` */
    async getPolicy(tenant: Tenant, id: string): Promise<PolicyView> {
      return loadView(await findPolicy(tenant, id));
    },

    /**
     * @throws AppError `NOT_FOUND` for a workspace that is not the organisation's, `INVALID_OPERATION` beyond the
     * workspace's limits, or where changes need an approval
     */
    create,

    resolveWorkspace,

    /**
     * A change to what is there already leaves no revision.
     * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` beyond the workspace's limits, or where changes need an
     * approval
     */
    async update(
      tenant: Tenant,
      id: string,
      change: z.output<typeof policyChange>,
    ): Promise<PolicyView> {
      const policy = await findPolicy(tenant, id);
      const current = toPolicyContents(policy);
      const isSame = isSameJson({ ...current, ...change }, current);
      return loadView(isSame ? policy : await changes.updatePolicy(tenant, policy, change));
    },

    /**
     * Marks the policy as deleted; its revisions stay, so what it judged can be proved.
     * @throws AppError `NOT_FOUND`, `INVALID_OPERATION` where changes need an approval
     */
    async remove(tenant: Tenant, id: string): Promise<DeletedView<PolicyDocument['_id']>> {
      const policy = await findPolicy(tenant, id);
      const { _id } = await changes.updatePolicy(tenant, policy, { deletedAt: clock.now() });
      return toDeletedView({ _id });
    },

    /** Lists the newest first, also of a removed policy. @throws AppError `NOT_FOUND` */
    async listRevisions(
      tenant: Tenant,
      policyId: string,
      page: Page,
    ): Promise<Listed<PolicyRevisionView>> {
      const where = await filterRevisions(tenant, policyId);
      const sort = { revision: -1 } as const;
      const { items, total } = await listPage(models.policyRevisions, where, { ...page, sort });
      return { items: await withApprovals(tenant, items), total };
    },

    /** @throws AppError `NOT_FOUND` */
    async getRevision(
      tenant: Tenant,
      policyId: string,
      revision: number,
    ): Promise<PolicyRevisionView> {
      const where = { ...(await filterRevisions(tenant, policyId)), revision };
      const query = models.policyRevisions.findOne(where).lean<PolicyRevisionDocument>();
      return takeOnly(withApprovals(tenant, [await findOr404(query)]));
    },

    listTemplates(): Promise<PolicyTemplate[]> {
      return Promise.resolve([...policyTemplates]);
    },

    /**
     * @throws AppError `NOT_FOUND` for an unknown template, `INVALID_OPERATION` beyond the workspace's limits, or
     * where changes need an approval
     */
    async createFromTemplate(
      tenant: Tenant,
      { templateId, name }: z.output<typeof templateInput>,
    ): Promise<PolicyView> {
      const template = findTemplate(templateId);
      if (!template) throw new AppError('NOT_FOUND', 'No such template');
      const { description, conditions, actions } = template;
      const contents = { name: name ?? template.name, description, conditions, actions };
      return create(tenant, { ...contents, enabled: true, priority: 1 });
    },
  };
}
export type PolicyService = ReturnType<typeof createPolicyService>;

/** The policies that the tenant sees: of the organisation, or of the chosen workspace. */
function filterVisible({ organizationId, workspaceId }: Tenant) {
  return { organizationId, ...(workspaceId !== null && { workspaceId }) };
}

function filterLive(tenant: Tenant) {
  return { ...filterVisible(tenant), deletedAt: null };
}

function toView(policy: PolicyDocument, statistics: Statistics = NEVER_MATCHED): PolicyView {
  const { matchCount, lastMatched } = statistics;
  const { _id: id, canary = null } = policy;
  return { ...policy, id, canary, matchCount, lastMatched };
}
