// Four independent rate-limit layers, the throttle of sign-ins, and their standard headers (document 1, section 8).
import { ipKeyGenerator } from 'express-rate-limit';
import type { Config } from '../../config/config.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError, type Code } from '../../errors.ts';
import type { Shared } from '../../platform/shared/shared.ts';
import type { OverLimit } from '../declaration/define-route.ts';

const QUARTER_HOUR = 900;
const HOUR = 3600;
const MINUTE = 60;
/** A browser comes back once per login; more are reloads or attacks. */
const MAX_PER_LOGIN = 30;

/** The count of one layer for one request. */
interface Count {
  limit: number;
  remaining: number;
  resetSeconds: number;
  windowSeconds: number;
}

type CountRequest = (key: string, limit: number, hits?: number) => Promise<Count>;

interface LayerParts {
  shared: Pick<Shared, 'count'>;
  namespace: string;
  windowSeconds: number;
  exact: boolean;
}

/** Creates one layer: it counts its own keys in windows of `windowSeconds`. */
function createLayer({ shared, namespace, windowSeconds, exact }: LayerParts): CountRequest {
  const windowMs = windowSeconds * 1000;
  return async (key, limit, hits = 1) => {
    const counted = await shared.count({ namespace, key, windowMs, limit, exact, hits });
    const resetSeconds = Math.max(0, Math.ceil(counted.resetMs / 1000));
    return { limit, remaining: limit - counted.hits, resetSeconds, windowSeconds };
  };
}

/** The counts of one request so far; its headers show the tightest. */
export class RateState {
  #tightest: Count | null = null;

  /** @throws AppError `RATE_LIMIT_EXCEEDED`, or the layer's own code, when the count is past its limit */
  applyCount(count: Count, code: Code = 'RATE_LIMIT_EXCEEDED'): void {
    const refusal = this.noteCount(count, code);
    if (refusal) throw refusal;
  }

  /** Returns what refuses the requests past the limit; null while none is. */
  noteCount(count: Count, code: Code = 'RATE_LIMIT_EXCEEDED'): AppError | null {
    if (this.#tightest === null || count.remaining < this.#tightest.remaining)
      this.#tightest = count;
    if (count.remaining >= 0) return null;
    return new AppError(
      code,
      `Too many requests: ${count.limit} per ${count.windowSeconds} seconds`,
      {
        data: { limit: count.limit, windowSeconds: count.windowSeconds },
        headers: { 'Retry-After': String(Math.max(1, count.resetSeconds)) },
      },
    );
  }

  toHeaders(): Record<string, string> {
    if (this.#tightest === null) return {};
    const { limit, remaining, resetSeconds } = this.#tightest;
    return {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(Math.max(0, remaining)),
      'RateLimit-Reset': String(resetSeconds),
    };
  }
}

/** @throws AppError as `RateState.applyCount` does */
async function applyCounted(state: RateState, counted: Promise<Count>, code?: Code): Promise<void> {
  state.applyCount(await counted, code);
}

/** An attempt at an account: its e-mail address and the client address. */
export interface Attempt {
  email: string;
  address: string;
}

export interface RateLimits {
  ip(address: string, state: RateState): Promise<void>;
  auth(address: string, state: RateState): Promise<void>;
  /** Sign-ons at identity providers, which check the credentials; many people share an address. */
  signOn(address: string, state: RateState): Promise<void>;
  /** Responses to one login request, by the state that the provider sends back. */
  login(request: string, state: RateState): Promise<void>;
  /** Unauthenticated attempts at an account, per network and in total: one attacker cannot lock the owner out. */
  countAccountAttempt(attempt: Attempt, state: RateState): Promise<void>;
  /** Attempts within a session; unauthenticated callers cannot use them up. */
  proof(userId: string, state: RateState): Promise<void>;
  /** Mails of one kind that any caller can have sent to an address, counted likewise. */
  countMailRequest(kind: string, attempt: Attempt, state: RateState): Promise<void>;
  /** Requests for a demonstration, by address. */
  demo(address: string, state: RateState): Promise<void>;
  user(userId: string, state: RateState): Promise<void>;
  onboarding(userId: string, state: RateState): Promise<void>;
  /** Reads of the index, by reader; of its report, by organisation. */
  cpi(reader: string, state: RateState): Promise<void>;
  cpiReport(organizationId: string, state: RateState): Promise<void>;
  /** SCIM: 600 per quarter of an hour, by address and by token. */
  scimAddress(address: string, state: RateState): Promise<void>;
  scimToken(tokenId: string, state: RateState): Promise<void>;
  /** Fixed window of a minute; a limit that is null, zero or negative switches it off. */
  agent(agentId: string, perMinute: number | null, state: RateState): Promise<void>;
  /** Counts the further decisions of a request against the same limit; returns those that are past it. */
  countDecisions(further: FurtherDecisions, state: RateState): Promise<OverLimit | undefined>;
}

/** Decisions of one request besides the first, which its request counts for. */
export interface FurtherDecisions {
  agentId: string;
  perMinute: number | null;
  count: number;
}

type LimitConfig = Pick<
  Config,
  | 'ASSAY_LIMIT_IP'
  | 'ASSAY_LIMIT_USER'
  | 'ASSAY_LIMIT_AUTH'
  | 'ASSAY_LIMIT_SIGN_ON'
  | 'ASSAY_LIMIT_ACCOUNT'
  | 'ASSAY_LIMIT_ACCOUNT_TOTAL'
  | 'ASSAY_LIMIT_ONBOARDING'
  | 'ASSAY_LIMIT_CPI'
  | 'ASSAY_LIMIT_DEMO'
  | 'ASSAY_LIMIT_CPI_REPORT'
  | 'ASSAY_LIMIT_MAIL'
  | 'ASSAY_LIMIT_MAIL_TOTAL'
  | 'ASSAY_LIMIT_SCIM'
>;

/** Creates all layers. An IPv6 caller is counted by its /56. */
export function createLimits(config: LimitConfig, shared: Pick<Shared, 'count'>): RateLimits {
  const createExactLayer = (namespace: string, windowSeconds: number): CountRequest =>
    createLayer({ shared, namespace, windowSeconds, exact: true });
  /** A layer that many requests pass: its counts need not be exact. */
  const createApproximateLayer = (namespace: string, windowSeconds: number): CountRequest =>
    createLayer({ shared, namespace, windowSeconds, exact: false });
  const ip = createApproximateLayer('ip', QUARTER_HOUR);
  const auth = createExactLayer('auth', QUARTER_HOUR);
  const signOn = createExactLayer('signOn', QUARTER_HOUR);
  const login = createExactLayer('login', QUARTER_HOUR);
  const accountFrom = createExactLayer('accountFrom', QUARTER_HOUR);
  const account = createExactLayer('account', QUARTER_HOUR);
  const proof = createExactLayer('proof', QUARTER_HOUR);
  const mailFrom = createExactLayer('mailFrom', QUARTER_HOUR);
  const mail = createExactLayer('mail', QUARTER_HOUR);
  const demo = createExactLayer('demo', HOUR);
  const user = createApproximateLayer('user', QUARTER_HOUR);
  const onboarding = createExactLayer('onboarding', QUARTER_HOUR);
  const cpi = createExactLayer('cpi', QUARTER_HOUR);
  const cpiReport = createExactLayer('cpiReport', HOUR);
  const scimAddress = createApproximateLayer('scimAddress', QUARTER_HOUR);
  const scimToken = createApproximateLayer('scimToken', QUARTER_HOUR);
  const agent = createApproximateLayer('agent', MINUTE);
  return {
    ip: (address, state) => applyCounted(state, ip(ipKeyGenerator(address), config.ASSAY_LIMIT_IP)),
    auth: (address, state) =>
      applyCounted(state, auth(ipKeyGenerator(address), config.ASSAY_LIMIT_AUTH)),
    signOn: (address, state) =>
      applyCounted(state, signOn(ipKeyGenerator(address), config.ASSAY_LIMIT_SIGN_ON)),
    login: (request, state) => applyCounted(state, login(sha256Hex(request), MAX_PER_LOGIN)),
    // Attempts beyond the network's limit do not count against the account.
    async countAccountAttempt({ email, address }, state) {
      const from = `${email} ${ipKeyGenerator(address)}`;
      state.applyCount(await accountFrom(from, config.ASSAY_LIMIT_ACCOUNT));
      state.applyCount(await account(email, config.ASSAY_LIMIT_ACCOUNT_TOTAL));
    },
    proof: (userId, state) => applyCounted(state, proof(userId, config.ASSAY_LIMIT_ACCOUNT)),
    async countMailRequest(kind, { email, address }, state) {
      const to = `${kind} ${email}`;
      state.applyCount(await mailFrom(`${to} ${ipKeyGenerator(address)}`, config.ASSAY_LIMIT_MAIL));
      state.applyCount(await mail(to, config.ASSAY_LIMIT_MAIL_TOTAL));
    },
    demo: (address, state) =>
      applyCounted(state, demo(ipKeyGenerator(address), config.ASSAY_LIMIT_DEMO)),
    user: (userId, state) => applyCounted(state, user(userId, config.ASSAY_LIMIT_USER)),
    onboarding: (userId, state) =>
      applyCounted(state, onboarding(userId, config.ASSAY_LIMIT_ONBOARDING)),
    cpi: (reader, state) =>
      applyCounted(state, cpi(reader, config.ASSAY_LIMIT_CPI), 'RATE_LIMITED'),
    cpiReport: (organizationId, state) =>
      applyCounted(state, cpiReport(organizationId, config.ASSAY_LIMIT_CPI_REPORT), 'RATE_LIMITED'),
    scimAddress: (address, state) =>
      applyCounted(state, scimAddress(ipKeyGenerator(address), config.ASSAY_LIMIT_SCIM)),
    scimToken: (tokenId, state) => applyCounted(state, scimToken(tokenId, config.ASSAY_LIMIT_SCIM)),
    agent: (agentId, perMinute, state) =>
      perMinute !== null && perMinute > 0
        ? applyCounted(state, agent(agentId, perMinute))
        : Promise.resolve(),
    async countDecisions({ agentId, perMinute, count }, state) {
      if (perMinute === null || perMinute <= 0 || count <= 0) return undefined;
      const counted = await agent(agentId, perMinute, count);
      const error = state.noteCount(counted);
      return error ? { count: Math.min(count, -counted.remaining), error } : undefined;
    },
  };
}
