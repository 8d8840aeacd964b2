// Counts decisions and overturned verdicts in both arms of the running canaries (docs/policies.md, canaries).
import type { ClientSession } from 'mongoose';
import { armOf } from '../../../domain/policies/changes/canary.ts';
import { afterEvent } from '../../../domain/policies/changes/sequential-test.ts';
import { BY_PERSONS, VERDICT_KINDS, verdictIn } from '../../../domain/record/persons-verdict.ts';
import type { Consumer } from '../../../ledger/follow/consumer.ts';
import type { Models } from '../../../models.ts';
import type { TraceDocument } from '../../traces/traces.model.ts';
import type { PolicyCanaryDocument } from './policy-canaries.model.ts';

type Decided = Pick<TraceDocument, 'traceId' | 'workspaceId' | 'verdict' | 'createdAt'>;
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

export function policyCanaryConsumer(models: Models): Consumer<TraceDocument> {
  return {
    name: 'policy-canary',
    from: 'head',
    kinds: ['trace', ...VERDICT_KINDS],
    projection: { traceId: 1, workspaceId: 1, createdAt: 1 },
    async run(entries, context) {
      const counts = await runningOf(models, context);
      if (counts.size === 0) return;
      for (const entry of entries) if (entry.kind === 'trace') countDecision(counts, entry);
      const verdicts = entries.filter(({ kind }) => kind !== 'trace');
      if (verdicts.length > 0) await countEvents(models, { counts, verdicts }, context);
      await save(models, counts, context);
    },
  };
}

/** The running canaries by workspace; counting changes them in place. */
type Counts = ReadonlyMap<string, PolicyCanaryDocument>;

async function runningOf(models: Models, { organizationId, session }: Context): Promise<Counts> {
  const running = await models.policyCanaries
    .find({ organizationId, state: 'running' })
    .session(session)
    .lean<PolicyCanaryDocument[]>();
  return new Map(running.map((canary) => [canary.workspaceId.toHexString(), canary]));
}

async function save(
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
function canaryOf(
  counts: Counts,
  { workspaceId, createdAt }: Pick<Decided, 'workspaceId' | 'createdAt'>,
): PolicyCanaryDocument | undefined {
  const canary = counts.get(workspaceId);
  return canary && createdAt >= canary.startedAt ? canary : undefined;
}

const armIn = ({ _id, share }: PolicyCanaryDocument, traceId: string) =>
  armOf({ id: _id.toHexString(), share }, traceId);

function countDecision(counts: Counts, decision: Omit<Decided, 'verdict'>): void {
  const canary = canaryOf(counts, decision);
  if (canary) canary.decisions[armIn(canary, decision.traceId)] += 1;
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
  const decided = await decisionsOf(models, traceIds, context);
  const first = await firstVerdicts(models, traceIds, context);
  for (const { traceId, sequence } of verdicts) {
    const [decision, verdict] = [decided.get(traceId), first.get(traceId)];
    const canary = decision && canaryOf(counts, decision);
    if (!canary || verdict?.sequence !== sequence) continue;
    const { isRight } = verdictIn(verdict.view);
    const isHeld = decision.verdict !== 'approved';
    if (isHeld !== isRight) continue;
    canary.test = afterEvent(canary.test, armIn(canary, traceId), canary.share);
    if (canary.test.decision !== 'continue') canary.decidedAt ??= verdict.createdAt;
  }
}

async function decisionsOf(
  models: Models,
  traceIds: readonly string[],
  { organizationId, session }: Context,
): Promise<ReadonlyMap<string, Decided>> {
  const found = await models.traces
    .find({ organizationId, traceId: { $in: traceIds } }, 'traceId workspaceId verdict createdAt')
    .session(session)
    .lean<Decided[]>();
  return new Map(found.map((decision) => [decision.traceId, decision]));
}

async function firstVerdicts(
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
