// Counts decisions and overturned verdicts in both arms of the running canaries (docs/guides/policies.md, canaries).
import type { ClientSession } from 'mongoose';
import { drawArm } from '../../domain/policies/changes/canary.ts';
import { addTestEvent } from '../../domain/policies/changes/sequential-test.ts';
import {
  BY_PERSONS,
  VERDICT_KINDS,
  readPersonsVerdict,
} from '../../domain/record/persons-verdict.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import type { Models } from '../../models.ts';
import type { TraceDocument } from '../../decisions/traces/traces.model.ts';
import type { PolicyCanaryDocument } from './policy-canaries.model.ts';

type DecidedTrace = Pick<TraceDocument, 'traceId' | 'workspaceId' | 'verdict' | 'createdAt'>;
/** The first verdict of a person on a decision. */
interface FirstVerdict {
  _id: string;
  sequence: number;
  view: string;
  createdAt: Date;
}

interface Context {
  organizationId: string;
  session: ClientSession;
}

export function createPolicyCanaryConsumer(models: Models): Consumer<TraceDocument> {
  return {
    name: 'policy-canary',
    from: 'head',
    kinds: ['trace', ...VERDICT_KINDS],
    projection: { traceId: 1, workspaceId: 1, createdAt: 1 },
    async consume(entries, context) {
      const counts = await loadRunning(models, context);
      if (counts.size === 0) return;
      for (const entry of entries) if (entry.kind === 'trace') countDecision(counts, entry);
      const verdicts = entries.filter(({ kind }) => kind !== 'trace');
      if (verdicts.length > 0) await countEvents(models, { counts, verdicts }, context);
      await saveCounts(models, counts, context);
    },
  };
}

/** The running canaries by workspace; counting changes them in place. */
type Counts = ReadonlyMap<string, PolicyCanaryDocument>;

async function loadRunning(models: Models, { organizationId, session }: Context): Promise<Counts> {
  const running = await models.policyCanaries
    .find({ organizationId, state: 'running' })
    .session(session)
    .lean<PolicyCanaryDocument[]>();
  return new Map(running.map((canary) => [canary.workspaceId.toHexString(), canary]));
}

async function saveCounts(
  models: Models,
  counts: Counts,
  { organizationId, session }: Context,
): Promise<void> {
  for (const { _id, decisions, test, decidedAt } of counts.values())
    await models.policyCanaries.updateOne(
      { _id, organizationId },
      { $set: { decisions, test, decidedAt } },
      { session },
    );
}

/** The canary that a decision was judged under. */
function findCanary(
  counts: Counts,
  { workspaceId, createdAt }: Pick<DecidedTrace, 'workspaceId' | 'createdAt'>,
): PolicyCanaryDocument | undefined {
  const canary = counts.get(workspaceId);
  return canary && createdAt >= canary.startedAt ? canary : undefined;
}

const selectArm = ({ _id, share }: PolicyCanaryDocument, traceId: string) =>
  drawArm({ id: _id.toHexString(), share }, traceId);

function countDecision(counts: Counts, decision: Omit<DecidedTrace, 'verdict'>): void {
  const canary = findCanary(counts, decision);
  if (canary) canary.decisions[selectArm(canary, decision.traceId)] += 1;
}

/**
 * Counts in the order of the chain. An event is a decision whose first verdict by a person overturned that of the
 * policies.
 */
async function countEvents(
  models: Models,
  {
    counts,
    verdicts,
  }: { counts: Counts; verdicts: readonly { sequence: number; traceId: string }[] },
  context: Context,
): Promise<void> {
  const traceIds = [...new Set(verdicts.map(({ traceId }) => traceId))];
  const decided = await loadDecisions(models, traceIds, context);
  const first = await loadFirstVerdicts(models, traceIds, context);
  for (const { traceId, sequence } of verdicts) {
    const [decision, verdict] = [decided.get(traceId), first.get(traceId)];
    const canary = decision && findCanary(counts, decision);
    if (!canary || verdict?.sequence !== sequence) continue;
    const { isRight } = readPersonsVerdict(verdict.view);
    const isHeld = decision.verdict !== 'approved';
    if (isHeld !== isRight) continue;
    canary.test = addTestEvent(canary.test, selectArm(canary, traceId), canary.share);
    if (canary.test.decision !== 'continue') canary.decidedAt ??= verdict.createdAt;
  }
}

async function loadDecisions(
  models: Models,
  traceIds: readonly string[],
  { organizationId, session }: Context,
): Promise<ReadonlyMap<string, DecidedTrace>> {
  const found = await models.traces
    .find({ organizationId, traceId: { $in: traceIds } }, 'traceId workspaceId verdict createdAt')
    .session(session)
    .lean<DecidedTrace[]>();
  return new Map(found.map((decision) => [decision.traceId, decision]));
}

async function loadFirstVerdicts(
  models: Models,
  traceIds: readonly string[],
  { organizationId, session }: Context,
): Promise<ReadonlyMap<string, Omit<FirstVerdict, '_id'>>> {
  const about = { organizationId, traceId: { $in: traceIds }, kind: { $in: VERDICT_KINDS } };
  const found = await models.ledger
    .find({ ...about, ...BY_PERSONS }, 'traceId sequence view createdAt')
    .session(session)
    .sort({ sequence: -1 })
    .lean<(FirstVerdict & { traceId: string })[]>();
  // The oldest verdict is set last, so it wins.
  return new Map(found.map((verdict) => [verdict.traceId, verdict]));
}
