// Finds acts behind a halt that forbade them, in the order of the chain.
import type { mongo, Types } from 'mongoose';
import { findAct, type PlacedDecision } from '../../domain/halt/act.ts';
import {
  type ActPlace,
  type HaltEntry,
  Halts,
  type ReadSessionKey,
} from '../../domain/halt/halt.ts';
import { MAJORITY } from '../../platform/mongo/concerns.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { takeRuns } from '../entry-runs.ts';
import { readHalts, toHaltEntry } from './halt-entries.ts';
import { toObjectId } from '../ledger.model.ts';
import type { Findings, Range } from '../verify/report.ts';
import type { StoredChain } from '../verify/verify-chain.ts';

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

/** What is known before an entry. */
interface Context {
  decisions: ReadonlyMap<string | null, Decision>;
  halts: Halts;
  readSessionKey: ReadSessionKey;
  organizationId: string;
}

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
  const readSessionKey = await loadSessions(stored, entries, all);
  const from = Math.max(first, begun.sequence);
  const acting = findActing(entries, organizationId, { first: from, before });
  for await (const run of takeRuns(acting)) {
    stored.signal?.throwIfAborted();
    const decisions = await loadDecisions(stored, entries, run);
    halts = checkRun(run, { decisions, halts, readSessionKey, ...stored }, findings);
  }
}

/** Returns the halts after the run. */
function checkRun(run: readonly Stored[], context: Context, findings: Findings): Halts {
  let { halts } = context;
  for (const entry of run) {
    if (entry.kind === 'halt') halts = halts.addEntries([toHaltEntry(entry)]);
    else checkEntry(entry, { ...context, halts }, findings);
  }
  return halts;
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
  { decisions, halts, readSessionKey, organizationId }: Context,
  findings: Findings,
): void {
  const about = decisions.get(traceId);
  const act = about && findAct(JSON.parse(view) as Parameters<typeof findAct>[0], about);
  const halt = act && halts.findBlocking(organizationId, act, readSessionKey);
  if (!halt) return;
  const what = `it acts behind the halt at ${halt.sequence}`;
  findings.addBreak({ sequence, reason: 'chain-hash-mismatch', what });
}

/** Derives the targets of the sessions that were halted from what their halts say of them; earlier ones say nothing. */
async function loadSessions(
  { contents, organizationId }: StoredChain,
  entries: mongo.Collection<Stored>,
  halts: readonly HaltEntry[],
): Promise<ReadSessionKey> {
  const sequences = halts
    .filter(({ scope }) => scope === 'session')
    .map(({ sequence }) => sequence);
  const where = { organizationId: toObjectId(organizationId), sequence: { $in: sequences } };
  const found = sequences.length === 0 ? [] : await entries.find(where, { ...MAJORITY }).toArray();
  const opened = contents ? await contents.decryptDocuments(organizationId, found) : found;
  const targets = new Map<string, string>();
  for (const entry of opened) {
    const text = getCommittedValues(entry)['session']?.text;
    const { target } = toHaltEntry(entry);
    if (text !== undefined) targets.set(toPlaceKey(JSON.parse(text) as ActPlace), target);
  }
  return (_organizationId, place) => targets.get(toPlaceKey(place)) ?? null;
}

const toPlaceKey = ({ workspaceId, agent, sessionId }: Omit<ActPlace, 'persons'>): string =>
  JSON.stringify([String(workspaceId), agent, sessionId]);

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
