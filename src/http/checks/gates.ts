// Authorises an authenticated caller by plan and role, and resolves the workspace of the request.
import type { IncomingHttpHeaders } from 'node:http';
import { listFeaturePlans } from '../../domain/identity/plans.ts';
import { READERS } from '../../domain/identity/roles.ts';
import { AppError } from '../../errors.ts';
import type { Route } from '../declaration/define-route.ts';
import type { Caller, Tenant } from '../../domain/identity/tenant.ts';
import { findWorkspaceId } from '../../identity/organization/workspaces/workspaces.service.ts';
import type { Platform } from '../../platform/platform.ts';

/** @throws AppError `UPGRADE_REQUIRED` with `currentPlan`, `requiredPlans`, `feature` */
export function requirePlan(route: Route, { tenant }: Caller): void {
  if (!route.plan) return;
  const requiredPlans = listFeaturePlans(route.plan);
  if (requiredPlans.includes(tenant.plan)) return;
  const data = { currentPlan: tenant.plan, requiredPlans, feature: route.plan };
  throw new AppError('UPGRADE_REQUIRED', `The plan ${tenant.plan} does not include ${route.plan}`, {
    data,
  });
}

/** @throws AppError `FORBIDDEN` (or the route's own code) when the role is not among the route's */
export function requireRole(route: Route, caller: Caller): void {
  if (route.auth === 'anyKey' || route.auth === 'workspaceKey' || route.auth === 'scim') return;
  const allowed = (route.roles ?? READERS).includes(caller.role);
  const system =
    !route.systemRoles ||
    (caller.user?.systemRole != null && route.systemRoles.includes(caller.user.systemRole));
  if (!allowed || !system) throw new AppError(route.forbiddenCode ?? 'FORBIDDEN');
}

/**
 * A member whom the directory has deactivated may read until the session ends (document 1, section 4.5), but not write.
 * @throws AppError `ACCOUNT_DEACTIVATED`
 */
export function requireActive(route: Route, { user }: Caller): void {
  const changes = route.method !== 'get' && route.writes !== 'none';
  if (user && !user.isActive && changes && !route.whileDeactivated)
    throw new AppError('ACCOUNT_DEACTIVATED');
}

/** @throws AppError `FORBIDDEN` when an organisation's sign-on would change an account that is not only its own */
export function requireAccount(route: Route, { user }: Caller): void {
  if (route.account && user && !user.ownsAccount)
    throw new AppError(
      'FORBIDDEN',
      'A session opened by the sign-on of an organisation does not change the account: sign in to Assay itself',
    );
}

/** @throws AppError `FORBIDDEN` where the installation requires a verified mailbox and the user has none */
export function requireVerified(route: Route, { user }: Caller): void {
  if (route.verified && user && !user.isVerified)
    throw new AppError('FORBIDDEN', 'Confirm your e-mail address first, by the link in your mail');
}

/**
 * Returns the tenant with the workspace that `x-workspace-id` names.
 * @throws AppError `NOT_FOUND` for a workspace of another organisation, `FORBIDDEN` when the key belongs to another workspace
 */
export async function chooseWorkspace(
  platform: Platform,
  headers: IncomingHttpHeaders,
  tenant: Tenant,
): Promise<Tenant> {
  const header = headers['x-workspace-id'];
  if (header === undefined || header === '') return tenant;
  return resolveWorkspace(platform, header, tenant);
}

async function resolveWorkspace(
  platform: Platform,
  workspaceRef: string | string[],
  tenant: Tenant,
): Promise<Tenant> {
  const workspaceId =
    typeof workspaceRef === 'string'
      ? await findWorkspaceId(platform, tenant.organizationId, workspaceRef.toLowerCase())
      : null;
  if (workspaceId === null) throw new AppError('NOT_FOUND', 'Workspace not found');
  if (tenant.workspaceId !== null && tenant.workspaceId !== workspaceId)
    throw new AppError('FORBIDDEN', 'The key belongs to another workspace');
  return { ...tenant, workspaceId };
}
