// Counts votes again: finds approvals that do not have those that the policies of their decision ask for.
import type { mongo } from 'mongoose';
import type { Approvals } from '@assay/policy';
import { groupBy } from '../../domain/group-by.ts';
import { type CommittedValue, readSealed } from '../../domain/record/commitments.ts';
import type { ReviewPayload } from '../../domain/record/payload.ts';
import { type Quorum, toContent } from '../../domain/review/approval-votes.ts';
import { findQuorumFault, type SealedApproval } from '../../domain/review/quorum-check.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { APPROVALS_INDEX } from '../chains.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { toObjectId } from '../ledger.model.ts';
import { takeRuns } from '../entry-runs.ts';
import type { Findings, Range } from '../verify/report.ts';
import type { StoredChain } from '../verify/verify-chain.ts';

type Entries = mongo.Collection<Stored>;
type Sealed = Record<string, CommittedValue | null>;

const MEMBERS = {
  sequence: 1,
  kind: 1,
  traceId: 1,
  view: 1,
  sealed: 1,
  content: 1,
  generation: 1,
} as const;

/** Adds a break for each approval of the range without its votes. Where no policy asks for some it costs one read. */
export async function checkVotes(
  stored: StoredChain,
  { first, before }: Range,
  findings: Findings,
): Promise<void> {
  if (stored.columns.kind !== 'trace') return;
  const entries = stored.db.collection<Stored>(stored.chain.collection);
  const organizationId = toObjectId(stored.organizationId);
  const asked = { organizationId, 'review.approvals': { $exists: true } } as mongo.Filter<Stored>;
  const one = { ...MAJORITY, hint: APPROVALS_INDEX.name, projection: { _id: 1 } };
  if (!(await entries.findOne(asked, one))) return;
  const sequence = { $gte: first, $lt: before };
  const where = { organizationId, sequence, kind: 'review' } as mongo.Filter<Stored>;
  const options = { ...MAJORITY, hint: 'chain', projection: MEMBERS } as const;
  for await (const run of takeRuns(entries.find(where, options).sort({ sequence: 1 }))) {
    stored.signal?.throwIfAborted();
    await checkRun(stored, { entries, run }, findings);
  }
}

async function checkRun(
  { contents, organizationId }: StoredChain,
  { entries, run }: { entries: Entries; run: readonly Stored[] },
  findings: Findings,
): Promise<void> {
  const toFilter = createAbout(organizationId);
  const approvals = await loadApprovals(entries, toFilter(run));
  const reviews = run.filter(({ traceId, view }) => approvals.has(traceId) && isApproval(view));
  if (reviews.length === 0) return;
  const all = [...reviews, ...(await loadVotes(entries, toFilter(reviews)))];
  const opened = contents ? await contents.decryptDocuments(organizationId, all) : all;
  for (const [traceId, about] of groupBy(opened, (entry) => entry.traceId)) {
    const asked = approvals.get(traceId);
    if (asked) addFaults(asked, about, findings);
  }
}

/** `about`: the votes on one decision, and the approval of it. */
function addFaults(approvals: Approvals, about: readonly Stored[], findings: Findings): void {
  const votes = about.filter(({ kind }) => kind === 'vote');
  for (const review of about.filter(({ kind }) => kind === 'review')) {
    const what = findFault(approvals, review, votes);
    const { sequence } = review;
    if (what !== null) findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what });
  }
}

const isApproval = (view: string): boolean =>
  (JSON.parse(view) as ReviewPayload).decision === 'approve';

/** Filters for the entries about the decisions of these. */
const createAbout = (organizationId: string) => (of: readonly Stored[]) => ({
  organizationId: toObjectId(organizationId),
  traceId: { $in: of.map(({ traceId }) => traceId) },
});
type About = ReturnType<ReturnType<typeof createAbout>>;

/** What the policies of the decisions ask for, by `traceId`. */
async function loadApprovals(
  entries: Entries,
  about: About,
): Promise<ReadonlyMap<string | null, Approvals>> {
  const where = { ...about, kind: 'trace', 'review.approvals': { $exists: true } };
  const options = { ...MAJORITY, projection: { traceId: 1, 'review.approvals': 1 } };
  const found = await entries.find(where as mongo.Filter<Stored>, options).toArray();
  return new Map(
    found.map((decision) => [
      decision.traceId,
      (decision['review'] as { approvals: Approvals }).approvals,
    ]),
  );
}

function loadVotes(entries: Entries, about: About): Promise<Stored[]> {
  const where = { ...about, kind: 'vote' } as mongo.Filter<Stored>;
  return entries.find(where, { ...MAJORITY, projection: MEMBERS }).toArray();
}

/** Null: none, or what was sealed is erased. */
function findFault(approvals: Approvals, review: Stored, votes: readonly Stored[]): string | null {
  const { actor, commitments } = JSON.parse(review.view) as ReviewPayload;
  if (actor.kind !== 'user') return 'it is approved by no person, where several have to';
  if (approvals.signed && !isSigned(review))
    return 'it is approved without the signature of a person';
  if (approvals.steps.length === 0) return null;
  if (!Object.hasOwn(commitments, 'quorum'))
    return 'it is approved without the votes that it needs';
  const quorum = readSealed<Quorum>(getCommittedValues(review) as Sealed, 'quorum');
  if (quorum === null) return null;
  const before = votes.filter(({ sequence }) => sequence < review.sequence);
  return findQuorumFault(approvals, {
    quorum,
    last: readApproval(review),
    votes: new Map(before.map((vote) => [vote.sequence, readApproval(vote)])),
  });
}

const isSigned = ({ view }: Stored): boolean => {
  const { commitments } = JSON.parse(view) as ReviewPayload;
  return ['statement', 'assertion', 'credential'].every((name) => Object.hasOwn(commitments, name));
};

function readApproval(entry: Stored): SealedApproval {
  const sealed = getCommittedValues(entry) as Sealed;
  const { actor } = JSON.parse(entry.view) as ReviewPayload;
  return {
    userId: actor.id,
    content: toContent(readSealed(sealed, 'actionDigest'), readSealed(sealed, 'edits')),
    voter: readSealed(sealed, 'voter'),
  };
}
