// Checks approvals that their person signed: each is about its entry, and by a key that counted then.
import type { Shown } from '../disclosures.ts';
import type { Entry, Position } from '../layout.ts';
import { hashSha256, isMembers, toCanonicalJson, type Members, type Value } from '../text.ts';
import type { View } from '../view.ts';
import { readShown } from '../decisions/places.ts';
import type { Signed } from './assertion.ts';
import { type Credentials, readSigned } from './credentials.ts';

/** Whose key signed: one that the reader pinned, one that the organisation enrolled, or neither is known. */
export type Signer = 'pinned' | 'enrolled' | 'unknown';
/** Signed approvals by whose key it was. */
export type SignatureCounts = Record<Signer, number>;

/** A decision that has to be approved with a signature. */
interface Demand {
  rawAction: string | null;
  policySetDigest: string;
}

const PARTS = ['statement', 'assertion', 'credential'];

/** The signed approvals of a document. */
export class SignedApprovals {
  readonly counts: SignatureCounts = { pinned: 0, enrolled: 0, unknown: 0 };
  /** The newest signed approval. */
  newest: { sequence: number; by: Signer } | null = null;
  private readonly demands = new Map<number, Demand>();
  private readonly pinned: ReadonlySet<string>;

  /** `pinned`: keys (SPKI in base64url) that the reader has from their persons. */
  constructor(pinned: readonly string[] = []) {
    this.pinned = new Set(pinned);
  }

  /** Adds the next entry; returns its fault, or null. */
  addEntry(
    { sequence }: Entry,
    view: View,
    { shown, credentials }: { shown: ReadonlyMap<string, Shown>; credentials: Credentials },
  ): string | null {
    if (view.kind === 'trace') this.begin(sequence, view, shown);
    if (view.kind !== 'review' && view.kind !== 'vote') return null;
    const decision = (view.subject as Position).sequence;
    const demand = this.demands.get(decision);
    if (view.kind === 'review') this.demands.delete(decision);
    if (view.decision !== 'approve') return null;
    if (!PARTS.every((name) => Object.hasOwn(view.commitments, name)))
      return demand ? 'it is approved without the signature of a person' : null;
    const signed = readSigned(toShownMembers(shown));
    if (signed === null) return null;
    const fault = findStatementFault(signed.statement, { view, shown, demand });
    return fault ?? this.count(sequence, signed, credentials.judge(signed, toPerson(view)));
  }

  private begin(sequence: number, view: View, shown: ReadonlyMap<string, Shown>): void {
    const facts = readShown(shown, 'facts');
    const review = isMembers(facts) ? facts['review'] : null;
    const approvals = isMembers(review) ? review['approvals'] : null;
    if (!isMembers(approvals) || approvals['signed'] !== true) return;
    const rawAction = view.commitments['rawAction'] ?? null;
    this.demands.set(sequence, { rawAction, policySetDigest: String(view.policySetDigest) });
  }

  private count(
    sequence: number,
    { credential }: Signed,
    judged: ReturnType<Credentials['judge']>,
  ): string | null {
    if (typeof judged === 'object') return judged.fault;
    const { spki = null } = credential['publicKey'] as Members;
    const by = this.pinned.has(String(spki)) ? 'pinned' : judged;
    this.counts[by]++;
    this.newest = { sequence, by };
    return null;
  }
}

const toPerson = ({ actor }: View): string | null => (actor?.kind === 'user' ? actor.id : null);

const toShownMembers = (shown: ReadonlyMap<string, Shown>): Members =>
  Object.fromEntries(PARTS.map((name) => [name, readShown(shown, name) ?? null]));

interface About {
  view: View;
  shown: ReadonlyMap<string, Shown>;
  demand: Demand | undefined;
}

/** Why the statement is not about this entry; null: it is, as far as that is shown. */
function findStatementFault(statement: Members, { view, shown, demand }: About): string | null {
  if (statement['format'] !== 'assay-approval/v1') return 'its statement is of another format';
  const wanted: [string, Value | undefined][] = [
    ...['organizationId', 'traceId', 'reviewId', 'decision', 'subject', 'after'].map(
      (name): [string, Value] => [name, view[name as keyof View] as Value],
    ),
    ['actionDigest', readCommitted(view, shown, 'actionDigest')],
    ['edits', toDigest(readCommitted(view, shown, 'edits'))],
    ['rawAction', readRawAction(view, statement, demand)],
    ['policySetDigest', demand?.policySetDigest],
    ['step', readStep(view, shown)],
  ];
  const wrong = wanted.find(
    ([name, value]) => value !== undefined && !isSame(statement[name], value),
  );
  return wrong ? `its statement names another ${wrong[0]}` : null;
}

/** Undefined: it is not shown. Null: there is none. */
const readCommitted = (
  { commitments }: View,
  shown: ReadonlyMap<string, Shown>,
  name: string,
): Value | undefined => (Object.hasOwn(commitments, name) ? readShown(shown, name) : null);

const toDigest = (edits: Value | undefined): Value | undefined =>
  edits === undefined || edits === null ? edits : hashSha256(toCanonicalJson(edits));

/** The last approval repeats the commitment while that action is in force; a vote repeats none. */
function readRawAction(
  { kind, commitments }: View,
  { rawAction = null }: Members,
  demand: Demand | undefined,
): Value | undefined {
  if (kind === 'review') return commitments['rawAction'] ?? null;
  return demand && rawAction !== null ? demand.rawAction : undefined;
}

/** The step that the last approval counts for; null where nothing is counted. */
function readStep(view: View, shown: ReadonlyMap<string, Shown>): Value | undefined {
  if (view.kind !== 'review') return undefined;
  const quorum = readCommitted(view, shown, 'quorum');
  return isMembers(quorum) ? quorum['step'] : quorum;
}

const isSame = (a: Value | undefined, b: Value): boolean =>
  a !== undefined && toCanonicalJson(a) === toCanonicalJson(b);
