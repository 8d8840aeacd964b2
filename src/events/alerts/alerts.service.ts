// Creates, lists, changes and removes the alert rules of an organisation (document 2, section 4.4).
import type { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  hasReceivers,
  type ReceiverViewer,
  toOrigin,
  maySeeAddresses,
} from '../../domain/dual-control/receiver-addresses.ts';
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
import { listAgentNames } from '../../identity/agents/agent-resolver.service.ts';
import { lockOrganization } from '../../identity/organization/memberships/memberships.service.ts';
import { requireWorkspace } from '../../identity/organization/workspaces/workspaces.service.ts';
import type { AlertAction, AlertRuleDocument, AlertRuleStateDocument } from './alerts.model.ts';
import type { alertChange, alertInput, AlertRuleView } from './alerts.schemas.ts';
import type { PlatformContext, Context } from '../../platform/context.ts';
import { invalidateRules } from './active-rules.service.ts';

/** Maximum number of rules: every decision is checked against each, and one page lists them all. */
export const MAX_RULES = 100;

/** Shows the full addresses of receivers only to callers who may change the rules; others see origins. */
export async function listRules(
  ctx: ReceiverViewer & PlatformContext,
  page: Page,
): Promise<Listed<AlertRuleView>> {
  const { platform, tenant } = ctx;
  if (!hasReceivers(ctx)) return { items: [], total: 0 };
  const { items, total } = await listPage(
    platform.models.alertRules,
    createScopeFilter(tenant),
    page,
  );
  const shown = maySeeAddresses(ctx) ? items : items.map(withHosts);
  return { items: await loadViews(platform, tenant.organizationId, shown), total };
}

/** @throws AppError `NOT_FOUND` */
export function getRule({ platform, tenant }: Context, _id: string): Promise<AlertRuleDocument> {
  const where = { ...createScopeFilter(tenant), _id };
  return findOr404(platform.models.alertRules.findOne(where).lean<AlertRuleDocument>());
}

/** Resolves the targets and refuses forbidden addresses. @throws AppError `SSRF_BLOCKED` */
export async function checkTargets(
  { http }: Platform,
  actions: readonly AlertAction[] = [],
): Promise<void> {
  const urls = actions.filter(({ type }) => type !== 'email').map(({ target }) => target);
  await Promise.all(urls.map((url) => http.check(url)));
}

/**
 * @throws AppError `ALREADY_EXISTS` for a name that its workspace has, `NOT_FOUND` for an unknown workspace,
 * `INVALID_OPERATION` when there are too many
 */
export async function createRule(
  { platform, tenant: { organizationId, workspaceId: requestWorkspaceId } }: Context,
  { workspaceId = requestWorkspaceId, ...contents }: z.output<typeof alertInput>,
): Promise<AlertRuleView> {
  await requireWorkspace(platform, organizationId, workspaceId);
  await requireRuleAgent(platform, organizationId, contents.condition);
  await requireRoom(platform, organizationId);
  const since = await readHeadSequence(platform.models.ledger, organizationId);
  const row = { ...contents, organizationId, workspaceId, since };
  const rule = await insertOne(platform.models.alertRules, row);
  invalidateRules(platform, organizationId);
  return { ...rule, id: rule._id, lastTriggeredAt: null };
}

/** The agent that may not be silent is one of the organisation. @throws AppError `NOT_FOUND` */
async function requireRuleAgent(
  platform: Platform,
  organizationId: string,
  condition: z.output<typeof alertChange>['condition'],
): Promise<void> {
  const agentId = condition?.agentId ?? null;
  if (agentId === null) return;
  const known = await listAgentNames(platform, organizationId, [agentId]);
  if (!known.has(agentId)) throw new AppError('NOT_FOUND');
}

/** @throws AppError `NOT_FOUND`, `ALREADY_EXISTS` */
export async function updateRule(
  ctx: Context,
  _id: string,
  change: z.output<typeof alertChange>,
): Promise<AlertRuleView> {
  const { platform, tenant } = ctx;
  const { organizationId } = tenant;
  await requireWorkspace(platform, organizationId, change.workspaceId ?? null);
  await requireRuleAgent(platform, organizationId, change.condition);
  const isSwitchedOn = change.isActive === true && !(await getRule(ctx, _id)).isActive;
  const since = isSwitchedOn
    ? await readHeadSequence(platform.models.ledger, organizationId)
    : undefined;
  const set = omitUndefined({ ...change, since });
  const rule = await findOr404(
    platform.models.alertRules
      .findOneAndUpdate({ ...createScopeFilter(tenant), _id }, { $set: set }, AFTER)
      .lean<AlertRuleDocument>(),
  );
  invalidateRules(platform, organizationId);
  return takeOnly(loadViews(platform, organizationId, [rule]));
}

/** @throws AppError `NOT_FOUND` */
export async function removeRule(
  { platform, tenant }: Context,
  id: string,
): Promise<DeletedView<AlertRuleDocument['_id']>> {
  const { organizationId } = tenant;
  const where = { ...createScopeFilter(tenant), _id: id };
  const { _id } = await findOr404(
    platform.models.alertRules.findOneAndDelete(where).lean<AlertRuleDocument>(),
  );
  await platform.models.alertRuleStates.deleteOne({ organizationId, _id });
  invalidateRules(platform, organizationId);
  return toDeletedView({ _id });
}

async function loadViews(
  { models }: Platform,
  organizationId: string,
  rules: readonly AlertRuleDocument[],
): Promise<AlertRuleView[]> {
  const found = await models.alertRuleStates
    .find({ organizationId, _id: { $in: rules.map(({ _id }) => _id) } })
    .lean<AlertRuleStateDocument[]>();
  const byId = new Map(
    found.map((state) => [state._id.toHexString(), state.lastTriggeredAt ?? null]),
  );
  return rules.map((rule) => ({
    ...rule,
    id: rule._id,
    lastTriggeredAt: byId.get(rule._id.toHexString()) ?? null,
  }));
}

/** Takes the lock of the organisation first, so that the count holds. */
async function requireRoom(platform: Platform, organizationId: string): Promise<void> {
  await lockOrganization(platform, organizationId);
  const found = platform.models.alertRules.countDocuments({ organizationId });
  await requireFewer(found, MAX_RULES, `An organisation has at most ${MAX_RULES} rules`);
}

function withHosts(rule: AlertRuleDocument): AlertRuleDocument {
  const actions = rule.actions.map(({ type, target }) => ({
    type,
    target: type === 'email' ? target : toOrigin(target),
  }));
  return { ...rule, actions };
}
