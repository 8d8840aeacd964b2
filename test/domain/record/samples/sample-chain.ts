// Valid histories for tests: decisions and every kind of amendment, sealed and written as bundles.
import type { Json } from '@assay/json';
import {
  formatBundleEntry,
  formatBundleFooter,
  formatBundleHeader,
} from '../../../../src/domain/record/bundle.ts';
import type { BundleEntry, BundleHeader, ChainName } from '../../../../src/domain/record/bundle.ts';
import {
  AUDIT_GENESIS,
  computeChainHash,
  formatChainTime,
  computePayloadDigest,
  sha256Hex,
  ZERO_HASH,
} from '../../../../src/domain/record/chain.ts';
import type { Position } from '../../../../src/domain/record/chain.ts';
import { disclose, deriveSalt, commitValues } from '../../../../src/domain/record/commitments.ts';
import type { CommittedValue } from '../../../../src/domain/record/commitments.ts';
import * as payloads from '../../../../src/domain/record/payload.ts';
import { deriveAttestedId } from '../../../../src/domain/record/payload-members.ts';

export const ORGANIZATION = '65f000000000000000000001';
const USER = '65f0000000000000000000a1';
export const AGENT = '65f0000000000000000000b1';
const START = Date.UTC(2026, 3, 11, 12);

type AmendmentKind = 'correction' | 'review' | 'status' | 'erasure';
type About = Omit<payloads.StatusFacts, 'set'>;
type Added = 'organizationId' | 'workspaceId' | 'actor' | 'commitments' | 'after';
type WithoutAdded<F> = F extends unknown ? Omit<F, Added> : never;
type Attested = WithoutAdded<payloads.AttestationFacts>;

/** The values that come with an amendment. */
const amendedValues: Record<AmendmentKind, Record<string, Json>> = {
  correction: {
    feedback: { feedbackNotes: 'Too much' },
    outputDecision: { action: 'refund 80' },
    rationale: 'Corrected',
  },
  review: { reason: 'Fine' },
  status: {},
  erasure: { request: { by: 'customer' } },
};

/** The values that come with an attestation. */
const MINUTES: Record<string, Json> = {
  evidence: 'Minutes of the board',
  reviewer: 'ada@example.com',
};

const amendments: Record<Exclude<AmendmentKind, 'erasure'>, (about: About) => string> = {
  correction: (about) =>
    payloads.createCorrectionPayload({
      ...about,
      action: 'correct',
      set: { status: 'success', humanOverride: true },
    }),
  review: (about) =>
    payloads.createReviewPayload({
      ...about,
      reviewId: AGENT,
      decision: 'approve',
      set: { status: 'approved', humanOverride: null },
    }),
  status: (about) =>
    payloads.createStatusPayload({ ...about, set: { status: 'pending', humanOverride: null } }),
};

function toPosition({ sequence, chainHash }: Position): Position {
  return { sequence, chainHash };
}

/** An entry together with what the server keeps of its values. */
export interface Sample extends BundleEntry {
  sealed: Record<string, CommittedValue>;
}

/** Numbers below `limit` from a seed: the same ones every time. */
export function createDice(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Values of an entry about a decision, which depend on its place. */
type ToValues = (
  traceId: string,
  place: { subject: Position; after: Position },
) => Record<string, Json>;

/** Builds a chain entry by entry. */
export class SampleChain {
  readonly entries: Sample[] = [];
  private readonly chain: ChainName;
  private readonly workspaceId: string | null;
  private seeds = 0;
  /** Added to the time of the entries to come. */
  private waited = 0;
  /** The ingestion and the newest entry about each decision. */
  private readonly decisions: {
    traceId: string;
    subject: Position;
    newest: Position;
    kept: Map<number, string[]>;
  }[] = [];

  constructor(chain: ChainName = 'ledger', workspaceId: string | null = null) {
    this.chain = chain;
    this.workspaceId = workspaceId;
  }

  /** `agent` null: it is not registered. */
  trace(
    values: Record<string, Json> = {},
    status: payloads.TraceStatus = 'flagged',
    agent: string | null = AGENT,
  ): Sample {
    const traceId = `trc_${sha256Hex(`trace ${this.entries.length}`).slice(0, 32)}`;
    const body = JSON.stringify({ traceId, ...values });
    const { sealed, commitments } = this.seal({
      submitted: sha256Hex(body),
      origin: { agentId: 'refund-desk', agentVersion: null, timestamp: null, clientInfo: null },
      inputContext: { prompt: 'Refund order 4711?' },
      outputDecision: {
        action: { tool: 'refund', arguments: { amount: 120, currency: 'EUR' } },
        rationale: 'In time.',
      },
      metadata: null,
      ...values,
    });
    const unstored = this.entries.length % 5 === 4 ? ['inputContext'] : [];
    const view = payloads.createTracePayload({
      ...this.common(commitments),
      traceId,
      agent,
      schemaVersion: '2026-04-11',
      status,
      engineVersion: '1',
      policySetDigest: sha256Hex('[]'),
      scrubVersion: '1',
      unstored,
    });
    const entry = this.append(traceId, view, sealed);
    const kept = new Map([
      [entry.sequence, Object.keys(sealed).filter((name) => !unstored.includes(name))],
    ]);
    this.decisions.push({ traceId, subject: entry, newest: entry, kept });
    return entry;
  }

  /** Appends an amendment of the decision at `index` of those made so far. */
  amend(kind: AmendmentKind, index: number): Sample {
    const decision = this.decisions[index]!;
    const { sealed, commitments } = this.seal(amendedValues[kind]);
    const about: About = {
      ...this.common(commitments),
      traceId: decision.traceId,
      subject: toPosition(decision.subject),
      after: toPosition(decision.newest),
    };
    const view =
      kind === 'erasure'
        ? payloads.createErasurePayload({
            ...about,
            cause: 'request',
            erased: this.destroy(decision.kept),
          })
        : amendments[kind](about);
    const entry = this.append(decision.traceId, view, sealed);
    decision.newest = entry;
    decision.kept.set(entry.sequence, Object.keys(sealed));
    return entry;
  }

  /** Appends a claim of the action of the decision at `index`, or an outcome; a claim shows its effects. */
  execute(
    index: number,
    state: payloads.ExecutionState,
    {
      executionId = AGENT,
      effects = [],
    }: { executionId?: string | undefined; effects?: string[] } = {},
  ): Sample {
    const decision = this.decisions[index]!;
    const { sealed, commitments } = this.seal(effects.length > 0 ? { effects } : {});
    const view = payloads.createExecutionPayload({
      ...this.common(commitments),
      traceId: decision.traceId,
      subject: toPosition(decision.subject),
      after: toPosition(decision.newest),
      executionId,
      state,
      leaseUntil: state === 'claimed' ? '2026-04-11T13:00:00.000Z' : null,
    });
    const entry = this.append(decision.traceId, view, sealed);
    entry.disclosures = Object.entries(sealed).flatMap(([name, { seed, text }]) =>
      disclose(name, seed, text),
    );
    decision.newest = entry;
    return entry;
  }

  /** One approval of several, or the last of them, by a person or by the service. */
  approve(
    index: number,
    kind: 'vote' | 'review',
    { by, values: given }: { by: string | null; values: Record<string, Json> | ToValues },
  ): Sample {
    const decision = this.decisions[index]!;
    const place = { subject: toPosition(decision.subject), after: toPosition(decision.newest) };
    const values = typeof given === 'function' ? given(decision.traceId, place) : given;
    const { sealed, commitments } = this.seal(values);
    const about = {
      ...this.common(commitments),
      actor: { kind: by === null ? 'system' : 'user', id: by } as payloads.Actor,
      traceId: decision.traceId,
      subject: toPosition(decision.subject),
      after: toPosition(decision.newest),
      reviewId: AGENT,
      decision: 'approve' as const,
    };
    const set = { status: 'approved', humanOverride: null } as const;
    const view =
      kind === 'vote'
        ? payloads.createVotePayload(about)
        : payloads.createReviewPayload({ ...about, set });
    const entry = this.append(decision.traceId, view, sealed);
    decision.newest = entry;
    decision.kept.set(entry.sequence, Object.keys(sealed));
    return entry;
  }

  /** The next entry about a clause, an assessment, a checkpoint, a manifest or an erasure. */
  attest(facts: Attested, values: Record<string, Json> = MINUTES, by = USER): Sample {
    const traceId = deriveAttestedId(facts.kind, facts);
    const before = this.entries.findLast((entry) => entry.traceId === traceId);
    const after = before ? { sequence: before.sequence, chainHash: before.chainHash } : null;
    const { sealed, commitments } = this.seal(values);
    const actor = { kind: 'user', id: by };
    const about = { ...this.common(commitments), actor, after };
    const members = { ...about, ...facts } as payloads.AttestationFacts;
    return this.append(traceId, payloads.createAttestationPayload(members), sealed);
  }

  compliance(clauseId: string): Sample {
    const clause = { framework: 'iso-42001', clauseId, catalogVersion: '2026-01' };
    return this.attest({ kind: 'compliance', ...clause, status: 'covered' });
  }

  audit(): Sample {
    const { sealed, commitments } = this.seal({
      userEmail: 'ada@example.com',
      userRole: 'owner',
      detail: 'Renamed',
    });
    const facts = {
      action: 'policy.update',
      status: 'success' as const,
      resource: 'policy',
      resourceId: AGENT,
    };
    const auditId = `evt_${this.entries.length}`;
    return this.append(
      null,
      payloads.createAuditPayload({ ...this.common(commitments), auditId, ...facts }),
      sealed,
    );
  }

  /** Lets time pass before the next entry. */
  wait(milliseconds: number): void {
    this.waited += milliseconds;
  }

  private seal(values: Record<string, Json>) {
    return commitValues(values, () =>
      Buffer.from(sha256Hex(`seed ${this.seeds++}`).slice(0, 32), 'hex'),
    );
  }

  private common(commitments: Record<string, string>) {
    const actor: payloads.Actor = { kind: 'user', id: USER };
    const { workspaceId } = this;
    return { organizationId: ORGANIZATION, workspaceId, actor, commitments };
  }

  private destroy(kept: Map<number, string[]>): payloads.ErasedNames[] {
    const erased = [...kept]
      .map(([sequence, names]) => ({ sequence, names }))
      .filter(({ names }) => names.length > 0);
    for (const { sequence } of erased) this.entries[sequence - 1]!.sealed = {};
    kept.clear();
    return erased;
  }

  private append(
    traceId: string | null,
    view: string,
    sealed: Record<string, CommittedValue>,
  ): Sample {
    const previous = this.entries.at(-1);
    const sequence = this.entries.length + 1;
    const digest = computePayloadDigest(view);
    const link = {
      prevHash: previous?.chainHash ?? (this.chain === 'audit' ? AUDIT_GENESIS : ZERO_HASH),
      payloadDigest: digest,
      sequence,
      createdAt: formatChainTime(new Date(START + Math.floor(sequence / 2) * 1000 + this.waited)),
    };
    const id = sha256Hex(`id ${sequence}`).slice(0, 24);
    const entry: Sample = {
      id,
      organizationId: ORGANIZATION,
      traceId,
      ...link,
      chainHash: computeChainHash(link),
      view,
      disclosures: [],
      sealed,
    };
    this.entries.push(entry);
    return entry;
  }
}

/** One of the records that are attested. */
function createAttestation(kind: number, number: number): Attested {
  const id = `65f00000000000000000000${number}`;
  const digest = `${number}`.repeat(64);
  const clause = { framework: 'iso-42001', clauseId: `6.${number}`, catalogVersion: '2026-01' };
  const checkpoint = { incidentId: id, regulator: 'gdpr', checkpoint: 'final' };
  return [
    { kind: 'compliance', ...clause, status: 'covered' } as const,
    { kind: 'assessment', assessmentId: id, status: 'approved', digest } as const,
    { kind: 'checkpoint', ...checkpoint, rulesVersion: '2026-01', digest } as const,
    { kind: 'manifest', manifestId: id, status: 'issued', digest } as const,
    { kind: 'certificate', erasureId: id, digest } as const,
  ][kind]!;
}

/** A history of `length` entries with every kind of valid entry; the same one for the same seed. */
export function sampleHistory(seed: number, length: number): Sample[] {
  const roll = createDice(seed);
  const chain = new SampleChain();
  let decisions = 0;
  while (chain.entries.length < length) {
    const kind = (
      ['trace', 'trace', 'correction', 'review', 'status', 'erasure', 'attestation'] as const
    )[roll(7)]!;
    if (kind === 'attestation') chain.attest(createAttestation(roll(5), roll(3)));
    else if (kind === 'trace' || decisions === 0) {
      chain.trace({
        confidence: roll(100),
        outputDecision: { action: `act-${roll(9)}`, steps: [roll(9), {}, [roll(9)]] },
      });
      decisions++;
    } else chain.amend(kind, roll(decisions));
  }
  return chain.entries;
}

/** The entries with the disclosures of all values that are still kept, or of those with some names. */
export function disclosed(entries: readonly Sample[], wanted?: readonly string[]): Sample[] {
  return entries.map((entry) => {
    const { unstored = [] } = JSON.parse(entry.view) as { unstored?: string[] };
    const names = Object.keys(entry.sealed).filter(
      (name) => !unstored.includes(name) && (wanted?.includes(name) ?? true),
    );
    const disclosures = names.flatMap((name) =>
      disclose(name, entry.sealed[name]!.seed, entry.sealed[name]!.text),
    );
    return { ...entry, disclosures };
  });
}

/** A bundle's lines without line ends, of consecutive entries; `header` replaces members of the header. */
export function createBundleLines(
  entries: readonly Sample[],
  header: Partial<BundleHeader> = {},
): string[] {
  const first = entries[0];
  const last = entries.at(-1);
  const text = [
    formatBundleHeader({
      chain: 'ledger',
      organizationId: ORGANIZATION,
      exportedAt: '2026-05-01T00:00:00.000Z',
      range: { fromSequence: first?.sequence ?? null, toSequence: last?.sequence ?? null },
      prevHash: first?.prevHash ?? null,
      head: last ? { sequence: last.sequence, chainHash: last.chainHash } : null,
      count: entries.length,
      ...header,
    }),
    ...entries.map((entry) => formatBundleEntry(entry, entry === last)),
    formatBundleFooter({ count: entries.length, chainHash: last?.chainHash ?? null }),
  ];
  return text.join('').trimEnd().split('\n');
}

/** The receipt that the caller of an ingestion received. */
export function createReceipt({ sequence, chainHash, traceId, sealed }: Sample) {
  return { sequence, chainHash, traceId, salt: deriveSalt(sealed.submitted!.seed, '') };
}
