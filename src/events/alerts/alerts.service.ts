// Creates, lists, changes and removes the alert rules of an organisation (document 2, section 4.4).
import type { z } from 'zod';
import type { Platform } from '../../platform/platform.ts';
import {
  hasReceivers,
  type ReceiverViewer,
  toOrigin,
  maySeeAddresses,
} from '../../domain/dual-control/receiver-addresses.ts';
import type { Tenant } from '../../domain/identity/tenant.ts';
import { createScopeFilter } from '../../domain/identity/workspace-scope.ts';
import type { Page } from '../../domain/page.ts';
import {
  AFTER,
  findOr404,
  omitUndefined,
  insertOne,
  type Listed,
  listPage,
  requireFewer,
  type DeletedView,
  toDeletedView,
  takeOnly,
} from '../../platform/mongo/queries.ts';
import { readHeadSequence } from '../../ledger/heads/head-sequence.ts';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import { requireWorkspace } from '../../identity/organization/workspaces/workspaces.service.ts';
import type { ActiveRuleService } from './active-rules.service.ts';
import type { AlertAction, AlertRuleDocument, AlertRuleStateDocument } from './alerts.model.ts';
import type { alertChange, alertInput, AlertRuleView } from './alerts.schemas.ts';

interface Deps {
  activeRules: ActiveRuleService;
}

/** Maximum number of rules: every decision is checked against each, and one page lists them all. */
export const MAX_RULES = 100;

/** Run everything but `listRules`, `getRule` and `check` in a transaction. */
export function createAlertService(platform: Platform, { activeRules }: Deps) {
  const { models, http } = platform;
  function findRule(tenant: Tenant, _id: string): Promise<AlertRuleDocument> {
    const where = { ...createScopeFilter(tenant), _id };
    return findOr404(models.alertRules.findOne(where).lean<AlertRuleDocument>());
  }

  async function loadViews(
    organizationId: string,
    rules: readonly AlertRuleDocument[],
  ): Promise<AlertRuleView[]> {
    const found = await models.alertRuleStates
      .find({ organizationId, _id: { $in: rules.map(({ _id }) => _id) } })
      .lean<AlertRuleStateDocument[]>();
    const byId = new Map(found.map((state) => [state._id.toHexString(), state.lastTriggeredAt]));
    return rules.map((rule) => ({
      ...rule,
      id: rule._id,
      lastTriggeredAt: byId.get(rule._id.toHexString()) ?? null,
    }));
  }

  /** Takes the lock of the organisation first, so that the count holds. */
  async function requireRoom(organizationId: string): Promise<void> {
    await lockOrganization(platform, organizationId);
    const found = models.alertRules.countDocuments({ organizationId });
    await requireFewer(found, MAX_RULES, `An organisation has at most ${MAX_RULES} rules`);
  }

  return {
    /** Shows the full addresses of receivers only to callers who may change the rules; others see origins. */
    async listRules(looker: ReceiverViewer, page: Page): Promise<Listed<AlertRuleView>> {
      const { tenant } = looker;
      if (!hasReceivers(looker)) return { items: [], total: 0 };
      const { items, total } = await listPage(models.alertRules, createScopeFilter(tenant), page);
      const shown = maySeeAddresses(looker) ? items : items.map(withHosts);
      return { items: await loadViews(tenant.organizationId, shown), total };
    },

    /** @throws AppError `NOT_FOUND` */
    getRule: findRule,

    /** Resolves the targets and refuses forbidden addresses. @throws AppError `SSRF_BLOCKED` */
    async check(actions: readonly AlertAction[] = []): Promise<void> {
      const urls = actions.filter(({ type }) => type !== 'email').map(({ target }) => target);
      await Promise.all(urls.map((url) => http.check(url)));
    },

    /**
     * @throws AppError `ALREADY_EXISTS` for a name that its workspace has, `NOT_FOUND` for an unknown workspace,
     * `INVALID_OPERATION` when there are too many
     */
    async create(
      { organizationId, workspaceId: requestWorkspaceId }: Tenant,
      { workspaceId = requestWorkspaceId, ...contents }: z.output<typeof alertInput>,
    ): Promise<AlertRuleView> {
      await requireWorkspace(platform, organizationId, workspaceId);
      await requireRoom(organizationId);
      const since = await readHeadSequence(models.ledger, organizationId);
      const row = { ...contents, organizationId, workspaceId, since };
      const rule = await insertOne(models.alertRules, row);
      activeRules.invalidate(organizationId);
      return { ...rule, id: rule._id, lastTriggeredAt: null };
    },

    /** @throws AppError `NOT_FOUND`, `ALREADY_EXISTS` */
    async update(
      tenant: Tenant,
      _id: string,
      change: z.output<typeof alertChange>,
    ): Promise<AlertRuleView> {
      const { organizationId } = tenant;
      await requireWorkspace(platform, organizationId, change.workspaceId ?? null);
      const isSwitchedOn = change.isActive === true && !(await findRule(tenant, _id)).isActive;
      const since = isSwitchedOn
        ? await readHeadSequence(models.ledger, organizationId)
        : undefined;
      const set = omitUndefined({ ...change, since });
      const rule = await findOr404(
        models.alertRules
          .findOneAndUpdate({ ...createScopeFilter(tenant), _id }, { $set: set }, AFTER)
          .lean<AlertRuleDocument>(),
      );
      activeRules.invalidate(organizationId);
      return takeOnly(loadViews(organizationId, [rule]));
    },

    /** @throws AppError `NOT_FOUND` */
    async remove(tenant: Tenant, id: string): Promise<DeletedView<AlertRuleDocument['_id']>> {
      const { organizationId } = tenant;
      const where = { ...createScopeFilter(tenant), _id: id };
      const { _id } = await findOr404(
        models.alertRules.findOneAndDelete(where).lean<AlertRuleDocument>(),
      );
      await models.alertRuleStates.deleteOne({ organizationId, _id });
      activeRules.invalidate(organizationId);
      return toDeletedView({ _id });
    },
  };
}
export type AlertService = ReturnType<typeof createAlertService>;

function withHosts(rule: AlertRuleDocument): AlertRuleDocument {
  const actions = rule.actions.map(({ type, target }) => ({
    type,
    target: type === 'email' ? target : toOrigin(target),
  }));
  return { ...rule, actions };
}
