// Standing grants: which decisions of an agent one lets through, and within which bounds it is given.
import {
  type ArgumentBound,
  isWithinBounds,
  type PolicyVerdict,
  readCalls,
  findGrantableHolds,
  type ToolCatalogue,
} from '@assay/policy';
import type { Json } from '@assay/json';
import type { GrantUse } from './grant-use.ts';

const DAY_SECONDS = 86_400;
/** Seven days, and a minute. */
export const GRANT_SECONDS = { min: 60, max: 7 * DAY_SECONDS } as const;
export const GRANT_USES_MAX = 1_000;
/** Grants of one organisation that stand at a time, and of one agent. */
export const STANDING_MAX = { organization: 1_000, agent: 50 } as const;

/** What a person says of a grant. */
export interface GrantTerms {
  /** Seconds. */
  expiresIn: number;
  uses: number;
  when?: ArgumentBound[] | undefined;
  reason?: string | undefined;
}

/** A policy at one revision. */
export interface HoldingPolicy {
  id: string;
  revision: number;
}

/** The one call of a decision, as a grant is given for it. */
export interface GrantedCall {
  /** As `action.names` has it. */
  tool: string;
  /** The MCP server that has the tool; null: the call names none. */
  server: string | null;
  toolDigest: string;
}

/** A grant as decisions are judged by it. */
export interface StandingGrant extends GrantedCall, Omit<GrantUse, 'toolDigest'> {
  agent: string;
  workspaceId: string;
  when: readonly ArgumentBound[];
  /** The policies whose hold it lets through, as they were when a person looked. */
  policies: readonly HoldingPolicy[];
}

/** The grant that let a decision through, and the policy that would have held it. */
export interface Granted {
  grant: StandingGrant;
  held: { name: string; reason: string } | null;
}

/** What is judged: the output, the catalogue, and what the policies found. */
export interface GrantedDecision {
  output: Json;
  catalogue: ToolCatalogue | undefined;
  matched: PolicyVerdict['matched'];
}

/** The call that a grant may be given for, or why there is none. */
export function findGrantableCall(
  output: Json,
  catalogue: ToolCatalogue | undefined,
): GrantedCall | { why: string } {
  const [call, ...others] = readCalls(output);
  if (!call || call.name === null) return { why: 'it calls no tool by name' };
  if (others.length > 0) return { why: 'it calls more than one tool' };
  const toolDigest = catalogue?.digestTool(call.name) ?? null;
  if (!catalogue || toolDigest === null || !catalogue.isListed(call))
    return { why: `the tool ${call.name} is not listed in the catalogue of tools` };
  const { acts } = catalogue.describe(output);
  if (acts.some(({ does }) => does.includes('delete')))
    return { why: `the tool ${call.name} deletes, as it is listed: each call needs a person` };
  return { tool: call.name, server: call.server, toolDigest };
}

/** The first of these grants that lets a held decision through; null: none does. */
export function findStandingGrant(
  grants: readonly StandingGrant[],
  { output, catalogue, matched }: GrantedDecision,
): StandingGrant | null {
  const holds = findGrantableHolds(matched);
  if (grants.length === 0 || !holds) return null;
  const call = findGrantableCall(output, catalogue);
  if ('why' in call) return null;
  const [{ given } = { given: {} }] = readCalls(output);
  const fitting = grants.find(
    (grant) =>
      isSameCall(grant, call) && isCovered(grant, holds) && isWithinBounds(given, grant.when),
  );
  return fitting ?? null;
}

const isSameCall = (one: GrantedCall, other: GrantedCall): boolean =>
  one.tool === other.tool && one.server === other.server && one.toolDigest === other.toolDigest;

/** A policy that did not hold the decision that a person looked at, or has another revision since, is not covered. */
const isCovered = (
  { policies }: Pick<StandingGrant, 'policies'>,
  holds: readonly HoldingPolicy[],
): boolean =>
  holds.every(({ id, revision }) =>
    policies.some((policy) => policy.id === id && policy.revision === revision),
  );

/** Those that stand for an agent in a workspace at a time, and whose end no seal has met. */
export const selectStanding = (
  grants: readonly StandingGrant[],
  { agent, workspaceId, at, ended }: Place,
): StandingGrant[] =>
  grants.filter(
    (grant) =>
      grant.agent === agent &&
      grant.workspaceId === workspaceId &&
      Date.parse(grant.until) > at.getTime() &&
      !ended.includes(grant.id),
  );

interface Place {
  agent: string;
  workspaceId: string;
  at: Date;
  ended: readonly string[];
}

export const toGrantUse = ({ id, sequence, uses, until, toolDigest }: StandingGrant): GrantUse => ({
  id,
  sequence,
  uses,
  until,
  toolDigest,
});
