// Reads on whose behalf a workload acts: a user in a session, a user of the organisation's provider, or another agent in its run.
import type { Platform } from '../../../platform/platform.ts';
import { hashKey } from '../../../domain/identity/key-hash.ts';
import type { Caller } from '../../../domain/identity/tenant.ts';
import { readIssuer, TokenRefusal } from '../../../domain/workload/foreign-token.ts';
import { type Grant, passOnGrant } from '../../../domain/workload/grant.ts';
import type { ChainMember } from '../../../domain/workload/principal.ts';
import { AppError } from '../../../errors.ts';
import type { WorkloadTokens } from '../../../platform/outbound/workload-tokens.ts';
import { ExchangeRefusal } from './exchange-refusal.ts';
import type { RunTokenService } from './run-tokens.service.ts';

/** Whom an agent acts for, and what that allows at most. */
export interface Behalf {
  chain: ChainMember[];
  grant: Grant;
  /** When it ends at the latest. */
  end: Date;
  /** Set for a user in a session. */
  userId?: string;
}

interface Deps {
  tokens: WorkloadTokens;
  runTokens: RunTokenService;
  sessions: { authenticate(token: string): Promise<Caller> };
  activeSso: {
    loadActiveSso(
      organizationId: string,
    ): Promise<{ oidc: { issuer: string; clientId: string } | null }>;
  };
}

const RUN = /^svc_run_/;

export function createBehalfService(
  { clock, publicUrl }: Pick<Platform, 'clock' | 'publicUrl'>,
  { tokens, runTokens, sessions, activeSso }: Deps,
) {
  /** @throws TokenRefusal; ExchangeRefusal `invalid_scope` */
  async function readRun(organizationId: string, token: string): Promise<Behalf> {
    const run = await runTokens.findRun(hashKey(token));
    if (!run || run.organizationId !== organizationId || run.expiresAt <= clock.now())
      throw new TokenRefusal('it is no run token of this organisation, or has ended');
    const { principal, agentId, expiresAt: end } = run;
    const grant = passOnGrant(principal.grant ?? {});
    if (!grant)
      throw new ExchangeRefusal('invalid_scope', 'subject_token: its grant lets no agent follow');
    const agent = { type: 'agent', id: agentId, issuer: publicUrl };
    return { chain: [agent, ...principal.chain], grant, end };
  }

  async function findProvider(organizationId: string) {
    try {
      return (await activeSso.loadActiveSso(organizationId)).oidc;
    } catch (error) {
      if (error instanceof AppError && error.http < 500) return null;
      throw error;
    }
  }

  /** @throws TokenRefusal */
  async function readSession(organizationId: string, token: string): Promise<Behalf> {
    const { tenant, user } = await sessions.authenticate(token).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.http >= 500) throw error;
      throw new TokenRefusal('it is no open session, and of no provider of this organisation');
    });
    if (!user?.isActive || tenant.organizationId !== organizationId)
      throw new TokenRefusal('it is a session in another organisation, or of a deactivated member');
    const { userId, expiresAt } = user;
    const chain = [{ type: 'user', id: userId, issuer: publicUrl }];
    return { chain, grant: {}, end: new Date(expiresAt), userId };
  }

  return {
    /**
     * Reads on whose behalf a workload acts.
     * @throws TokenRefusal; ExchangeRefusal `invalid_scope`; AppError `IDENTITY_PROVIDER_UNAVAILABLE`
     */
    async readBehalf(organizationId: string, token: string): Promise<Behalf> {
      if (RUN.test(token)) return readRun(organizationId, token);
      const provider = await findProvider(organizationId);
      const { issuer, clientId } = provider ?? {};
      if (issuer === undefined || clientId === undefined || findIssuerName(token) !== issuer)
        return readSession(organizationId, token);
      const audiences = [publicUrl, clientId];
      const expected = { issuer, audiences, jwks: null, maxAgeSeconds: null };
      const { sub, exp } = await tokens.verify(token, expected);
      const id = String(sub);
      if (id === '' || id.length > MAX_ID) throw new TokenRefusal('its `sub` is not usable');
      return {
        chain: [{ type: 'user', id, issuer }],
        grant: {},
        end: new Date(Number(exp) * 1000),
      };
    },
  };
}
export type BehalfService = ReturnType<typeof createBehalfService>;

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
