// The one order in which every request is checked, executed, audited and answered.
import { parseCookie } from 'cookie';
import type { Request, RequestHandler, Response } from 'express';
import { AbandonedError, type AppError, mayReplay } from '../errors.ts';
import { toNetwork } from '../domain/network/subnet.ts';
import {
  authenticate,
  readStreamCredential,
  type FeedAuthentication,
} from './checks/authenticate.ts';
import { writeFailureAudit, createAuditEvents } from './answers/audit-event.ts';
import { readBody } from './checks/body.ts';
import { requireOtlpBody } from './checks/otlp-body.ts';
import { readClientAddress } from './checks/client-address.ts';
import { assertCodeDeclared, assertStatusDeclared } from './declaration/declared-codes.ts';
import type { Reply, RequestMeta, Route } from './declaration/define-route.ts';
import type { EventStreams } from './answers/event-streams.ts';
import { findFailureSender } from './answers/send-failure.ts';
import {
  chooseWorkspace,
  requireAccount,
  requireActive,
  requirePlan,
  requireRole,
  requireVerified,
} from './checks/gates.ts';
import { callWhenClosed, createCloseSignal } from './checks/close-signal.ts';
import {
  countCaller,
  countDecisions,
  countStage,
  countFollowUp,
  isFollowUp,
  isWait,
  type StagedLimits,
  stageLimits,
} from './checks/request-counts.ts';
import { requireUnchanged } from './checks/unchanged.ts';
import type { RequestGate } from './checks/request-gate.ts';
import { parseInputs } from './checks/inputs.ts';
import { RateState, type RateLimits } from './checks/rate-limits.ts';
import { AUTH, type RateLimit, SIGN_ON } from './declaration/rate-limits.ts';
import type { Paged } from './declaration/paging.ts';
import type { Caller } from '../domain/identity/tenant.ts';
import type { EventStream } from '../domain/event-stream.ts';
import { keepHeader } from './fast/kept-headers.ts';
import type { Release } from '../platform/concurrency/admission.ts';
import type { Platform } from '../platform/platform.ts';
import type { CallerContext, WaitingCaller } from '../platform/waiting-caller.ts';
import { sendReply } from './answers/send-reply.ts';
import { translateError } from './answers/translate-error.ts';
import {
  type AuditRow,
  recordAudit,
  sealAuditRow,
  writeAudit,
} from '../identity/audit/audit.service.ts';

const DEFAULT_BODY_LIMIT = 100 * 1024;
const NO_BODY = Buffer.alloc(0);

export interface PipelineDeps {
  platform: Platform;
  authenticateFeed: FeedAuthentication;
  transaction: <T>(work: () => Promise<T>) => Promise<T>;
  limits: RateLimits;
  gate: RequestGate;
  callerContext: CallerContext;
  streams: EventStreams;
  /** Whether an undeclared status or code throws, as in tests; otherwise it is logged. */
  strict: boolean;
  log: Record<'error' | 'info', (details: object, text: string) => void>;
}

/** One request on its way through the pipeline. */
interface RequestContext {
  route: Route;
  staged: StagedLimits;
  req: Request;
  res: Response;
  meta: RequestMeta;
  rate: RateState;
  caller: Caller | null;
  /** Empty until they are valid. */
  input: object;
  paged: Paged | undefined;
  /** Frees the slot of a heavy answer. */
  endHeavy: Release | null;
  /** Lets the next requests in, once this one has been answered. */
  leaveGates: Release[];
}

/** The Express handler of a declared route. */
export function createEndpoint(
  route: Route,
  deps: PipelineDeps,
  ofMount: readonly RateLimit[],
): RequestHandler {
  const staged = stageLimits(route, ofMount);
  return async (req, res) => {
    const context: RequestContext = {
      route,
      staged,
      req,
      res,
      meta: createRequestMeta(req, res),
      rate: new RateState(),
      caller: null,
      input: {},
      paged: undefined,
      endHeavy: null,
      leaveGates: [],
    };
    try {
      await respond(context, await runForCaller(context, deps), deps);
    } catch (error) {
      await refuse(context, error, deps);
    } finally {
      if (context.endHeavy) callWhenClosed(res, context.endHeavy);
      for (const leave of context.leaveGates) leave();
    }
  };
}

/** Limits of routes whose work may have to queue. */
const WAITING_LIMITS: ReadonlySet<RateLimit> = new Set([AUTH, ...SIGN_ON]);

const toWaitingCaller = ({ meta }: RequestContext): WaitingCaller => ({
  network: toNetwork(meta.ip),
  hasLeft: meta.hasLeft,
});

/** Gives queued work (passwords, provider messages, PDFs) its caller: work of disconnected callers is dropped. */
function runForCaller(
  context: RequestContext,
  deps: PipelineDeps,
): ReturnType<typeof processRequest> {
  const { route } = context;
  const start = (): ReturnType<typeof processRequest> => processRequest(context, deps);
  const waitsForOthers =
    route.heavy === true || route.limits?.some((limit) => WAITING_LIMITS.has(limit));
  return waitsForOthers
    ? deps.callerContext.runWithCaller(toWaitingCaller(context), start)
    : start();
}

const createRequestMeta = (req: Request, res: Response): RequestMeta => ({
  requestId: res.locals.requestId as string,
  ip: readClientAddress(req),
  userAgent: req.headers['user-agent'] ?? null,
  headers: req.headers,
  cookie: (name) => parseCookie(req.headers.cookie ?? '')[name] ?? null,
  rawQuery: /\?(.*)$/s.exec(req.originalUrl)?.[1] ?? '',
  rawBody: NO_BODY,
  hasLeft: () => req.socket.destroyed || req.socket.readableEnded,
  receivedAt: performance.now(),
});

async function processRequest(
  context: RequestContext,
  deps: PipelineDeps,
): Promise<Reply<number, unknown>> {
  const { route, staged, req, res, meta } = context;
  if (!isFollowUp(context)) await countStage('arrival', context, deps);
  if (route.auth !== 'public') await authorize(context, deps);
  requireOtlpBody(route, req);
  if (route.body) meta.rawBody = await readBody(req, res, route.bodyLimit ?? DEFAULT_BODY_LIMIT);
  await passGates(context, deps);
  const { caller } = context;
  const { platform } = deps;
  const { input, paged } = await parseInputs(route, req, { meta, caller, platform });
  context.input = input;
  context.paged = paged;
  if (staged.inputs.length > 0) await countStage('inputs', context, deps);
  if (route.countDecisions) await countDecisions(context, deps);
  const prepared = route.prepare && (await route.prepare(input));
  return execute(context, { ...input, ...beginChange(context, deps), prepared }, deps);
}

/** Waits until the request may be computed beside the other requests of its organisation. */
async function passGates(context: RequestContext, deps: PipelineDeps): Promise<void> {
  const { route, req, caller, meta, leaveGates } = context;
  const { gate } = deps;
  await enterGate(context, deps);
  if (route.waits && caller)
    caller.tenant = { ...caller.tenant, waitAside: (wait) => waitAside(wait, context, deps) };
  const large = gate.enterLarge(meta.rawBody.length, caller, req);
  if (!large) return;
  meta.endComputing = await large;
  leaveGates.push(meta.endComputing);
}

async function enterGate(
  { route, caller, leaveGates }: RequestContext,
  { gate }: PipelineDeps,
): Promise<void> {
  const entered = gate.enter(route, caller);
  const leave = entered instanceof Promise ? await entered : entered;
  if (leave) leaveGates.push(leave);
}

/** Leaves the gates for the time of a wait, and enters again what comes after it. */
async function waitAside(
  wait: () => Promise<void>,
  context: RequestContext,
  deps: PipelineDeps,
): Promise<void> {
  for (const leave of context.leaveGates.splice(0)) leave();
  await wait();
  await enterGate(context, deps);
}

/** Authenticates the caller, counts the request, and checks workspace, plan and role. */
async function authorize(context: RequestContext, deps: PipelineDeps): Promise<void> {
  const { gate } = deps;
  const { route, req, res } = context;
  const authenticated = authenticate(req, route, deps);
  const caller = (context.caller = await (isFollowUp(context)
    ? countFollowUp(context, authenticated, deps)
    : authenticated));
  await countCaller(context, deps);
  requireActive(route, caller);
  caller.tenant = await chooseWorkspace(deps.platform, req.headers, caller.tenant);
  requirePlan(route, caller);
  requireRole(route, caller);
  requireAccount(route, caller);
  requireVerified(route, caller);
  if (route.heavy) context.endHeavy = await gate.reserve(caller.tenant.organizationId);
  if (route.heavy || isWait(context))
    caller.tenant = { ...caller.tenant, signal: createCloseSignal(res) };
}

/** Removes the abort signal of a mutation: once begun, it is completed and audited even if the caller disconnects. */
function beginChange({ route, caller }: RequestContext, { platform }: PipelineDeps): object {
  const isReading = route.method === 'get' || route.writes === 'none';
  if (isReading || !caller?.tenant.signal) return {};
  caller.tenant.signal.throwIfAborted();
  const tenant = { ...caller.tenant };
  delete tenant.signal;
  caller.tenant = tenant;
  return { tenant, ctx: { ...caller, platform } };
}

async function execute(
  context: RequestContext,
  input: object,
  deps: PipelineDeps,
): Promise<Reply<number, unknown>> {
  const { route } = context;
  const { platform } = deps;
  const writes = route.writes ?? (route.method === 'get' ? 'none' : 'transaction');
  if (writes === 'transaction') return executeInTransaction(context, input, deps);
  const reply = await route.invoke(input);
  if (writes === 'own')
    for (const event of createAuditEvents(context, reply)) await writeAudit(platform, event);
  return reply;
}

/** A mutation and its audit rows are one transaction; the rows are sealed onto the audit chain before the answer. */
async function executeInTransaction(
  context: RequestContext,
  input: object,
  { platform, transaction }: PipelineDeps,
): Promise<Reply<number, unknown>> {
  const { reply, rows } = await transaction(async () => {
    const { readLastChange, invoke } = context.route;
    if (readLastChange)
      await requireUnchanged(context.meta.headers['if-match'], () => readLastChange(input));
    const result = await invoke(input);
    const auditRows: AuditRow[] = [];
    for (const event of createAuditEvents(context, result))
      auditRows.push(await recordAudit(platform, event));
    return { reply: result, rows: auditRows };
  });
  await Promise.all(rows.map((row) => sealAuditRow(platform, row)));
  return reply;
}

async function respond(
  context: RequestContext,
  reply: Reply<number, unknown>,
  deps: PipelineDeps,
): Promise<void> {
  const { route, res, rate, caller } = context;
  caller?.tenant.signal?.throwIfAborted();
  assertStatusDeclared(reply.status, route, deps);
  setHeaders(res, rate.toHeaders());
  if (route.kind === 'stream') serveStream(context, reply, deps);
  else await sendReply(context, reply);
}

function describeCredential({ req }: RequestContext): string {
  const { kind, value } = readStreamCredential(req) ?? { kind: 'header', value: '' };
  return `${kind}=${value}`;
}

function serveStream(
  context: RequestContext,
  { data }: Reply<number, unknown>,
  { streams }: PipelineDeps,
): void {
  streams.serve(context.res, describeCredential(context), data as EventStream);
}

/** Answers a failed request: with the first reply if it repeats an accepted one, else with the failure. */
async function refuse(context: RequestContext, thrown: unknown, deps: PipelineDeps): Promise<void> {
  if (thrown instanceof AbandonedError) context.res.destroy();
  if (thrown instanceof AbandonedError || context.caller?.tenant.signal?.aborted)
    return noteAbandoned(context, thrown, deps);
  const fallback = context.route.failedCode ?? 'INTERNAL_ERROR';
  let error = translateError(thrown, fallback);
  try {
    const earlier = await findEarlierReply(context, error, deps);
    if (earlier) return await respond(context, earlier, deps);
  } catch (replayError) {
    error = translateError(replayError, fallback);
  }
  await report(context, error, deps);
  const { route, res, rate } = context;
  if (res.headersSent) return void res.destroy();
  setHeaders(res, rate.toHeaders());
  if (error.code === 'INVALID_STREAM_TOKEN') deps.streams.refuse(res, describeCredential(context));
  else findFailureSender(route.kind)(res, error);
}

/** Logs a request whose caller disconnected before the end. */
function noteAbandoned({ route, meta }: RequestContext, err: unknown, { log }: PipelineDeps): void {
  const details = { err, requestId: meta.requestId, route: `${route.method} ${route.path}` };
  log.info(details, 'the reader left before the answer was complete');
}

/** Logs a fault, checks that the code is declared, and audits the refusal of a known caller. */
async function report(
  context: RequestContext,
  error: AppError,
  { platform, strict, log }: PipelineDeps,
): Promise<void> {
  const { route, meta } = context;
  if (error.http >= 500) {
    const name = `${route.method} ${route.path}`;
    const details = { code: error.code, requestId: meta.requestId, route: name };
    log.error({ ...details, err: error.cause ?? error }, 'request failed');
  }
  assertCodeDeclared(error.code, route, { strict, log });
  await writeFailureAudit(platform, context, error).catch((cause: unknown) =>
    log.error({ err: cause }, 'audit entry of the failure not written'),
  );
}

function setHeaders(res: Response, headers: Readonly<Record<string, string>>): void {
  for (const name in headers) keepHeader(res, name, headers[name] as string);
}

async function findEarlierReply(
  { route, caller, meta }: RequestContext,
  error: AppError,
  { platform }: PipelineDeps,
): Promise<Reply<number, unknown> | null> {
  if (!route.replay || !caller || !mayReplay(error)) return null;
  return route.replay({ ctx: { ...caller, platform }, meta });
}
