// Exchanges the token of a workload for a run token of an agent (RFC 8693); what it may do only narrows.
import { parseSafeJson } from '@assay/json';
import type { Platform } from '../../../platform/platform.ts';
import { TokenRefusal } from '../../../domain/workload/foreign-token.ts';
import { type Grant, isWithinGrant, meetGrants } from '../../../domain/workload/grant.ts';
import { CHAIN_MAX, listPersons, type Principal } from '../../../domain/workload/principal.ts';
import { AppError } from '../../../errors.ts';
import { type Behalf, readBehalf } from './behalf.service.ts';
import { type ExchangeError, ExchangeRefusal } from './exchange-refusal.ts';
import { ACCESS_TOKEN, type ExchangeForm } from './exchange.schemas.ts';
import { issueRunToken } from './run-tokens.service.ts';
import { grantInput } from './trusts.schemas.ts';
import {
  type KnownWorkload,
  type TargetAgent,
  findTargetAgent,
  knowWorkload,
} from './workloads.service.ts';
import { getUpperRooms } from '../../upper-rooms.ts';

export interface ExchangedToken {
  token: string;
  expiresIn: number;
  organizationId: string;
  agentId: string;
  principal: Principal;
  /** Set where a user in a session stands at the end of the chain. */
  userId: string | undefined;
}

export type ExchangeAnswer = { error: ExchangeError; description: string } | ExchangedToken;

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** @throws AppError `IDENTITY_PROVIDER_UNAVAILABLE`, `SSRF_BLOCKED` */
export async function exchangeToken(
  platform: Platform,
  form: ExchangeForm,
): Promise<ExchangeAnswer> {
  try {
    return await exchangeChecked(platform, form);
  } catch (error) {
    if (!(error instanceof ExchangeRefusal)) throw error;
    return { error: error.code, description: error.message };
  }
}

/** @throws ExchangeRefusal `invalid_request` */
async function useOnce(
  platform: Platform,
  { organizationId }: TargetAgent,
  { issuer, onceId }: KnownWorkload,
): Promise<void> {
  if (onceId === null) return;
  await getUpperRooms(platform)
    .useMessageOnce(organizationId, { issuer: `workload ${issuer}`, id: onceId })
    .catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'TOKEN_VERIFICATION_FAILED') throw error;
      throw new ExchangeRefusal(
        'invalid_request',
        'The token of the workload was exchanged before; its trust accepts each token once (`once`)',
      );
    });
}

/** @throws ExchangeRefusal; AppError `IDENTITY_PROVIDER_UNAVAILABLE` */
async function exchangeChecked(platform: Platform, form: ExchangeForm): Promise<ExchangedToken> {
  const { subjectToken, workloadToken } = readTokens(form);
  const target = await findTargetAgent(platform, form.audience);
  const { organizationId, agentId } = target;
  const workload = await refuseAs(workloadToken.name, () =>
    knowWorkload(platform, target, workloadToken.value),
  );
  const behalf =
    subjectToken === null
      ? null
      : await refuseAs('subject_token', () => readBehalf(platform, organizationId, subjectToken));
  const grant = narrowGrant(meetGrants(workload.grant, behalf?.grant ?? {}), form.grant);
  const principal = toPrincipal(workload, { behalf, grant });
  const end = findEnd(grant, behalf);
  if (end <= platform.clock.now())
    throw new ExchangeRefusal('invalid_scope', 'The grant has ended');
  await requireUnhalted(platform, target, principal);
  await useOnce(platform, target, workload);
  const issued = await issueRunToken(platform, target, { principal, end });
  return { ...issued, organizationId, agentId, principal, userId: behalf?.userId };
}

/** A halted agent gets no token, nor one for a halted person. @throws ExchangeRefusal `invalid_grant` */
async function requireUnhalted(
  platform: Platform,
  { organizationId, agentId: agent }: TargetAgent,
  principal: Principal,
): Promise<void> {
  const place = { workspaceId: null, agent, sessionId: null, persons: listPersons(principal) };
  // A person's approval passes a watch, and so does a token: what it is used for is judged.
  const act = { by: 'person', ...place } as const;
  await platform.ledger.halts.requireFree(organizationId, act).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'HALTED') throw error;
    throw new ExchangeRefusal('invalid_grant', error.message);
  });
}

interface FormTokens {
  /** Null: the workload acts for itself. */
  subjectToken: string | null;
  workloadToken: { name: string; value: string };
}

/** @throws ExchangeRefusal */
function readTokens(form: ExchangeForm): FormTokens {
  const { grant_type: grantType, requested_token_type: requested = ACCESS_TOKEN } = form;
  const { subject_token: subject, subject_token_type: subjectType } = form;
  const { actor_token: actor, actor_token_type: actorType } = form;
  if (grantType === undefined) throw refuseRequest('grant_type: required');
  if (grantType !== GRANT_TYPE)
    throw new ExchangeRefusal('unsupported_grant_type', `grant_type: must be ${GRANT_TYPE}`);
  if (subject === undefined || subjectType === undefined)
    throw refuseRequest('subject_token and subject_token_type: required');
  if ((actor === undefined) !== (actorType === undefined))
    throw refuseRequest('actor_token and actor_token_type: required together');
  if (requested !== ACCESS_TOKEN)
    throw refuseRequest(`requested_token_type: must be ${ACCESS_TOKEN}`);
  return actor === undefined
    ? { subjectToken: null, workloadToken: { name: 'subject_token', value: subject } }
    : { subjectToken: subject, workloadToken: { name: 'actor_token', value: actor } };
}

const refuseRequest = (why: string): ExchangeRefusal => new ExchangeRefusal('invalid_request', why);

/** RFC 8693, section 2.2.2: a token that is not accepted is an invalid request. */
async function refuseAs<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    throw refuseRequest(`${name}: ${error.message}`);
  }
}

/** @throws ExchangeRefusal `invalid_scope` where more is asked for than there is */
function narrowGrant(most: Grant, asked: string | undefined): Grant {
  if (asked === undefined) return most;
  const child = readGrant(asked);
  if (isWithinGrant(child, most)) return child;
  throw new ExchangeRefusal('invalid_scope', `grant: must lie within ${JSON.stringify(most)}`);
}

/** @throws ExchangeRefusal `invalid_request` */
function readGrant(text: string): Grant {
  try {
    return grantInput.parse(parseSafeJson(text));
  } catch {
    throw refuseRequest('grant: must be JSON with `tools`, `until` and `depth`, or some of them');
  }
}

/** @throws ExchangeRefusal `invalid_request` */
function toPrincipal(
  { trust, issuer, subject, tokenDigest }: KnownWorkload,
  { behalf, grant }: { behalf: Behalf | null; grant: Grant },
): Principal {
  const chain = behalf?.chain ?? [];
  if (chain.length > CHAIN_MAX)
    throw refuseRequest(`subject_token: a chain has at most ${CHAIN_MAX} members`);
  return {
    chain,
    workload: { issuer, subject },
    trust,
    grant: Object.keys(grant).length > 0 ? grant : null,
    tokenDigest,
  };
}

function findEnd({ until }: Grant, behalf: Behalf | null): Date {
  const ends = [until === undefined ? Infinity : Date.parse(until), behalf?.end.getTime()];
  return new Date(Math.min(MAX_TIME, ...ends.map((end) => end ?? Infinity)));
}

/** The last moment that a date can say. */
const MAX_TIME = 8.64e15;
