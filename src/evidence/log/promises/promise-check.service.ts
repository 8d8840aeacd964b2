// Says whether a promise was kept: by the log that it names, with a proof that its holder can check without us.
import type { Types } from 'mongoose';
import {
  hashLeaf,
  isPromised,
  parsePromise,
  type PromisedEntry,
  type PromiseTerms,
  isSignedBy,
  parseNote,
} from '@assay/tlog';
import type { Platform } from '../../../platform/platform.ts';
import { AppError } from '../../../errors.ts';
import type { EntryPromise } from '../../../ledger/entry.ts';
import { loadNoteSigner, listVerifierKeys } from '../keys/log-keys.service.ts';
import type { LogHeadDocument } from '../log-heads.model.ts';
import type { LogDocument } from '../logs.model.ts';
import { readLeaves } from '../signing/leaves.ts';
import {
  type AnchorProof,
  formatCosignedNote,
  type ProofView,
  toHeadsView,
  toProofView,
} from '../tree/anchors.view.ts';
import { buildHeadsProof, findWitnessedHead, buildEntryProof } from '../tree/proof-builder.ts';
import type { WorkContext } from '../../../platform/context.ts';
import { findCheckedLogByOrigin } from '../checked-logs.ts';

/** What an answer to an ingestion holds of its entry. */
export type PromisedAnswer = PromisedEntry & { promise: EntryPromise };

/** Why a promise is broken. */
export type Breach =
  /** The log has another entry in its place. */
  | 'other-entry'
  /** The first checkpoint that covers it was signed after the time. */
  | 'too-late'
  /** The time has passed, and no checkpoint covers it. */
  | 'not-in-log'
  /** What is stored of the log does not lead to a root that was signed. */
  | 'log-altered';

/** The newest anchor of a log: how far it reaches. */
export interface NewestAnchor {
  anchorId: Types.ObjectId;
  treeSize: number;
  sealedAt: Date;
  checkpoint: string;
  heads: ProofView['heads'];
}

export interface PromiseCheck {
  verdict: 'kept' | 'not-due' | 'broken';
  reason: Breach | null;
  origin: string;
  before: Date;
  checkedAt: Date;
  anchoredAt: Date | null;
  foundChainHash: string | null;
  proof: ProofView | null;
  newest: NewestAnchor | null;
}

/** What the log has at the place of a promised entry; all null while it has nothing there. */
interface Found {
  proof: AnchorProof | null;
  chainHash: string | null;
  anchoredAt: Date | null;
}

const NOTHING: Found = { proof: null, chainHash: null, anchoredAt: null };

/**
 * Checks the promise of an answer, which its organisation alone may ask about.
 * @throws AppError `VALIDATION_ERROR`, `NOT_FOUND` for a promise of another organisation's log
 */
export async function checkPromise(
  { platform, tenant: { organizationId } }: WorkContext,
  answer: PromisedAnswer,
): Promise<PromiseCheck> {
  const { origin, before } = await readTerms(platform, answer);
  // What is signed later is not missed at this time.
  const checkedAt = platform.clock.now();
  const loadLog = () =>
    findCheckedLogByOrigin(platform, organizationId, { chain: 'ledger', origin });
  const log = await loadLog();
  if (!log) throw new AppError('NOT_FOUND', 'Your organisation has no log of this origin');
  // What leads to no signed root is read once more before it accuses.
  const found =
    (await findEntry(platform, log, answer)) ??
    (await findEntry(platform, (await loadLog()) ?? log, answer));
  const reason = findBreach(answer, found, { before, checkedAt });
  return {
    verdict: decidePromise(reason, found),
    reason,
    origin,
    before,
    checkedAt,
    anchoredAt: found?.anchoredAt ?? null,
    foundChainHash: found?.chainHash ?? null,
    proof: found?.proof ? toProofView(found.proof) : null,
    newest: await readNewest(platform, log),
  };
}

/** @throws AppError `VALIDATION_ERROR` for what no key of this installation has promised of this entry */
async function readTerms(
  platform: Platform,
  { promise, ...entry }: PromisedAnswer,
): Promise<PromiseTerms> {
  const note = parseNote(promise.note);
  const terms = note && parsePromise(note.text);
  if (!terms) throw new AppError('VALIDATION_ERROR', 'promise.note: must be the note as answered');
  const { host } = await loadNoteSigner(platform, 'promise');
  const signers = await listVerifierKeys(platform, 'promise', `${host}/promise`);
  if (!signers.some((key) => isSignedBy(note, key)))
    throw new AppError('VALIDATION_ERROR', 'promise.note: no key of this installation signed it');
  if (!isPromised(entry, promise, terms.root))
    throw new AppError('VALIDATION_ERROR', 'promise: it is about another entry or chainHash');
  return terms;
}

async function readNewest(platform: Platform, log: LogDocument): Promise<NewestAnchor | null> {
  const { headId, organizationId } = log;
  const head =
    headId &&
    (await platform.models.logHeads
      .findOne({ _id: headId, organizationId })
      .lean<LogHeadDocument>());
  if (!head) return null;
  return {
    anchorId: head._id,
    treeSize: head.size,
    sealedAt: head.at,
    checkpoint: formatCosignedNote(head),
    heads: toHeadsView(await unlessBroken(buildHeadsProof(platform, head))),
  };
}

/** Finds the first and the best head of a log above an entry: a witnessed one where there is any, else the newest. */
async function findHeads(platform: Platform, log: LogDocument, sequence: number) {
  const { _id: logId, organizationId } = log;
  const size = { $gte: sequence, $lte: log.size };
  const findHead = (direction: 1 | -1) =>
    platform.models.logHeads
      .findOne({ organizationId, logId, size })
      .sort({ size: direction })
      .lean<LogHeadDocument>();
  const first = await findHead(1);
  const best = (await findWitnessedHead(platform, log, sequence)) ?? (await findHead(-1));
  return { first, best };
}

/** The chain hash below a leaf; null where the chain no longer has what was signed. */
async function findChainHash(
  platform: Platform,
  { organizationId, chain }: LogDocument,
  { index, leafHash }: AnchorProof,
): Promise<string | null> {
  const where = { organizationId: organizationId.toHexString(), chain, from: index, limit: 1 };
  const [leaf] = await readLeaves(platform, where);
  return leaf && hashLeaf(leaf.data).equals(leafHash) ? leaf.chainHash : null;
}

/** Finds the entry with its inclusion proof; null: the stored tree does not match a signed root. */
async function findEntry(
  platform: Platform,
  log: LogDocument,
  entry: PromisedEntry,
): Promise<Found | null> {
  const { sequence, chainHash } = entry;
  if (log.size < sequence) return NOTHING;
  const { first, best } = await findHeads(platform, log, sequence);
  const proof =
    best && (await unlessBroken(buildEntryProof(platform, { log, head: best }, sequence)));
  if (!proof) return null;
  const isPromisedLeaf = hashLeaf(Buffer.from(chainHash, 'hex')).equals(proof.leafHash);
  return {
    proof,
    chainHash: isPromisedLeaf ? chainHash : await findChainHash(platform, log, proof),
    anchoredAt: first?.at ?? null,
  };
}

/** Null: what is stored does not lead to a root that was signed. */
async function unlessBroken<T>(proving: Promise<T>): Promise<T | null> {
  try {
    return await proving;
  } catch (error) {
    if (error instanceof AppError && error.code === 'HASH_CHAIN_BROKEN') return null;
    throw error;
  }
}

function decidePromise(reason: Breach | null, found: Found | null): PromiseCheck['verdict'] {
  if (reason !== null) return 'broken';
  return found?.proof ? 'kept' : 'not-due';
}

/** Says why a promise is broken; null: it is not. */
function findBreach(
  { chainHash }: PromisedEntry,
  found: Found | null,
  { before, checkedAt }: { before: Date; checkedAt: Date },
): Breach | null {
  if (!found) return 'log-altered';
  if (!found.proof) return checkedAt < before ? null : 'not-in-log';
  if (found.chainHash !== chainHash) return 'other-entry';
  return found.anchoredAt !== null && found.anchoredAt >= before ? 'too-late' : null;
}
