// Reads the votes on held decisions that several people have to approve, each an entry of the chain.
import type { Json } from '@assay/json';
import { groupBy } from '../../../../domain/group-by.ts';
import { toContent, type Vote } from '../../../../domain/review/approval-votes.ts';
import type { SealedVoter } from '../../../../domain/review/vote-places.ts';
import type { VotePayload } from '../../../../domain/record/payload.ts';
import { type CommittedValue, readSealed } from '../../../../domain/record/commitments.ts';
import type { Sealed } from '../../../../ledger/entry.ts';
import type { Platform } from '../../../../platform/platform.ts';
import { MAJORITY } from '../../../../platform/mongo/concerns.ts';

/** A vote with its words. */
export interface StoredVote extends Vote {
  at: Date;
  reason: string | null;
  notes: string | null;
  isEdited: boolean;
  /** Of the newest vote alone: what is approved by now. */
  edits: Json;
  via: 'link' | 'card' | 'console' | null;
}

interface VoteEntry extends Sealed {
  traceId: string;
  sealed?: Record<string, CommittedValue | null>;
}

const MEMBERS = 'traceId sequence createdAt view sealed content generation';

/** Decisions whose votes are read at once: each has at most `VOTES_MAX`, with edits of ten kilobytes. */
const BATCH = 50;

/** Votes by `traceId`, in the order of the chain; decisions without one are missing. */
export async function loadVotes(
  platform: Platform,
  organizationId: string,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, StoredVote[]>> {
  const votes = new Map<string, StoredVote[]>();
  for (let from = 0; from < traceIds.length; from += BATCH) {
    const some = await readVotes(platform, organizationId, traceIds.slice(from, from + BATCH));
    for (const [traceId, found] of some) votes.set(traceId, found);
  }
  return votes;
}

async function readVotes(
  { models, contents }: Platform,
  organizationId: string,
  traceIds: readonly string[],
): Promise<[string, StoredVote[]][]> {
  const where = { organizationId, traceId: { $in: traceIds }, kind: 'vote' } as const;
  const found = await models.ledger
    .find(where, MEMBERS, MAJORITY)
    .sort({ sequence: 1 })
    .lean<VoteEntry[]>();
  const opened = await contents.decryptDocuments(organizationId, found);
  const groups = groupBy(opened, ({ traceId }) => traceId);
  return [...groups].map(([traceId, entries]) => {
    const votes = entries.map(toVote);
    for (const vote of votes.slice(0, -1)) vote.edits = null;
    return [traceId, votes];
  });
}

function toVote({ sequence, createdAt, view, sealed = {} }: VoteEntry): StoredVote {
  const { actor } = JSON.parse(view) as VotePayload;
  const edits = readSealed(sealed, 'edits');
  const voter = readSealed<SealedVoter>(sealed, 'voter');
  return {
    sequence,
    userId: actor.id ?? '',
    delegator: voter?.delegator?.userId ?? null,
    sealed: voter,
    content: toContent(readSealed(sealed, 'actionDigest'), edits),
    at: createdAt,
    reason: readSealed(sealed, 'reason'),
    notes: readSealed(sealed, 'notes'),
    isEdited: edits !== null,
    edits,
    via: readSealed(sealed, 'via'),
  };
}
