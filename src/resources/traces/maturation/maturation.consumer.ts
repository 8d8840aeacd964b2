// Counts persons' verdicts on each pattern, and approves held decisions of mature patterns if configured (docs/cpi.md).
import { createHmac } from 'node:crypto';
import type { Platform } from '../../../composition/platform.ts';
import {
  type AutoApproval,
  type Comparable,
  isMature,
  type Maturity,
  patternOf,
  staysWithPerson,
} from '../../../domain/maturation.ts';
import { BY_PERSONS, VERDICT_KINDS, verdictIn } from '../../../domain/record/persons-verdict.ts';
import type { IdempotentConsumer } from '../../../ledger/follow/consumer.ts';
import { isPending, openedSubject, reviewAmendmentBy } from '../review/review-amendment.ts';
import type { TraceDocument } from '../traces.model.ts';
import { autoApprovalsOf } from './auto-approvals.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'ledger' | 'random16' | 'secrets'>;
type Entry = Pick<TraceDocument, 'kind' | 'sequence' | 'traceId' | 'workspaceId' | 'verdict'>;

interface Known {
  trace: TraceDocument;
  key: string;
  policyIds: string[];
}

const HELD_MEMBERS = [
  'traceId workspaceId agentId agentName agentVersion matchedPolicyIds review chainHash createdAt verdict',
  'sequence content generation sealed.outputDecision sealed.evaluation sealed.facts',
].join(' ');

/** Runs serially, so that an objection affects every later decision; repeated entries change nothing. */
export function maturationConsumer(deps: Deps): IdempotentConsumer<TraceDocument> {
  const { models } = deps;
  const counter = createCounter(deps);
  const approver = createApprover(deps);
  return {
    name: 'maturation',
    from: 'head',
    transactional: false,
    kinds: ['trace', ...VERDICT_KINDS],
    projection: { traceId: 1, workspaceId: 1, verdict: 1 },
    async run(entries, { organizationId }) {
      const held = ({ kind, verdict }: Entry) => kind === 'trace' && verdict === 'flagged';
      const settings = entries.some(held)
        ? await autoApprovalsOf(models, organizationId)
        : new Map<string, AutoApproval>();
      for (const entry of entries) {
        const setting = held(entry) ? settings.get(entry.workspaceId) : undefined;
        if (entry.kind !== 'trace') await counter.count(organizationId, entry);
        else if (setting) await approver.consider(organizationId, entry.traceId, setting);
      }
    },
  };
}

/** The decision with its pattern; null if it was not held or has no pattern. */
async function knownOf(
  { models, contents, secrets }: Deps,
  organizationId: string,
  traceId: string,
): Promise<Known | null> {
  const stored = await models.traces
    .findOne({ organizationId, traceId, verdict: 'flagged', deletedAt: null }, HELD_MEMBERS)
    .lean<TraceDocument>();
  const trace = stored && (await contents.openOne(organizationId, stored));
  const text = trace && patternOf(heldDecision(trace));
  if (!trace || text === null) return null;
  const keyed = createHmac('sha256', secrets.ledgerKey).update(`pattern:${organizationId}:${text}`);
  return { trace, key: keyed.digest('hex'), policyIds: trace.matchedPolicyIds };
}

function heldDecision(trace: TraceDocument): Comparable {
  const { workspaceId, agentId, agentName, agentVersion } = trace;
  const valueOf = <T>(name: string, otherwise: T): T => {
    const text = trace.sealed?.[name]?.text;
    return text === undefined ? otherwise : (JSON.parse(text) as T);
  };
  return {
    workspaceId,
    agentId,
    agentName,
    agentVersion,
    outputDecision: valueOf('outputDecision', null),
    evaluation: valueOf('evaluation', { tags: [], matchedPolicies: [] }),
    facts: valueOf('facts', { pii: { outputTypes: [] } }),
  };
}

function createCounter(deps: Deps) {
  const { models } = deps;

  /** The person's verdict of an entry; null if the service gave it. `isFirst`: the first by a person. */
  async function verdictAt(organizationId: string, { traceId, sequence }: Entry) {
    const verdicts = await models.ledger
      .find({ organizationId, traceId, kind: { $in: VERDICT_KINDS }, ...BY_PERSONS })
      .sort({ sequence: 1 })
      .select('sequence view createdAt')
      .lean<{ sequence: number; view: string; createdAt: Date }[]>();
    const place = verdicts.findIndex((verdict) => verdict.sequence === sequence);
    const verdict = verdicts[place];
    if (!verdict) return null;
    const { isRight } = verdictIn(verdict.view);
    return { isRight, isFirst: place === 0, at: verdict.createdAt };
  }

  return {
    /** An approval counts if it is the first verdict on its decision; every objection resets the count. */
    async count(organizationId: string, entry: Entry): Promise<void> {
      const known = await knownOf(deps, organizationId, entry.traceId);
      const verdict = known && (await verdictAt(organizationId, entry));
      if (!known || !verdict || (verdict.isRight && !verdict.isFirst)) return;
      const { trace, key, policyIds } = known;
      const { workspaceId, agentId, traceId: exampleTraceId } = trace;
      const { at, isRight } = verdict;
      const told = { policyIds, exampleTraceId, lastVerdictAt: at };
      await models.decisionPatterns.updateOne(
        { organizationId, key },
        { $setOnInsert: { workspaceId, agentId, ...told, approvals: 0, countedTo: 0 } },
        { upsert: true },
      );
      const set = { ...told, countedTo: entry.sequence };
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
  const { models, contents, ledger, random16 } = deps;
  return {
    /** Approves the decision if its pattern is mature and the review is still pending. */
    async consider(organizationId: string, traceId: string, setting: AutoApproval): Promise<void> {
      const known = await knownOf(deps, organizationId, traceId);
      if (!known?.trace.review) return;
      const { trace, key } = known;
      if (staysWithPerson(known.trace.review.priority, trace.chainHash)) return;
      const pattern = await models.decisionPatterns
        .findOne({ organizationId, key })
        .lean<Maturity>();
      if (!pattern || !isMature(pattern, setting, trace.createdAt)) return;
      const by = { organizationId, actor: { kind: 'system', id: null } } as const;
      const words = { decision: 'approve', reason: reasonOf(pattern), notes: undefined } as const;
      const amend = reviewAmendmentBy(by, words, random16);
      await ledger.amendments.append(organizationId, traceId, async (about) =>
        about.trace.deletedAt || !isPending(about.trace)
          ? null
          : amend(await openedSubject(contents, about)),
      );
    },
  };
}

function reasonOf({ approvals, since }: Maturity): string {
  return `Approved by its pattern: ${approvals} approvals in a row since ${since?.toISOString() ?? ''}`;
}
