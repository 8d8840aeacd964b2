// Rate limits as data: whom each counts, how many requests it allows, and in what time (document 1, section 8).
import type { Config } from '../../config/config.ts';
import type { Code } from '../../errors.ts';
import type { Auth } from './principals.ts';

/**
 * What has a count of its own. Of every request: `address`, the client address, an IPv6 one by its /56. Of an authenticated
 * one: `user`, `key`, `scimToken`, `agent`, `organization` and `reader`, a user or a key. Of one with valid inputs: `email`, the
 * address in its body; `emailFrom`, the same from one client address; `login`, the login request that it answers.
 */
export type LimitKey =
  | 'address'
  | 'user'
  | 'key'
  | 'scimToken'
  | 'agent'
  | 'organization'
  | 'reader'
  | 'email'
  | 'emailFrom'
  | 'login';

export interface RateLimit {
  /** What the documents call it. Limits of one name and key share their counts. */
  name: string;
  /** A request without such a key is not counted. */
  by: LimitKey;
  /** Requests of a key in one window: a variable of the configuration, or a number. */
  max: Extract<keyof Config, `ASSAY_LIMIT_${string}`> | number;
  /** Length of a window in seconds; default: a quarter of an hour. */
  per?: number;
  /** Default: `RATE_LIMIT_EXCEEDED`. */
  code?: Code;
  /** Counted after the inputs were found valid. */
  onlyValid?: true;
  /** Each path that declares it has its own counts. */
  perPath?: true;
  /** Does not count administrators of the installation. */
  sparesAdministrators?: true;
  /** Workers together may let a few more pass: to ask the primary about every request costs too much. */
  isApproximate?: true;
}

export const HOUR = 3600;
const frequent = { isApproximate: true } as const;

/** Every request to the interface. */
export const ADDRESS: RateLimit = {
  name: 'address',
  by: 'address',
  max: 'ASSAY_LIMIT_IP',
  ...frequent,
};
export const USER: RateLimit = { name: 'user', by: 'user', max: 'ASSAY_LIMIT_USER', ...frequent };
/** What follows decisions: waits for a verdict, claims, outcomes and withdrawals, by the key; see `followsDecision`. */
export const FOLLOW_UP: RateLimit = {
  name: 'followUp',
  by: 'key',
  max: 'ASSAY_LIMIT_FOLLOW_UP',
  ...frequent,
};
const scim = { max: 'ASSAY_LIMIT_SCIM', ...frequent } as const;
export const SCIM_ADDRESS: RateLimit = { name: 'SCIM address', by: 'address', ...scim };
const SCIM_TOKEN: RateLimit = { name: 'SCIM token', by: 'scimToken', ...scim };

/** The limits of a caller, by how its route authenticates. */
export const CALLER_LIMITS: Readonly<Record<Auth, readonly RateLimit[]>> = {
  public: [],
  user: [USER],
  reader: [USER],
  keyOrUser: [USER],
  calendar: [USER],
  workspaceKey: [],
  anyKey: [],
  scim: [SCIM_TOKEN],
};

/** The limit of an agent's key, which the owner of the agent sets. */
export const limitAgent = (max: number): RateLimit => ({
  name: 'agent',
  by: 'agent',
  max,
  per: 60,
  ...frequent,
});

/** Requests to the family auth. */
export const AUTH: RateLimit = { name: 'auth', by: 'address', max: 'ASSAY_LIMIT_AUTH' };

/**
 * Sign-ons at identity providers, which check the credentials: many people share an address. A browser comes back once per
 * login; more are reloads or attacks.
 */
export const SIGN_ON: readonly RateLimit[] = [
  { name: 'signOn', by: 'address', max: 'ASSAY_LIMIT_SIGN_ON' },
  { name: 'signOn', by: 'login', max: 30 },
];

/**
 * Attempts at an account without a session, whether or not it exists, per client address and in total: one attacker cannot
 * lock the owner out. Attempts beyond the first limit do not count against the account.
 */
export const ACCOUNT: readonly RateLimit[] = [
  { name: 'account', by: 'emailFrom', max: 'ASSAY_LIMIT_ACCOUNT' },
  { name: 'account', by: 'email', max: 'ASSAY_LIMIT_ACCOUNT_TOTAL' },
];

/** Attempts at the own account within a session: callers without one cannot use them up. */
export const OWN_ACCOUNT: RateLimit = {
  name: 'account',
  by: 'user',
  max: 'ASSAY_LIMIT_ACCOUNT',
  onlyValid: true,
};

/** Reads of the index and of what it is computed from, which cost more than others. */
export const CPI: RateLimit = {
  name: 'cpi',
  by: 'reader',
  max: 'ASSAY_LIMIT_CPI',
  code: 'RATE_LIMITED',
};
