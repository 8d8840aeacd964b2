// Knows a workload by its token: the first trust of the agent that it fits.
import type { JsonObject } from '@assay/json';
import type { Platform } from '../../../platform/platform.ts';
import { sha256Hex } from '../../../domain/record/chain.ts';
import { readIssuer, TokenRefusal } from '../../../domain/workload/foreign-token.ts';
import type { Grant } from '../../../domain/workload/grant.ts';
import { findOtherClaim } from '../../../domain/workload/trust-rule.ts';
import { openWorkloadTokens } from '../../../platform/outbound/workload-tokens.ts';
import type { AgentDocument } from '../agents.model.ts';
import { ExchangeRefusal } from './exchange-refusal.ts';
import type { AgentTrustDocument } from './trusts.model.ts';

/** A workload whose token fits a trust. */
export interface KnownWorkload {
  trust: string;
  issuer: string;
  subject: string;
  grant: Grant;
  tokenDigest: string;
  /** The id by which its token is accepted once; null: it is accepted again. */
  onceId: string | null;
}

/** A live agent and its trusts. */
export interface TargetAgent {
  organizationId: string;
  agentId: string;
  trusts: AgentTrustDocument[];
}

const ID = /^[0-9a-f]{24}$/;

/** @throws ExchangeRefusal `invalid_target` */
export async function findTargetAgent(
  { models }: Platform,
  audience: string | undefined,
): Promise<TargetAgent> {
  const _id = audience?.toLowerCase() ?? '';
  const live = { deletedAt: null };
  const agent = ID.test(_id)
    ? await models.agents
        .findOne({ ...live, _id }, 'organizationId', { crossTenant: true })
        .lean<AgentDocument>()
    : null;
  if (!agent) throw new ExchangeRefusal('invalid_target', 'audience: must be the id of an agent');
  const { organizationId } = agent;
  const trusts = await models.agentTrusts
    .find({ ...live, organizationId, agentId: agent._id })
    .sort({ createdAt: -1, _id: -1 })
    .lean<AgentTrustDocument[]>();
  return { organizationId: organizationId.toHexString(), agentId: _id, trusts };
}

/** @throws ExchangeRefusal `invalid_request`; AppError `IDENTITY_PROVIDER_UNAVAILABLE` */
export async function knowWorkload(
  platform: Platform,
  { trusts }: TargetAgent,
  token: string,
): Promise<KnownWorkload> {
  const issuer = readIssuer(token);
  const reasons = new Set<string>();
  for (const trust of trusts.filter((one) => one.issuer === issuer))
    try {
      return toKnown(trust, token, await verify(platform, token, trust));
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      reasons.add(error.message);
    }
  throw new TokenRefusal([...reasons].join('; ') || 'no trust of this agent names its issuer');
}

/** @throws TokenRefusal; AppError `IDENTITY_PROVIDER_UNAVAILABLE` */
async function verify(
  platform: Platform,
  token: string,
  trust: AgentTrustDocument,
): Promise<JsonObject> {
  const { issuer, audience, jwks, maxAgeSeconds, subject, claims: asked } = trust;
  const audiences = [audience ?? platform.publicUrl];
  const claims = await openWorkloadTokens(platform).verify(token, {
    issuer,
    audiences,
    jwks,
    maxAgeSeconds,
  });
  const other = findOtherClaim({ subject, claims: Object.fromEntries(asked) }, claims);
  if (other !== null) throw new TokenRefusal(`its claim \`${other}\` is not as the trust asks`);
  return claims;
}

function toKnown(
  { _id, issuer, grant, once }: AgentTrustDocument,
  token: string,
  { sub, jti }: JsonObject,
): KnownWorkload {
  const tokenDigest = sha256Hex(token);
  const id = typeof jti === 'string' && jti !== '' ? `jti ${jti}` : `digest ${tokenDigest}`;
  return {
    trust: _id.toHexString(),
    issuer,
    subject: String(sub),
    grant: grant ?? {},
    tokenDigest,
    onceId: once ? id : null,
  };
}
