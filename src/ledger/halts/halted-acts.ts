// Finds acts behind a halt that forbade them, in the order of the chain; sessions are known to the seal alone.
import type { mongo, Types } from 'mongoose';
import { findAct, type PlacedDecision } from '../../domain/halt/act.ts';
import { Halts } from '../../domain/halt/halt.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import type { Stored } from '../entry.ts';
import { readHalts, toHaltEntry } from './halt-entries.ts';
import { toObjectId } from '../ledger.model.ts';
import type { Findings, Range } from '../verify/report.ts';
import type { StoredChain } from '../verify/verify-chain.ts';

/** Entries that are looked at together. */
const RUN = 200;
const MEMBERS = {
  sequence: 1,
  kind: 1,
  traceId: 1,
  createdAt: 1,
  view: 1,
  workspaceId: 1,
  agentId: 1,
  answer: 1,
  sessionId: 1,
  tags: 1,
  review: 1,
  'sealed.principal': 1,
  content: 1,
  generation: 1,
} as const;
const ACTING = ['trace', 'review', 'execution', 'halt'];

type Decision = PlacedDecision & Stored;

/** Adds a break for each act of the range behind a halt. An organisation without halts costs one read of an index. */
export async function checkHaltedActs(
  stored: StoredChain,
  { first, before }: Range,
  findings: Findings,
): Promise<void> {
  if (stored.columns.kind !== 'trace') return;
  const entries = stored.db.collection<Stored>(stored.chain.collection);
  const organizationId = toObjectId(stored.organizationId);
  const all = await readHalts(entries, organizationId, { after: 0, upTo: before - 1 });
  const [begun] = all;
  if (!begun) return;
  let halts = new Halts().addEntries(all.filter(({ sequence }) => sequence < first));
  const acting = findActing(entries, organizationId, {
    first: Math.max(first, begun.sequence),
    before,
  });
  for await (const run of takeRuns(acting)) {
    stored.signal?.throwIfAborted();
    const decisions = await loadDecisions(stored, entries, run);
    for (const entry of run) {
      if (entry.kind === 'halt') halts = halts.addEntries([toHaltEntry(entry)]);
      else checkEntry(entry, { decisions, halts, ...stored }, findings);
    }
  }
}

/** The entries of a range that may let an agent act, and the halts among them. */
function findActing(
  entries: mongo.Collection<Stored>,
  organizationId: Types.ObjectId,
  { first, before }: Range,
): AsyncIterable<Stored> {
  const sequence = { $gte: first, $lt: before };
  const where = { organizationId, sequence, kind: { $in: ACTING } } as mongo.Filter<Stored>;
  const options = { ...MAJORITY, hint: 'chain', projection: MEMBERS } as const;
  return entries.find(where, options).sort({ sequence: 1 });
}

function checkEntry(
  { view, sequence, traceId }: Stored,
  {
    decisions,
    halts,
    organizationId,
  }: { decisions: ReadonlyMap<string | null, Decision>; halts: Halts; organizationId: string },
  findings: Findings,
): void {
  const about = decisions.get(traceId);
  const act = about && findAct(JSON.parse(view) as Parameters<typeof findAct>[0], about);
  const halt = act && halts.findBlocking(organizationId, act, () => null);
  if (!halt) return;
  const what = `it acts behind the halt at ${halt.sequence}`;
  findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what });
}

/** The decisions that entries are about, with their values readable. */
async function loadDecisions(
  { contents, organizationId }: StoredChain,
  entries: mongo.Collection<Stored>,
  run: readonly Stored[],
): Promise<ReadonlyMap<string | null, Decision>> {
  const traceIds = [...new Set(run.map(({ traceId }) => traceId))];
  const where = {
    organizationId: toObjectId(organizationId),
    traceId: { $in: traceIds },
    kind: 'trace',
  } as mongo.Filter<Stored>;
  const found = await entries.find(where, { ...MAJORITY, projection: MEMBERS }).toArray();
  const opened = contents ? await contents.decryptDocuments(organizationId, found) : found;
  return new Map(opened.map((decision) => [decision.traceId, decision as unknown as Decision]));
}

async function* takeRuns(entries: AsyncIterable<Stored>): AsyncGenerator<Stored[]> {
  let run: Stored[] = [];
  for await (const entry of entries) {
    run.push(entry);
    if (run.length < RUN) continue;
    yield run;
    run = [];
  }
  if (run.length > 0) yield run;
}
