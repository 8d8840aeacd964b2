// Counts decisions and the verdicts of people on them, by day and workspace (docs/reference/cpi.md).
import type { ClientSession, Types } from 'mongoose';
import { toDayStart } from '../../domain/billing/months.ts';
import { selectCount } from '../../domain/cpi.ts';
import { groupBy } from '../../domain/group-by.ts';
import {
  BY_PERSONS,
  VERDICT_KINDS,
  readPersonsVerdict,
} from '../../domain/record/persons-verdict.ts';
import type { Consumer } from '../../ledger/follow/consumer.ts';
import type { Models } from '../../models.ts';
import type { TraceDocument } from '../traces/traces.model.ts';

type Observed = Pick<
  TraceDocument,
  'kind' | 'sequence' | 'traceId' | 'workspaceId' | 'verdict' | 'confidenceScore' | 'createdAt'
>;
/** A verdict of a person, which is an entry of its own. */
interface Verdict {
  sequence: number;
  traceId: string;
  createdAt: Date;
  view: string;
}
type JudgedTrace = Pick<TraceDocument, 'traceId' | 'workspaceId' | 'verdict'>;

interface Context {
  organizationId: string;
  session: ClientSession;
}

/** Collects increments by day and workspace, then by path. */
class Additions {
  readonly #rows = new Map<
    string,
    { day: Date; workspaceId: string; inc: Record<string, number> }
  >();

  addAmount(
    { at, workspaceId }: { at: Date; workspaceId: string },
    path: string,
    by: number,
  ): void {
    const day = toDayStart(at);
    const key = `${day.getTime()} ${workspaceId}`;
    const row = this.#rows.get(key) ?? { day, workspaceId, inc: {} };
    row.inc[path] = (row.inc[path] ?? 0) + by;
    this.#rows.set(key, row);
  }

  toUpdates(organizationId: string) {
    return [...this.#rows.values()].map(({ day, workspaceId, inc }) => ({
      updateOne: {
        filter: { organizationId, day, workspaceId },
        update: { $inc: inc },
        upsert: true,
      },
    }));
  }
}

export function createCpiConsumer(models: Models): Consumer<TraceDocument> {
  return {
    name: 'cpi',
    from: 'start',
    kinds: ['trace', ...VERDICT_KINDS],
    projection: { traceId: 1, workspaceId: 1, verdict: 1, confidenceScore: 1, createdAt: 1 },
    async consume(entries, context) {
      const additions = new Additions();
      const verdicts = entries.filter(({ kind }) => kind !== 'trace');
      for (const trace of entries) if (trace.kind === 'trace') countDecision(additions, trace);
      if (verdicts.length > 0) await countVerdicts(models, { additions, verdicts }, context);
      const updates = additions.toUpdates(context.organizationId);
      if (updates.length > 0) await models.cpiDays.bulkWrite(updates, { session: context.session });
    },
  };
}

function countDecision(additions: Additions, trace: Observed): void {
  const { verdict, createdAt: at, workspaceId, confidenceScore } = trace;
  additions.addAmount({ at, workspaceId }, `decisions.${verdict}.count`, 1);
  const tenThousandths = Math.round(confidenceScore * 10_000);
  additions.addAmount({ at, workspaceId }, `decisions.${verdict}.confidence`, tenThousandths);
}

interface VerdictBatch {
  additions: Additions;
  verdicts: readonly Observed[];
}

/** The judged decisions and all their verdicts, by `traceId`. */
interface VerdictHistories {
  traces: ReadonlyMap<string, JudgedTrace>;
  /** Their verdicts, oldest first. */
  histories: ReadonlyMap<string, Verdict[]>;
}

/** Counts a decision once, by its newest verdict: the increment of an earlier verdict is subtracted. */
async function countVerdicts(
  models: Models,
  { additions, verdicts }: VerdictBatch,
  context: Context,
): Promise<void> {
  const { traces, histories } = await loadHistories(models, verdicts, context);
  for (const { traceId, sequence } of verdicts) {
    const trace = traces.get(traceId);
    const history = histories.get(traceId) ?? [];
    const place = history.findIndex((verdict) => verdict.sequence === sequence);
    const [before, verdict] = [history[place - 1], history[place]];
    if (!trace || !verdict) continue;
    if (before) addVerdict(additions, { trace, verdict: before }, -1);
    addVerdict(additions, { trace, verdict }, 1);
  }
}

async function loadHistories(
  models: Models,
  verdicts: readonly Observed[],
  { organizationId, session }: Context,
): Promise<VerdictHistories> {
  const traceIds = [...new Set(verdicts.map(({ traceId }) => traceId))];
  const about = { organizationId, traceId: { $in: traceIds } };
  const verdictEntries = await models.ledger
    .find(
      { ...about, kind: { $in: VERDICT_KINDS }, ...BY_PERSONS },
      'sequence traceId createdAt view',
    )
    .session(session)
    .sort({ sequence: 1 })
    .lean<(Verdict & { _id: Types.ObjectId })[]>();
  const traces = await models.traces
    .find(about, 'traceId workspaceId verdict')
    .session(session)
    .lean<JudgedTrace[]>();
  return {
    traces: new Map(traces.map((trace) => [trace.traceId, trace])),
    histories: groupBy(verdictEntries, ({ traceId }) => traceId),
  };
}

function addVerdict(
  additions: Additions,
  { trace, verdict }: { trace: JudgedTrace; verdict: Verdict },
  by: 1 | -1,
): void {
  const { isRight, isOverride } = readPersonsVerdict(verdict.view);
  const place = { at: verdict.createdAt, workspaceId: trace.workspaceId };
  const isHeld = trace.verdict !== 'approved';
  additions.addAmount(place, `judged.${selectCount({ isHeld, isRight })}`, by);
  if (isOverride) additions.addAmount(place, 'judged.overridden', by);
}
