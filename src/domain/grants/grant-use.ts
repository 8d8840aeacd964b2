// What uses a standing grant up, as the entries of the chain say it (formats.md, section 20).
import type { Spending } from '../budgets/spending.ts';

export const GRANT_STATUSES = ['granted', 'revoked', 'expired', 'exhausted'] as const;
export type GrantStatus = (typeof GRANT_STATUSES)[number];

/** A use of a grant, as the decision that it let through commits to it. */
export interface GrantUse {
  /** 24 hex digits. */
  id: string;
  /** The sequence of the entry that gave it. */
  sequence: number;
  /** How many decisions it lets through at most. */
  uses: number;
  /** ISO 8601: from then on it lets nothing through. */
  until: string;
  /** The digest of the tool as it is listed. */
  toolDigest: string;
}

/** The grant as an answer says it, and the decision commits to it. */
export interface GrantNotice {
  id: string;
  /** The policy that would have held the decision. */
  policy: { name: string; reason: string } | null;
}

/** What an entry of kind `grant` says of its grant. */
export interface GrantEntry {
  grantId: string;
  status: GrantStatus;
  agent: string;
  toolDigest: string;
  uses: number;
  until: string;
}

/** Names the sum of what is used. */
export const toGrantKey = (id: string): string => `grant:${id}`;

/** Whether a sum is that of a grant, and of no limit. */
export const isGrantKey = (key: string): boolean => key.startsWith(toGrantKey(''));

const add = (id: string, amount: number): Spending => ({
  key: toGrantKey(id),
  window: 'ever',
  slot: null,
  amount: String(amount),
  open: '0',
});

/** A decision that it lets through is one use. */
export const toUseSpending = ({ id }: Pick<GrantUse, 'id'>): Spending => add(id, 1);

/** An end adds all uses, so that no further one fits; what gives the grant adds nothing. */
export const listEntrySpendings = ({
  grantId,
  status,
  uses,
}: Pick<GrantEntry, 'grantId' | 'status' | 'uses'>): Spending[] =>
  status === 'granted' ? [] : [add(grantId, uses)];

/** Whether a use is refused: the sum with it, and the time of its entry. */
export const isUsedUp = (
  { uses, until }: Pick<GrantUse, 'uses' | 'until'>,
  sum: bigint,
  at: Date,
): boolean => sum > BigInt(uses) * UNIT || at.getTime() >= Date.parse(until);

/** A whole one in the units of sums. */
const UNIT = 1_000_000_000n;

/** How many uses a sum holds; an end is none of them. */
export function countUses(
  sum: bigint,
  { uses, isEnded }: { uses: number; isEnded: boolean },
): number {
  const counted = Number(sum / UNIT) - (isEnded ? uses : 0);
  return Math.min(Math.max(counted, 0), uses);
}

/** Why the use of a decision is none of its grant; null: it is one. `given`: the first entry of the grant. */
export function findUseFault(
  use: GrantUse,
  decision: { sequence: number; workspaceId: string | null; agent: string | null; status: string },
  given: (GrantEntry & { sequence: number; workspaceId: string | null }) | null,
): string | null {
  if (decision.status !== 'approved') return 'it uses a grant and is not approved';
  if (given?.status !== 'granted' || given.sequence !== use.sequence)
    return 'it uses a grant that is none';
  if (given.sequence >= decision.sequence) return 'it uses a grant that was given later';
  const isSame =
    given.grantId === use.id &&
    given.uses === use.uses &&
    given.until === use.until &&
    given.toolDigest === use.toolDigest;
  if (!isSame) return 'it uses a grant with other terms';
  const isWithin = given.agent === decision.agent && given.workspaceId === decision.workspaceId;
  return isWithin ? null : 'it uses the grant of another agent or workspace';
}
