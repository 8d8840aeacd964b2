// Checks all entries about one decision or attested record, in order: their succession, and what is stored of them.
import { type EffectClaims, readEffectKeys } from '../../domain/actions/effect-claims.ts';
import type { Position } from '../../domain/record/chain.ts';
import {
  type AttestationPayload,
  type ExecutionPayload,
  parsePayload,
  type Payload,
} from '../../domain/record/payload.ts';
import { isAttestationKind } from '../../domain/record/payload-members.ts';
import { BrokenFold } from '../../domain/record/trace-state.ts';
import type { Columns } from '../columns.ts';
import { KEYLESS } from '../contents/contents.ts';
import { getCommittedValues, type Stored } from '../entry.ts';
import { findGoneValues } from './committed-values.ts';
import { FoldedDecision } from './current-state.ts';
import type { EntryPlace, Findings } from './report.ts';

/** An amendment is folded before it is answered; after a crash a consumer folds it within this time. */
const FOLD_LAG_MAX_MS = 60_000;

/** The reason for a chain that was restored from a copy: a later erasure has destroyed the key. */
const KEY_DESTROYED =
  'its key was destroyed: by an erasure that this copy of the chain does not know';

/** The context in which the histories of a chain are checked. */
export interface HistoryContext {
  columns: Columns;
  now: Date;
  /** The sequence of the last entry that was replayed. */
  newest: number;
  /** Time until which the attested values of a deleted organisation were erased; null: the organisation exists. */
  erasedUntil: Date | null;
  findings: Findings;
  /** Takes the effects that the replayed claims reserve. */
  effects: EffectClaims;
}

/** One history. Every fault is a finding: it MUST NOT throw. */
export class History {
  readonly #context: HistoryContext;
  #first: Stored | null = null;
  /** Null: the history is of an attested record, or its first entry is unknown. */
  #decision: FoldedDecision | null = null;
  /** The position of the newest entry. */
  #newest: Position | null = null;
  #isBroken = false;
  #isLate = false;
  /** The effects of its claim, unless that failed. */
  #claimed: { keys: string[]; from: number } | null = null;
  readonly #gone: (EntryPlace & { isKeyless: boolean })[] = [];
  /** Names of the stored values, by the sequence of their entry. */
  readonly #stored = new Map<number, ReadonlySet<string>>();
  /** The values that erasures name, as `<sequence>.<name>`. */
  readonly #erased = new Set<string>();

  constructor(context: HistoryContext) {
    this.#context = context;
  }

  takeEntry(entry: Stored): void {
    try {
      const payload = parseEntryPayload(entry);
      this.#note(entry, payload);
      if (!this.#isBroken) this.#follow(entry, payload);
    } catch (error) {
      this.#isBroken = true;
      this.#context.findings.addBreak({
        sequence: entry.sequence,
        reason: 'chain-hash-mismatch',
        what: error instanceof BrokenFold ? error.message : `unreadable: ${String(error)}`,
      });
    }
  }

  finish(): void {
    const { findings } = this.#context;
    this.#endClaim(null);
    for (const { sequence, field, isKeyless } of this.#gone) {
      if (this.#erased.has(`${sequence}.${field}`)) findings.payload.erased++;
      else findings.addMissing(sequence, `sealed.${field}`, isKeyless ? KEY_DESTROYED : undefined);
    }
    if (this.#decision && (this.#decision.isKnown || !this.#isBroken))
      this.#compare(this.#decision);
  }

  #note(entry: Stored, payload: Payload): void {
    const { sequence } = entry;
    const { newest, findings } = this.#context;
    this.#stored.set(
      sequence,
      new Set(Object.keys(getCommittedValues(entry)).filter(createStoredCheck(entry))),
    );
    if (sequence <= newest)
      for (const name of findGoneValues(entry, payload)) {
        if (this.#wentWithItsOrganization(entry, payload)) findings.payload.erased++;
        else this.#gone.push({ sequence, field: name, isKeyless: isKeyless(entry) });
      }
    if (payload.kind === 'execution') this.#noteExecution(entry, payload);
    if (payload.kind !== 'erasure') return;
    for (const { sequence: of, names } of payload.erased)
      for (const name of names) this.#erased.add(`${of}.${name}`);
  }

  /** A later entry than the replayed ones may rest on an outcome that was not read. */
  #noteExecution(entry: Stored, { state }: ExecutionPayload): void {
    const { sequence } = entry;
    if (state === 'failed') this.#endClaim(sequence);
    if (state !== 'claimed' || sequence > this.#context.newest) return;
    const keys = readEffectKeys(getCommittedValues(entry)['effects']?.text);
    this.#claimed = { keys, from: sequence };
  }

  #endClaim(at: number | null): void {
    if (this.#claimed) this.#context.effects.addClaim(this.#claimed.keys, this.#claimed.from, at);
    this.#claimed = null;
  }

  #wentWithItsOrganization({ createdAt }: Stored, { kind }: Payload): boolean {
    const { erasedUntil } = this.#context;
    return erasedUntil !== null && createdAt <= erasedUntil && isAttestationKind(kind);
  }

  #follow(entry: Stored, payload: Payload): void {
    const { sequence, chainHash } = entry;
    if (this.#first === null) this.#begin(entry, payload);
    else if (this.#decision) this.#amend(this.#decision, entry, payload);
    else this.#attest(sequence, payload);
    this.#first ??= entry;
    this.#newest = { sequence, chainHash };
  }

  #begin(entry: Stored, payload: Payload): void {
    if (payload.kind === 'trace')
      this.#decision = new FoldedDecision(entry, payload, this.#context.columns);
    else if (isAttestationKind(payload.kind)) this.#attest(entry.sequence, payload);
    else throw new BrokenFold(entry.sequence, 'the decision that it is about is missing');
  }

  #amend(decision: FoldedDecision, entry: Stored, payload: Payload): void {
    decision.addEntry(entry, payload);
    const isOverdue = entry.createdAt.getTime() < this.#context.now.getTime() - FOLD_LAG_MAX_MS;
    this.#isLate ||= entry.sequence > decision.foldedTo && isOverdue;
  }

  /** Checks that attestations of a record follow one another; they are not folded. */
  #attest(sequence: number, payload: Payload): void {
    if (!isAttestationKind(payload.kind))
      throw new BrokenFold(sequence, `${payload.kind} is no attestation`);
    const { after } = payload as AttestationPayload;
    const newest = this.#newest;
    if (after?.sequence !== newest?.sequence || after?.chainHash !== newest?.chainHash)
      throw new BrokenFold(sequence, 'after is not the newest earlier entry');
  }

  #compare(decision: FoldedDecision): void {
    const { findings } = this.#context;
    const place = this.#first?.sequence ?? 0;
    const differing = decision.findDiffering();
    if (this.#isLate && !differing.includes('foldedTo')) differing.push('foldedTo');
    for (const field of differing) findings.addMismatch(place, field);
    for (const { sequence, name } of decision.erased)
      if (this.#stored.get(sequence)?.has(name)) findings.addMismatch(sequence, `sealed.${name}`);
  }
}

/** Parses the payload of an entry. @throws TypeError when the view is no payload */
function parseEntryPayload({ view }: Stored): Payload {
  const parsed = parsePayload(view);
  if ('reason' in parsed) throw new TypeError(`a payload that is ${parsed.reason}`);
  return parsed.payload;
}

function isKeyless(entry: Stored): boolean {
  return KEYLESS in entry;
}

function createStoredCheck(entry: Stored): (name: string) => boolean {
  const sealed = getCommittedValues(entry);
  return (name) => Boolean(sealed[name]);
}
