// Whether a custodian destroyed the keys of erased values, as a saved erasure says, its note signs, and the ledger has it.
import { hashSha256, isMembers, parse, toCanonicalJson, Unreadable } from '../text.ts';
import type { Shown } from '../disclosures.ts';
import { CLOCK_TOLERANCE_MS } from '../link-checks.ts';
import type { Value } from '../text.ts';
import type { View } from '../view.ts';
import { decodeHash, isSignedBy, readKey, readNote } from './note.ts';

/** A saved erasure, and the keys of custodians that the reader trusts. */
export interface DestructionQuestion {
  /** The answer of `GET /api/v1/erasure/:id`. */
  answer: string;
  custodianKeys: readonly string[];
}

/** What holds of a destruction, once the ledger has it too. */
export interface Destruction {
  erasureId: string;
  /** The keys of this epoch and of all before it are destroyed. */
  epoch: number;
  /** As the statement says it. */
  destroyedAt: string;
  /** The name of the custodian's key. */
  signedBy: string;
  /** The entry that commits to the statement. */
  sequence: number;
}

interface Claim {
  shown: Omit<Destruction, 'sequence'>;
  /** SHA-256 of the certificate, which the ledger has too. */
  certificate: string;
  /** SHA-256 of the statement. */
  statement: string;
  /** The statement was signed before the erasure. */
  isTooOld: boolean;
}

const TEXT =
  /^assay-destruction\/v1\n[^\n]+\nepoch ([1-9]\d{0,8})\ndestroyed (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)\n([^\n]+)\n$/;
/** The beginning of a statement that was saved without its erasure. */
const ALONE = 'assay-destruction/';
const DESTRUCTION = 'destruction';
/** The gap where the erasure itself is as it must be. */
export const NO_ENTRY = 'no entry of the document commits to the statement about the destruction';

/** Checks one destruction against the entries of a document. */
export class DestructionCheck {
  /** What holds; null: not shown. */
  found: Destruction | null = null;
  private readonly claim: Claim | null = null;
  /** Why nothing is known. */
  private unseen = NO_ENTRY;

  constructor(question: DestructionQuestion) {
    try {
      this.claim = readClaim(question);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      this.unseen = error.message;
    }
  }

  /** Takes an entry; returns why it contradicts the erasure. Null: it does not. */
  addEntry(sequence: number, view: View, shown: ReadonlyMap<string, Shown>): string | null {
    const { claim } = this;
    if (!claim || view.kind !== 'certificate' || view.erasureId !== claim.shown.erasureId)
      return null;
    if (view.digest !== claim.certificate) return 'the erasure has another certificate';
    if (!Object.hasOwn(view.commitments, DESTRUCTION)) return null;
    const [node] = shown.get(DESTRUCTION)?.values ?? [];
    if (!node) {
      this.unseen = 'the statement is withheld: export the bundle with disclose=destruction';
      return null;
    }
    if (node.value !== claim.statement) return 'the erasure has another statement';
    if (claim.isTooOld) return 'the statement is older than the erasure';
    this.found = { ...claim.shown, sequence };
    return null;
  }

  /** Why the document does not show it; null: it does. */
  findGap(): string | null {
    return this.found ? null : this.unseen;
  }
}

/** @throws Unreadable when the erasure is not one, shows no statement, or no key given has signed it */
function readClaim({ answer, custodianKeys }: DestructionQuestion): Claim {
  if (answer.startsWith(ALONE))
    throw new Unreadable('a statement alone does not say what was erased: give the saved erasure');
  const { certificate, members, destruction } = readErasure(parse(answer));
  const { erasureId, executedAt } = members;
  const { statement, epoch: needed } = destruction;
  if (typeof statement !== 'string')
    throw new Unreadable('the destruction is pending: the erasure has no statement yet');
  const note = readNote(statement);
  const key = custodianKeys.map(readKey).find((one) => isSignedBy(note, one));
  if (!key) throw new Unreadable('no key given has signed the statement about the destruction');
  const [, epoch, destroyedAt = '', rows] = TEXT.exec(note.text) ?? [];
  if (epoch === undefined || rows === undefined)
    throw new Unreadable('the statement about the destruction is of another version');
  decodeHash(rows);
  if (typeof needed !== 'number' || Number(epoch) < needed)
    throw new Unreadable(
      `the statement is about epoch ${epoch}, the erasure about ${String(needed)}`,
    );
  const erasedAt = Date.parse(String(executedAt));
  return {
    shown: { erasureId: String(erasureId), epoch: Number(epoch), destroyedAt, signedBy: key.name },
    certificate: hashSha256(certificate),
    statement: hashSha256(statement),
    isTooOld: !(Date.parse(destroyedAt) >= erasedAt - CLOCK_TOLERANCE_MS),
  };
}

/** @throws Unreadable */
function readErasure(answer: Value) {
  const data = isMembers(answer) && isMembers(answer.data) ? answer.data : answer;
  const { certificate, destruction } = isMembers(data) ? data : {};
  if (typeof certificate !== 'string') throw new Unreadable('not an erasure with its certificate');
  const members = parse(certificate);
  if (!isMembers(members) || toCanonicalJson(members) !== certificate)
    throw new Unreadable('the certificate is not canonical JSON');
  if (members.format !== 'assay-erasure-certificate' || members.version !== 1)
    throw new Unreadable('not a certificate of an erasure of version 1');
  if (!isMembers(destruction)) throw new Unreadable('no custodian keeps the keys of this erasure');
  return { certificate, members, destruction };
}

/** Describes what holds. */
export const describeDestruction = (found: Destruction): string =>
  `  keys of epochs up to ${found.epoch} destroyed at ${found.destroyedAt}, says ${found.signedBy} (entry ${found.sequence})`;
