// The one order in which every request is checked, executed, audited and answered.
import { parseCookie } from 'cookie';
import type { Request, RequestHandler, Response } from 'express';
import type { AppError } from '../errors.ts';
import type { Services } from '../composition/services.ts';
import { authenticate } from './checks/authenticate.ts';
import { auditFailure, auditEvents } from './answers/audit-event.ts';
import { readBody } from './checks/body.ts';
import { assertDeclared } from './declaration/declared-codes.ts';
import type { Reply, RequestMeta, Route } from './declaration/define-route.ts';
import { sendFailure } from './answers/envelope.ts';
import { sendScimFailure } from './answers/scim-envelope.ts';
import { chooseWorkspace, requirePlan, requireRole } from './checks/gates.ts';
import { parseInputs } from './checks/inputs.ts';
import { RateState, type RateLimits } from './checks/rate-limits.ts';
import type { Paged } from './declaration/paging.ts';
import type { Caller } from '../domain/identity/tenant.ts';
import { sendReply } from './answers/send-reply.ts';
import { translateError } from './answers/translate-error.ts';

const DEFAULT_BODY_LIMIT = 100 * 1024;

export interface PipelineDeps {
  services: Services;
  transaction: <T>(work: () => Promise<T>) => Promise<T>;
  limits: RateLimits;
  /** In tests an undeclared status or code is an error; in production it is logged. */
  strict: boolean;
  log: { error(details: object, text: string): void };
}

/** One request on its way through the pipeline. */
interface Attempt {
  route: Route;
  req: Request;
  res: Response;
  meta: RequestMeta;
  rate: RateState;
  caller: Caller | null;
  paged: Paged | undefined;
}

/** What a public route with the limit `account` or `mail` declares as its body. */
interface AccountInput {
  body: { email: string };
}

/** The Express handler of a declared route. */
export function endpoint(route: Route, deps: PipelineDeps): RequestHandler {
  return async (req, res) => {
    const meta = {
      requestId: res.locals.requestId as string,
      ip: req.ip ?? '',
      userAgent: req.headers['user-agent'] ?? null,
      headers: req.headers,
      cookie: (name: string) => parseCookie(req.headers.cookie ?? '')[name] ?? null,
      rawQuery: /\?(.*)$/s.exec(req.originalUrl)?.[1] ?? '',
      rawBody: Buffer.alloc(0),
    };
    const attempt: Attempt = {
      route,
      req,
      res,
      meta,
      rate: new RateState(),
      caller: null,
      paged: undefined,
    };
    try {
      await answer(attempt, await run(attempt, deps), deps);
    } catch (error) {
      await refuse(attempt, error, deps);
    }
  };
}

async function run(attempt: Attempt, deps: PipelineDeps): Promise<Reply<number, unknown>> {
  const { route, req, res, meta, rate } = attempt;
  if (req.originalUrl.startsWith('/api/')) await deps.limits.ip(meta.ip, rate);
  if (route.kind === 'scim') await deps.limits.scimAddress(meta.ip, rate);
  if (route.limits?.includes('auth')) await deps.limits.auth(meta.ip, rate);
  if (route.auth !== 'public') await identify(attempt, deps);
  if (route.body) meta.rawBody = await readBody(req, res, route.bodyLimit ?? DEFAULT_BODY_LIMIT);
  const { input, paged } = parseInputs(route, req, attempt);
  attempt.paged = paged;
  for (const limit of ['account', 'mail'] as const)
    if (route.limits?.includes(limit)) await deps.limits[limit](accountOf(attempt, input), rate);
  return execute(attempt, input, deps);
}

const accountOf = ({ caller }: Attempt, input: object): string =>
  caller?.user?.email ?? (input as AccountInput).body.email;

/** Authenticates, counts, and passes the workspace, plan and role gates. */
async function identify(attempt: Attempt, { services, limits }: PipelineDeps): Promise<void> {
  const { route, req, rate } = attempt;
  const caller = (attempt.caller = await authenticate(req.headers, route, services));
  if (caller.scimTokenId !== undefined) await limits.scimToken(caller.scimTokenId, rate);
  if (caller.user) await limits.user(caller.user.userId, rate);
  if (caller.user && route.limits?.includes('onboarding'))
    await limits.onboarding(caller.user.userId, rate);
  if (caller.key?.agentId != null)
    await limits.agent(
      caller.key.agentId,
      await services.agents.resolver.requestsPerMinute(caller.tenant, caller.key.agentId),
      rate,
    );
  caller.tenant = await chooseWorkspace(req.headers, caller.tenant, services);
  requirePlan(route, caller);
  requireRole(route, caller);
}

/** A mutation and its audit rows are one transaction; the rows are sealed onto the audit chain before the answer. */
async function execute(
  attempt: Attempt,
  input: object,
  { services, transaction }: PipelineDeps,
): Promise<Reply<number, unknown>> {
  const { route } = attempt;
  const writes = route.writes ?? (route.method === 'get' ? 'none' : 'transaction');
  if (writes === 'none') return route.invoke(input, services);
  if (writes === 'own') {
    const result = await route.invoke(input, services);
    for (const event of route.audit ? auditEvents(attempt, result) : [])
      await services.audit.write(event);
    return result;
  }
  const { result, rows } = await transaction(async () => {
    const made = await route.invoke(input, services);
    const written: Awaited<ReturnType<Services['audit']['record']>>[] = [];
    for (const event of route.audit ? auditEvents(attempt, made) : [])
      written.push(await services.audit.record(event));
    return { result: made, rows: written };
  });
  await Promise.all(rows.map((row) => services.audit.seal(row)));
  return result;
}

async function answer(
  attempt: Attempt,
  result: Reply<number, unknown>,
  deps: PipelineDeps,
): Promise<void> {
  const { route, res, rate } = attempt;
  if (!route.statuses.includes(result.status))
    assertDeclared(`status ${result.status}`, route, deps);
  for (const [name, value] of Object.entries(rate.headers())) res.setHeader(name, value);
  await sendReply(attempt, result);
}

/** A refused request may be a repetition of an accepted one; else its failure is audited and told. */
async function refuse(attempt: Attempt, thrown: unknown, deps: PipelineDeps): Promise<void> {
  const { route, res, rate } = attempt;
  const fallback = route.failedCode ?? 'INTERNAL_ERROR';
  let error = translateError(thrown, fallback);
  try {
    const earlier = await earlierAnswer(attempt, error, deps.services);
    if (earlier) return await answer(attempt, earlier, deps);
  } catch (again) {
    error = translateError(again, fallback);
  }
  if (error.http >= 500)
    deps.log.error(
      {
        err: error.cause ?? error,
        code: error.code,
        requestId: attempt.meta.requestId,
        route: `${route.method} ${route.path}`,
      },
      'request failed',
    );
  assertDeclared(error.code, route, deps);
  await auditFailure(attempt, error, deps.services).catch((cause: unknown) =>
    deps.log.error({ err: cause }, 'failure entry not written'),
  );
  if (res.headersSent) return void res.destroy();
  for (const [name, value] of Object.entries(rate.headers())) res.setHeader(name, value);
  if (route.kind === 'scim') sendScimFailure(res, error);
  else sendFailure(res, error);
}

async function earlierAnswer(
  { route, caller, meta }: Attempt,
  error: AppError,
  services: Services,
): Promise<Reply<number, unknown> | null> {
  const repeatable =
    [400, 413, 415, 503].includes(error.http) || error.code === 'USAGE_LIMIT_EXCEEDED';
  if (!route.replay || !caller || !repeatable) return null;
  return route.replay(
    { tenant: caller.tenant, user: caller.user, key: caller.key, meta },
    services,
  );
}
