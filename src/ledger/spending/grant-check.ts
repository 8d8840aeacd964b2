// Checks each use of a standing grant: that it was given, with these terms, and had not ended.
import { LRUCache } from 'lru-cache';
import { type WindowSlot, sumSlots } from '../../domain/budgets/spending.ts';
import { limitEntries } from '../../domain/entry-limit.ts';
import {
  findUseFault,
  type GrantEntry,
  isUsedUp,
  toGrantKey,
} from '../../domain/grants/grant-use.ts';
import type { CommittedState } from '../../domain/record/committed-state.ts';
import { deriveAttestedId } from '../../domain/record/payload-members.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';
import type { CheckedChain } from '../register-checks.ts';
import type { Findings } from '../verify/report.ts';

/** Grants that are kept in memory; others are read again. */
const GRANTS_MAX = 10_000;

type Given = GrantEntry & { sequence: number; workspaceId: string | null };

/** Adds a break where a decision uses a grant that is none. The sums are those after the entry. */
export type CheckUse = (
  entry: Stored,
  state: CommittedState,
  at: { sums: { get(key: string): readonly WindowSlot[] | undefined }; findings: Findings },
) => Promise<void>;

export function openGrantCheck(chain: CheckedChain): CheckUse {
  const known: KnownGrants = new LRUCache(limitEntries(GRANTS_MAX));
  return async (entry, { grant }, { sums, findings }) => {
    if (!grant) return;
    const { sequence, createdAt } = entry;
    const given = await findGiven(chain, known, grant.id);
    const { amount } = sumSlots(sums.get(toGrantKey(grant.id)) ?? []);
    const what =
      findUseFault(grant, readDecision(entry), given) ??
      (isUsedUp(grant, amount, createdAt) ? 'it uses a grant that has ended' : null);
    if (what !== null) findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what });
  };
}

type KnownGrants = LRUCache<string, { given: Given | null }>;

function readDecision({ kind, view, sequence }: Stored): Parameters<typeof findUseFault>[1] {
  const { status = '', workspaceId, agent } = JSON.parse(view) as Given & { status?: string };
  return { workspaceId, agent, sequence, status: kind === 'trace' ? status : kind };
}

/** The first entry about a grant; null: there is none. */
async function findGiven(
  { entries, organizationId }: CheckedChain,
  known: KnownGrants,
  id: string,
): Promise<Given | null> {
  const found = known.get(id);
  if (found) return found.given;
  const traceId = deriveAttestedId('grant', { grantId: id });
  const first = await entries.findOne({ organizationId, traceId }, FIRST);
  const given = first && { ...(JSON.parse(first.view) as Given), sequence: first.sequence };
  known.set(id, { given });
  return given;
}

const FIRST = {
  ...MAJORITY,
  sort: { sequence: 1 },
  projection: { view: 1, sequence: 1 },
} as const;
