// Counts persons' verdicts on each pattern, and approves held decisions of mature patterns if configured (cpi.md).
import { createHmac } from 'node:crypto';
import type { Platform } from '../../../platform/platform.ts';
import {
  type AutoApproval,
  type Comparable,
  isMature,
  type Maturity,
  derivePattern,
  mustGoToPerson,
} from '../../../domain/automatic-approval.ts';
import { readSealed } from '../../../domain/record/commitments.ts';
import {
  BY_PERSONS,
  VERDICT_KINDS,
  readPersonsVerdict,
} from '../../../domain/record/persons-verdict.ts';
import type { Amendment, Subject } from '../../../ledger/amend/amendments.ts';
import { isHalted } from '../../../ledger/halts/halted-error.ts';
import { isLimitError } from '../../../ledger/spending/limit-error.ts';
import type { IdempotentConsumer } from '../../../ledger/follow/consumer.ts';
import { isDecidable } from '../review/review-time.ts';
import { openSubject, prepareReviewAmendment } from '../review/review-amendment.ts';
import type { TraceDocument } from '../traces.model.ts';
import { loadAutoApprovals } from './auto-approvals.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'ledger' | 'draw16Bytes' | 'secrets' | 'clock'>;
type Entry = Pick<TraceDocument, 'kind' | 'sequence' | 'traceId' | 'workspaceId' | 'verdict'>;

interface PatternedDecision {
  trace: TraceDocument;
  key: string;
  policyIds: string[];
}

const HELD_MEMBERS = [
  'traceId workspaceId agentId agentName agentVersion matchedPolicyIds review chainHash createdAt verdict',
  'sequence content generation sealed.outputDecision sealed.evaluation sealed.facts',
].join(' ');

/** Runs serially, so that an objection affects every later decision; repeated entries change nothing. */
export function createAutomaticApprovalConsumer(deps: Deps): IdempotentConsumer<TraceDocument> {
  const { models } = deps;
  const counter = createCounter(deps);
  const approver = createApprover(deps);
  return {
    name: 'maturation',
    from: 'head',
    transactional: false,
    kinds: ['trace', ...VERDICT_KINDS],
    projection: { traceId: 1, workspaceId: 1, verdict: 1 },
    async consume(entries, { organizationId }) {
      const isHeldEntry = ({ kind, verdict }: Entry) => kind === 'trace' && verdict === 'flagged';
      const settings = entries.some(isHeldEntry)
        ? await loadAutoApprovals(models, organizationId)
        : new Map<string, AutoApproval>();
      for (const entry of entries) {
        const setting = isHeldEntry(entry) ? settings.get(entry.workspaceId) : undefined;
        if (entry.kind !== 'trace') await counter.count(organizationId, entry);
        else if (setting) await approver.approveIfMature(organizationId, entry.traceId, setting);
      }
    },
  };
}

/** The decision with its pattern; null if it was not held or has no pattern. */
async function loadPatternedDecision(
  { models, contents, secrets }: Deps,
  organizationId: string,
  traceId: string,
): Promise<PatternedDecision | null> {
  const stored = await models.traces
    .findOne({ organizationId, traceId, verdict: 'flagged', deletedAt: null }, HELD_MEMBERS)
    .lean<TraceDocument>();
  const trace = stored && (await contents.decryptOne(organizationId, stored));
  const text = trace && derivePattern(toComparable(trace));
  if (!trace || text === null) return null;
  const keyed = createHmac('sha256', secrets.ledgerKey).update(`pattern:${organizationId}:${text}`);
  return { trace, key: keyed.digest('hex'), policyIds: trace.matchedPolicyIds };
}

function toComparable(trace: TraceDocument): Comparable {
  const { workspaceId, agentId, agentName, agentVersion } = trace;
  const readValue = <T>(name: string, otherwise: T): T =>
    readSealed<T>(trace.sealed, name) ?? otherwise;
  return {
    workspaceId,
    agentId,
    agentName,
    agentVersion,
    outputDecision: readValue('outputDecision', null),
    evaluation: readValue('evaluation', { tags: [], matchedPolicies: [] }),
    facts: readValue('facts', { pii: { outputTypes: [] } }),
  };
}

function createCounter(deps: Deps) {
  const { models } = deps;

  /** The person's verdict of an entry; null if the service gave it. `isFirst`: the first by a person. */
  async function findVerdict(organizationId: string, { traceId, sequence }: Entry) {
    const verdicts = await models.ledger
      .find({ organizationId, traceId, kind: { $in: VERDICT_KINDS }, ...BY_PERSONS })
      .sort({ sequence: 1 })
      .select('sequence view createdAt')
      .lean<{ sequence: number; view: string; createdAt: Date }[]>();
    const place = verdicts.findIndex((verdict) => verdict.sequence === sequence);
    const verdict = verdicts[place];
    if (!verdict) return null;
    const { isRight } = readPersonsVerdict(verdict.view);
    return { isRight, isFirst: place === 0, at: verdict.createdAt };
  }

  return {
    /** An approval counts if it is the first verdict on its decision; every objection resets the count. */
    async count(organizationId: string, entry: Entry): Promise<void> {
      const patterned = await loadPatternedDecision(deps, organizationId, entry.traceId);
      const verdict = patterned && (await findVerdict(organizationId, entry));
      if (!patterned || !verdict || (verdict.isRight && !verdict.isFirst)) return;
      const { trace, key, policyIds } = patterned;
      const { workspaceId, agentId, traceId: exampleTraceId } = trace;
      const { at, isRight } = verdict;
      const lastVerdict = { policyIds, exampleTraceId, lastVerdictAt: at };
      await models.decisionPatterns.updateOne(
        { organizationId, key },
        { $setOnInsert: { workspaceId, agentId, ...lastVerdict, approvals: 0, countedTo: 0 } },
        { upsert: true },
      );
      const set = { ...lastVerdict, countedTo: entry.sequence };
      await models.decisionPatterns.updateOne(
        { organizationId, key, countedTo: { $lt: entry.sequence } },
        isRight
          ? { $set: set, $inc: { approvals: 1 }, $min: { since: at } }
          : { $set: { ...set, approvals: 0 }, $unset: { since: 1 } },
      );
    },
  };
}

function createApprover(deps: Deps) {
  const { models, contents, ledger, draw16Bytes: random16, clock } = deps;
  return {
    /** Approves the decision if its pattern is mature and the review is still pending. */
    async approveIfMature(
      organizationId: string,
      traceId: string,
      setting: AutoApproval,
    ): Promise<void> {
      const patterned = await loadPatternedDecision(deps, organizationId, traceId);
      if (!patterned?.trace.review) return;
      const { trace, key } = patterned;
      if (mustGoToPerson(patterned.trace.review, trace.chainHash)) return;
      const pattern = await models.decisionPatterns
        .findOne({ organizationId, key })
        .lean<Maturity>();
      if (!pattern || !isMature(pattern, setting, trace.createdAt)) return;
      const by = { organizationId, actor: { kind: 'system', id: null } } as const;
      const reason = describeReason(pattern);
      const words = { decision: 'approve', reason, notes: undefined } as const;
      const amend = prepareReviewAmendment(by, words, random16);
      const decide = async (about: Subject<TraceDocument>): Promise<Amendment | null> =>
        (await isDecidable({ ledger, clock }, about.trace))
          ? amend(await openSubject(contents, about))
          : null;
      // What is halted waits for a person; the entries that follow go on.
      await ledger.amendments.append(organizationId, traceId, decide).catch(ignoreRefusal);
    },
  };
}

/** A halt or a limit: then a person decides. */
function ignoreRefusal(error: unknown): void {
  if (!isHalted(error) && !isLimitError(error)) throw error;
}

function describeReason({ approvals, since }: Maturity): string {
  return `Approved by its pattern: ${approvals} approvals in a row since ${since?.toISOString() ?? ''}`;
}
