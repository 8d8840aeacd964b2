// Counts a request against the limits of its route, by the keys that it has.
import type { Request } from 'express';
import type { Caller } from '../../domain/identity/tenant.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import type { RequestMeta, Route } from '../declaration/define-route.ts';
import {
  CALLER_LIMITS,
  FOLLOW_UP,
  limitAgent,
  type LimitKey,
  type RateLimit,
} from '../declaration/rate-limits.ts';
import { toSubnet } from '../../domain/network/subnet.ts';
import type { Count, RateLimits, RateState } from './rate-limits.ts';
import { readAgentRequestLimit } from '../../identity/agents/agent-resolver.service.ts';
import type { Platform } from '../../platform/platform.ts';
import { authenticateSession } from '../../identity/auth/sessions/authentication.service.ts';

/** When a request is counted: before its credentials are read, for its caller, or once its inputs are valid. */
type Stage = 'arrival' | 'caller' | 'inputs';
/** The limits of one route, in the order of their counts. */
export type StagedLimits = Readonly<Record<Stage, readonly RateLimit[]>>;

/** The parts of a request from which the keys of its counts are derived. */
interface CountedRequest {
  route: Route;
  staged: StagedLimits;
  req: Request;
  meta: RequestMeta;
  rate: RateState;
  caller: Caller | null;
  /** Empty until they are valid. */
  input: { query?: { state?: string }; body?: { email?: string; RelayState?: string } };
}

interface CountDeps {
  platform: Platform;
  limits: RateLimits;
}

type Key = string | null | undefined;

/** The format of Assay's login ids; a provider's own ids may be shared by many messages. */
const LOGIN = /^[\w-]{43}$/;

const KEYS: Readonly<Record<LimitKey, [Stage, (request: CountedRequest) => Key]>> = {
  address: ['arrival', ({ meta }) => toSubnet(meta.ip)],
  user: ['caller', ({ caller }) => caller?.user?.userId],
  key: ['caller', ({ caller }) => caller?.key?.keyId],
  scimToken: ['caller', ({ caller }) => caller?.scimTokenId],
  agent: ['caller', ({ caller }) => caller?.key?.agentId],
  organization: ['caller', ({ caller }) => caller?.tenant.organizationId],
  reader: ['caller', ({ caller, meta }) => caller?.user?.userId ?? caller?.key?.keyId ?? meta.ip],
  email: ['inputs', ({ input }) => input.body?.email],
  emailFrom: [
    'inputs',
    ({ input: { body }, meta }) => body?.email && `${body.email} ${toSubnet(meta.ip)}`,
  ],
  login: ['inputs', ({ input: { query, body } }) => toLogin(query?.state ?? body?.RelayState)],
};

const toLogin = (state = ''): Key => (LOGIN.test(state) ? sha256Hex(state) : null);

/** Sorts the limits of a route by their stage; `ofMount` are those of all routes beside it. */
export function stageLimits(route: Route, ofMount: readonly RateLimit[]): StagedLimits {
  const all = [...ofMount, ...CALLER_LIMITS[route.auth], ...(route.limits ?? [])];
  const pick = (stage: Stage): RateLimit[] =>
    all.filter(({ by, onlyValid }) => (onlyValid ? 'inputs' : KEYS[by][0]) === stage);
  return { arrival: pick('arrival'), caller: pick('caller'), inputs: pick('inputs') };
}

/** Counts a request at a stage. @throws AppError `RATE_LIMIT_EXCEEDED`, or the limit's own code */
export async function countStage(
  stage: Stage,
  request: CountedRequest,
  deps: CountDeps,
): Promise<void> {
  for (const limit of request.staged[stage]) {
    const key = KEYS[limit.by][1](request);
    if (key == null) continue;
    if (limit.sparesAdministrators && (await isAdministrator(request, deps))) continue;
    const counted = limit.perPath ? `${request.route.path} ${key}` : key;
    request.rate.applyCount(await deps.limits(limit, counted));
  }
}

/** Counts a request for its caller and, where it is an agent's, for the agent. */
export async function countCaller(request: CountedRequest, deps: CountDeps): Promise<void> {
  const { route, staged, rate } = request;
  if (staged.caller.length > 0) await countStage('caller', request, deps);
  if (route.auth !== 'anyKey' || isFollowUp(request)) return;
  const counted = await countAgent(request, 1, deps);
  if (counted) rate.applyCount(counted);
}

/** Null: the caller is no agent, or its agent has no limit. */
async function countAgent(
  { caller }: CountedRequest,
  hits: number,
  { limits, platform }: CountDeps,
): Promise<Count | null> {
  const agentId = caller?.key?.agentId;
  if (!caller || agentId == null || hits <= 0) return null;
  const perMinute = await readAgentRequestLimit({ platform, tenant: caller.tenant }, agentId);
  if (perMinute === null || perMinute <= 0) return null;
  return limits(limitAgent(perMinute), agentId, hits);
}

/** Counts the decisions of a request besides the first, which the request counted for, against the limit of its agent. */
export async function countDecisions(request: CountedRequest, deps: CountDeps): Promise<void> {
  const { route, meta, rate, input } = request;
  const further = (route.countDecisions?.(input.body as never) ?? 0) - 1;
  const counted = await countAgent(request, further, deps);
  const error = counted && rate.noteCount(counted);
  if (error) meta.overLimit = { count: Math.min(further, -counted.remaining), error };
}

/** Whether the request asks to wait. */
export const isWait = ({ route, req }: CountedRequest): boolean =>
  route.waits !== undefined && req.query[route.waits] !== undefined;

/** Whether the request follows a decision that was counted: what one approval needs must not use up the limits of others. */
export const isFollowUp = (request: CountedRequest): boolean =>
  request.route.followsDecision === true || isWait(request);

/** Counts what follows a decision once: by its key, otherwise, and where it has no valid credential, by its client address. */
export async function countFollowUp(
  request: CountedRequest,
  authenticated: Promise<Caller>,
  deps: CountDeps,
): Promise<Caller> {
  const caller = await authenticated.catch(async (error: unknown) => {
    await countStage('arrival', request, deps);
    throw error;
  });
  if (caller.key) request.rate.applyCount(await deps.limits(FOLLOW_UP, caller.key.keyId));
  else await countStage('arrival', request, deps);
  return caller;
}

/** Whether a request to a public route has the session of an administrator of the installation. */
async function isAdministrator({ req }: CountedRequest, { platform }: CountDeps): Promise<boolean> {
  const token = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  if (token === undefined) return false;
  const caller = await authenticateSession(platform, token).catch(() => null);
  return caller?.user?.systemRole != null;
}
