// Four independent rate-limit layers, the throttle of sign-ins, and their standard headers (document 1, section 8).
import { ipKeyGenerator, MemoryStore, type Options } from 'express-rate-limit';
import type { Config } from '../../config.ts';
import { sha256Hex } from '../../domain/record/chain.ts';
import { AppError, type Code } from '../../errors.ts';

const QUARTER_HOUR = 900;
const HOUR = 3600;
const MINUTE = 60;
/** A browser comes back once; what is repeated is a reload, or somebody who tries. */
const MOST_PER_LOGIN = 30;

/** What one layer says of one request. */
interface Count {
  limit: number;
  remaining: number;
  resetSeconds: number;
  windowSeconds: number;
}

class Layer {
  readonly #store = new MemoryStore();
  readonly #windowSeconds: number;

  constructor(windowSeconds: number) {
    this.#windowSeconds = windowSeconds;
    // The store reads nothing but the window.
    this.#store.init({ windowMs: windowSeconds * 1000 } as Options);
  }

  async count(key: string, limit: number): Promise<Count> {
    const { totalHits, resetTime } = await this.#store.increment(key);
    const resetSeconds = resetTime
      ? Math.max(
          0,
          Math.ceil((resetTime.getTime() - performance.timeOrigin - performance.now()) / 1000),
        )
      : this.#windowSeconds;
    return {
      limit,
      remaining: limit - totalHits,
      resetSeconds,
      windowSeconds: this.#windowSeconds,
    };
  }

  close(): void {
    this.#store.shutdown();
  }
}

/** The counts of one request so far; its headers show the tightest. */
export class RateState {
  #tightest: Count | null = null;

  /** @throws AppError `RATE_LIMIT_EXCEEDED`, or the layer's own code, when the count is past its limit */
  take(count: Count, code: Code = 'RATE_LIMIT_EXCEEDED'): void {
    if (this.#tightest === null || count.remaining < this.#tightest.remaining)
      this.#tightest = count;
    if (count.remaining >= 0) return;
    throw new AppError(
      code,
      `Too many requests: ${count.limit} per ${count.windowSeconds} seconds`,
      {
        data: { limit: count.limit, windowSeconds: count.windowSeconds },
        headers: { 'Retry-After': String(Math.max(1, count.resetSeconds)) },
      },
    );
  }

  headers(): Record<string, string> {
    if (this.#tightest === null) return {};
    const { limit, remaining, resetSeconds } = this.#tightest;
    return {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(Math.max(0, remaining)),
      'RateLimit-Reset': String(resetSeconds),
    };
  }
}

/** Whose account, and from where. */
export interface Attempt {
  email: string;
  address: string;
}

export interface RateLimits {
  ip(address: string, state: RateState): Promise<void>;
  auth(address: string, state: RateState): Promise<void>;
  /** Signing on elsewhere: what is tried there is not tried here, and many people share an address. */
  signOn(address: string, state: RateState): Promise<void>;
  /** One login that is under way, by what the provider sends back of it. */
  login(request: string, state: RateState): Promise<void>;
  /** Attempts at an account by strangers: from one network, and from everywhere, so that one of them does not lock the owner out. */
  account(attempt: Attempt, state: RateState): Promise<void>;
  /** Attempts within a session, which no stranger uses up. */
  proof(userId: string, state: RateState): Promise<void>;
  /** Mails of one kind that anybody can have sent to an address, counted likewise. */
  mail(kind: string, attempt: Attempt, state: RateState): Promise<void>;
  /** Requests for a demonstration, by address. */
  demo(address: string, state: RateState): Promise<void>;
  user(userId: string, state: RateState): Promise<void>;
  onboarding(userId: string, state: RateState): Promise<void>;
  /** Reads of the index, by who reads; its report, by organisation. */
  cpi(reader: string, state: RateState): Promise<void>;
  cpiReport(organizationId: string, state: RateState): Promise<void>;
  /** SCIM: 600 per quarter of an hour, by address and by token. */
  scimAddress(address: string, state: RateState): Promise<void>;
  scimToken(tokenId: string, state: RateState): Promise<void>;
  /** Fixed window of a minute; a limit that is null, zero or negative switches it off. */
  agent(agentId: string, perMinute: number | null, state: RateState): Promise<void>;
  close(): void;
}

type Configured = Pick<
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

/** The layers of one instance. An IPv6 caller is counted by its /56. */
export function createLimits(config: Configured): RateLimits {
  const layers = {
    ip: new Layer(QUARTER_HOUR),
    auth: new Layer(QUARTER_HOUR),
    signOn: new Layer(QUARTER_HOUR),
    login: new Layer(QUARTER_HOUR),
    accountFrom: new Layer(QUARTER_HOUR),
    account: new Layer(QUARTER_HOUR),
    proof: new Layer(QUARTER_HOUR),
    mailFrom: new Layer(QUARTER_HOUR),
    mail: new Layer(QUARTER_HOUR),
    demo: new Layer(HOUR),
    user: new Layer(QUARTER_HOUR),
    onboarding: new Layer(QUARTER_HOUR),
    cpi: new Layer(QUARTER_HOUR),
    cpiReport: new Layer(HOUR),
    scimAddress: new Layer(QUARTER_HOUR),
    scimToken: new Layer(QUARTER_HOUR),
    agent: new Layer(MINUTE),
  };
  const { ip, auth, signOn, login, accountFrom, account, proof, mailFrom, mail } = layers;
  const { demo, user, onboarding, cpi, cpiReport, scimAddress, scimToken, agent } = layers;
  return {
    ip: async (address, state) =>
      state.take(await ip.count(ipKeyGenerator(address), config.ASSAY_LIMIT_IP)),
    auth: async (address, state) =>
      state.take(await auth.count(ipKeyGenerator(address), config.ASSAY_LIMIT_AUTH)),
    signOn: async (address, state) =>
      state.take(await signOn.count(ipKeyGenerator(address), config.ASSAY_LIMIT_SIGN_ON)),
    login: async (request, state) =>
      state.take(await login.count(sha256Hex(request), MOST_PER_LOGIN)),
    // What one network may not do any more does not count against the account.
    async account({ email, address }, state) {
      const from = `${email} ${ipKeyGenerator(address)}`;
      state.take(await accountFrom.count(from, config.ASSAY_LIMIT_ACCOUNT));
      state.take(await account.count(email, config.ASSAY_LIMIT_ACCOUNT_TOTAL));
    },
    proof: async (userId, state) =>
      state.take(await proof.count(userId, config.ASSAY_LIMIT_ACCOUNT)),
    async mail(kind, { email, address }, state) {
      const to = `${kind} ${email}`;
      state.take(await mailFrom.count(`${to} ${ipKeyGenerator(address)}`, config.ASSAY_LIMIT_MAIL));
      state.take(await mail.count(to, config.ASSAY_LIMIT_MAIL_TOTAL));
    },
    demo: async (address, state) =>
      state.take(await demo.count(ipKeyGenerator(address), config.ASSAY_LIMIT_DEMO)),
    user: async (userId, state) => state.take(await user.count(userId, config.ASSAY_LIMIT_USER)),
    onboarding: async (userId, state) =>
      state.take(await onboarding.count(userId, config.ASSAY_LIMIT_ONBOARDING)),
    cpi: async (reader, state) =>
      state.take(await cpi.count(reader, config.ASSAY_LIMIT_CPI), 'RATE_LIMITED'),
    cpiReport: async (organizationId, state) =>
      state.take(
        await cpiReport.count(organizationId, config.ASSAY_LIMIT_CPI_REPORT),
        'RATE_LIMITED',
      ),
    scimAddress: async (address, state) =>
      state.take(await scimAddress.count(ipKeyGenerator(address), config.ASSAY_LIMIT_SCIM)),
    scimToken: async (tokenId, state) =>
      state.take(await scimToken.count(tokenId, config.ASSAY_LIMIT_SCIM)),
    async agent(agentId, perMinute, state) {
      if (perMinute !== null && perMinute > 0) state.take(await agent.count(agentId, perMinute));
    },
    close: () => Object.values(layers).forEach((layer) => layer.close()),
  };
}
