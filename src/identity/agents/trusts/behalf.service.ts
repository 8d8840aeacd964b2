// Reads on whose behalf a workload acts: a user in a session, a user of the organisation's provider, or another agent in its run.
import { loadActiveSso } from '../../organization/sso-settings/active-sso.service.ts';
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import { readIssuer, TokenRefusal } from '../../../domain/workload/foreign-token.ts';
import { type Grant, passOnGrant } from '../../../domain/workload/grant.ts';
import type { ChainMember } from '../../../domain/workload/principal.ts';
import { AppError } from '../../../errors.ts';
import { openWorkloadTokens } from '../../../platform/outbound/workload-tokens.ts';
import { ExchangeRefusal } from './exchange-refusal.ts';
import { findRun } from './run-tokens.service.ts';
import { getUpperRooms } from '../../upper-rooms.ts';

/** Whom an agent acts for, and what that allows at most. */
export interface Behalf {
  chain: ChainMember[];
  grant: Grant;
  /** When it ends at the latest. */
  end: Date;
  /** Set for a user in a session. */
  userId?: string;
}

const RUN = /^svc_run_/;

/**
 * Reads on whose behalf a workload acts.
 * @throws TokenRefusal; ExchangeRefusal `invalid_scope`; AppError `IDENTITY_PROVIDER_UNAVAILABLE`
 */
export async function readBehalf(
  platform: Platform,
  organizationId: string,
  token: string,
): Promise<Behalf> {
  if (RUN.test(token)) return readRun(platform, organizationId, token);
  const provider = await findProvider(platform, organizationId);
  const { issuer, clientId } = provider ?? {};
  if (issuer === undefined || clientId === undefined || findIssuerName(token) !== issuer)
    return readSession(platform, organizationId, token);
  const audiences = [platform.publicUrl, clientId];
  const expected = { issuer, audiences, jwks: null, maxAgeSeconds: null };
  const { sub, exp } = await openWorkloadTokens(platform).verify(token, expected);
  const id = String(sub);
  if (id === '' || id.length > MAX_ID) throw new TokenRefusal('its `sub` is not usable');
  return {
    chain: [{ type: 'user', id, issuer }],
    grant: {},
    end: new Date(Number(exp) * 1000),
  };
}

/** @throws TokenRefusal; ExchangeRefusal `invalid_scope` */
async function readRun(platform: Platform, organizationId: string, token: string): Promise<Behalf> {
  const run = await findRun(platform, hashKey(token));
  if (!run || run.organizationId !== organizationId || run.expiresAt <= platform.clock.now())
    throw new TokenRefusal('it is no run token of this organisation, or has ended');
  const { principal, agentId, expiresAt: end } = run;
  const grant = passOnGrant(principal.grant ?? {});
  if (!grant)
    throw new ExchangeRefusal('invalid_scope', 'subject_token: its grant lets no agent follow');
  const agent = { type: 'agent', id: agentId, issuer: platform.publicUrl };
  return { chain: [agent, ...principal.chain], grant, end };
}

async function findProvider(platform: Platform, organizationId: string) {
  try {
    return (await loadActiveSso(platform, organizationId)).oidc;
  } catch (error) {
    if (error instanceof AppError && error.http < 500) return null;
    throw error;
  }
}

/** @throws TokenRefusal */
async function readSession(
  platform: Platform,
  organizationId: string,
  token: string,
): Promise<Behalf> {
  const { tenant, user } = await getUpperRooms(platform)
    .authenticateSession(token)
    .catch((error: unknown) => {
      if (!(error instanceof AppError) || error.http >= 500) throw error;
      throw new TokenRefusal('it is no open session, and of no provider of this organisation');
    });
  if (!user?.isActive || tenant.organizationId !== organizationId)
    throw new TokenRefusal('it is a session in another organisation, or of a deactivated member');
  const { userId, expiresAt } = user;
  const chain = [{ type: 'user', id: userId, issuer: platform.publicUrl }];
  return { chain, grant: {}, end: new Date(expiresAt), userId };
}

/** The longest id of a subject that a decision may name. */
const MAX_ID = 200;

/** Null: the token is no JWT. */
function findIssuerName(token: string): string | null {
  try {
    return readIssuer(token);
  } catch {
    return null;
  }
}
