// Counts requests by address, caller, account and login, against the limits that the route declares.
import type { Request } from 'express';
import type { Caller } from '../../domain/identity/tenant.ts';
import type { Services } from '../../services.ts';
import type { RequestMeta, Route } from '../declaration/define-route.ts';
import type { Attempt, RateLimits, RateState } from './rate-limits.ts';

/** The parts of a request from which the keys of its counts are derived. */
interface CountedRequest {
  route: Route;
  req: Request;
  meta: RequestMeta;
  rate: RateState;
  caller: Caller | null;
}

interface CountDeps {
  services: Services;
  limits: RateLimits;
}

/** Whether the request asks to wait. The answers to one held decision must not use up the limit of its address. */
export const isWait = ({ route, req }: CountedRequest): boolean =>
  route.waits === true && req.query['wait'] !== undefined;

/** Counts a wait once: by its key, otherwise, and where it has no valid credential, by its client address. */
export async function countWait(
  context: CountedRequest,
  authenticated: Promise<Caller>,
  deps: CountDeps,
): Promise<Caller> {
  const caller = await authenticated.catch(async (error: unknown) => {
    await countAddress(context, deps);
    throw error;
  });
  if (caller.key) await deps.limits.user(caller.key.keyId, context.rate);
  else await countAddress(context, deps);
  return caller;
}

/** Counts the request by its client address. */
export async function countAddress(
  { route, req, meta, rate }: CountedRequest,
  deps: CountDeps,
): Promise<void> {
  if (/^\/(api|log|access|acs|decide)\b/.test(req.originalUrl)) await deps.limits.ip(meta.ip, rate);
  if (route.kind === 'scim') await deps.limits.scimAddress(meta.ip, rate);
  for (const limit of ['auth', 'signOn'] as const)
    if (route.limits?.includes(limit)) await deps.limits[limit](meta.ip, rate);
  if (route.limits?.includes('demo') && !(await isAdministrator(req, deps)))
    await deps.limits.demo(meta.ip, rate);
}

/** Whether a request to a public route has the session of an administrator of the installation. */
async function isAdministrator(req: Request, { services }: CountDeps): Promise<boolean> {
  const token = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  if (token === undefined) return false;
  const caller = await services.auth.sessions.authenticate(token).catch(() => null);
  return caller?.user?.systemRole != null;
}

/** Counts attempts at passwords and codes, and requested mails: by session, else by the e-mail address in the body. */
export async function countAttempt(
  { route, caller, meta, rate }: CountedRequest,
  input: object,
  { limits }: CountDeps,
): Promise<void> {
  const { limits: extra = [], path } = route;
  if (extra.includes('account') && caller?.user) return limits.proof(caller.user.userId, rate);
  const { email } = (input as { body?: { email?: string } }).body ?? {};
  // The second step of a sign-in names no account: its token does, and has a limit of its own.
  if (email === undefined) return;
  const attempt: Attempt = { email, address: meta.ip };
  if (extra.includes('account')) await limits.countAccountAttempt(attempt, rate);
  if (extra.includes('mail')) await limits.countMailRequest(path, attempt, rate);
}

/** The format of Assay's login ids; a provider's own ids may be shared by many messages. */
const LOGIN = /^[\w-]{43}$/;

/** Counts the responses to one login request. */
export async function countLogin(
  { route, rate }: CountedRequest,
  input: object,
  { limits }: CountDeps,
): Promise<void> {
  if (!route.limits?.includes('signOn')) return;
  const { query, body } = input as { query?: { state?: string }; body?: { RelayState?: string } };
  const login = query?.state ?? body?.RelayState ?? '';
  if (LOGIN.test(login)) await limits.login(login, rate);
}

/** Counts the request against every limit that its caller has. */
export async function countCaller(
  { route, rate }: CountedRequest,
  caller: Caller,
  { services, limits }: CountDeps,
): Promise<void> {
  if (caller.scimTokenId !== undefined) await limits.scimToken(caller.scimTokenId, rate);
  if (caller.user) await limits.user(caller.user.userId, rate);
  if (caller.user && route.limits?.includes('onboarding'))
    await limits.onboarding(caller.user.userId, rate);
  if (route.auth === 'anyKey' && !route.followsDecision && caller.key?.agentId != null)
    await limits.agent(
      caller.key.agentId,
      await services.agents.resolver.readRequestLimit(caller.tenant, caller.key.agentId),
      rate,
    );
}

/** Counts the further decisions that a request brings against the limit of its agent. */
export async function countDecisions(
  { route, caller, meta, rate }: CountedRequest,
  { body }: { body?: unknown },
  { services, limits }: CountDeps,
): Promise<void> {
  const agentId = caller?.key?.agentId;
  if (!route.countDecisions || !caller || agentId == null) return;
  const perMinute = await services.agents.resolver.readRequestLimit(caller.tenant, agentId);
  const further = { agentId, perMinute, count: route.countDecisions(body as never) - 1 };
  meta.overLimit = await limits.countDecisions(further, rate);
}

/** Counts reads that are more expensive than others. */
export async function countReads(
  { route, rate, meta }: CountedRequest,
  { user, key, tenant }: Caller,
  { limits }: CountDeps,
): Promise<void> {
  if (route.limits?.includes('cpi')) await limits.cpi(user?.userId ?? key?.keyId ?? meta.ip, rate);
  if (route.limits?.includes('cpiReport')) await limits.cpiReport(tenant.organizationId, rate);
}
