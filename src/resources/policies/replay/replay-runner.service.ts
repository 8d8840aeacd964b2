// Runs replays in the background, beside everything else: what a second has brought is saved, so that any instance goes on after a restart.
import type { Platform } from '../../../composition/platform.ts';
import { rejudge, type TriedSet } from '../../../domain/policies/trials/rejudge.ts';
import type { Pace } from '../../../platform/jobs/pace.ts';
import { UNFINISHED, type PolicyReplayDocument } from './policy-replays.model.ts';
import { payloadOf, recordedDecision, type StoredDecision } from './recorded-decision.ts';
import { createReplaySets } from './replay-sets.service.ts';
import { count, emptyTally, type Tally } from './replay-tally.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'clock' | 'logger'> & { pace: Pace };

/** Decisions that are read at a time: reading them holds the event loop. */
const PAGE = 16;
/** Milliseconds after which a replay is saved, and others have their turn. */
const STRETCH_MS = 1_000;
/** Milliseconds of one run; the next follows within a second, and shutting down waits for hardly longer. */
const RUN_MS = 2_000;
/** A replay that cannot go on so often has failed. */
const FAULTS = 5;
const ABOUT = { sequence: 1, traceId: 1, verdict: 1, schemaVersion: 1 } as const;
const PROJECTION = Object.assign({ view: 1, sealed: 1, content: 1, generation: 1 }, ABOUT);

/** What one stretch of a replay has come to. */
interface Progress {
  total: number;
  done: number;
  /** Entries from this sequence on are done. */
  below: number;
  made: Tally;
}

export function createReplayRunner({ models, contents, clock, logger, pace }: Deps) {
  const sets = createReplaySets({ models });

  async function totalOf(replay: PolicyReplayDocument): Promise<number> {
    if (replay.total !== null) return replay.total;
    return models.traces.countDocuments(remaining(replay)).limit(replay.limit);
  }

  /** The next decisions, the newest first, opened. */
  async function* decisionsOf(
    replay: PolicyReplayDocument,
    count: number,
  ): AsyncGenerator<StoredDecision> {
    const organizationId = replay.organizationId.toHexString();
    let { below } = replay;
    for (let left = count; left > 0;) {
      const page = await models.traces
        .find(remaining(Object.assign({}, replay, { below })), PROJECTION)
        .sort({ sequence: -1 })
        .limit(Math.min(PAGE, left))
        .lean<StoredDecision[]>();
      yield* await contents.open(organizationId, page);
      if (page.length < PAGE) return;
      left -= page.length;
      below = page.at(-1)?.sequence ?? below;
    }
  }

  /** Goes over what a stretch leaves time for. */
  async function advance(replay: PolicyReplayDocument): Promise<void> {
    pace.begin();
    const until = performance.now() + STRETCH_MS;
    const total = await totalOf(replay);
    const set = await sets.triedBy(replay);
    const { below, examples } = replay;
    const progress: Progress = { total, done: 0, below, made: emptyTally(examples) };
    let isDone = true;
    for await (const decision of decisionsOf(replay, total - replay.done)) {
      await judge(decision, { replay, set, progress });
      await pace.giveWay();
      isDone = performance.now() < until;
      if (!isDone) break;
    }
    await save(replay, progress, isDone);
  }

  async function judge(
    decision: StoredDecision,
    { replay, set, progress }: { replay: PolicyReplayDocument; set: TriedSet; progress: Progress },
  ): Promise<void> {
    const payload = payloadOf(decision);
    const judged = await sets.judgedBy(replay.organizationId, payload.policySetDigest);
    const recorded = recordedDecision(decision, payload, judged);
    const found = recorded === null ? ({ untold: 'erased' } as const) : rejudge(recorded, set);
    count(progress.made, decision, found);
    progress.done += 1;
    progress.below = decision.sequence;
  }

  /** Unless it was cancelled, or another instance has done the same. */
  async function save(
    { _id, organizationId, below, done }: PolicyReplayDocument,
    { total, made, ...reached }: Progress,
    isDone: boolean,
  ): Promise<void> {
    const untoldCounts = Object.entries(made.untold).map(([reason, times]) => [
      `untold.${reason}`,
      times,
    ]);
    await models.policyReplays.updateOne(
      { _id, organizationId, below, done, state: UNFINISHED },
      {
        $set: {
          state: isDone ? 'done' : 'running',
          total,
          below: reached.below,
          examples: made.examples,
          finishedAt: isDone ? clock.now() : null,
        },
        $inc: {
          done: reached.done,
          ...made.counts,
          ...(Object.fromEntries(untoldCounts) as object),
        },
      },
    );
  }

  async function fault(
    { _id, organizationId, faults }: PolicyReplayDocument,
    error: unknown,
  ): Promise<void> {
    logger.error({ err: error, organizationId, replay: _id }, 'a replay cannot go on yet');
    const ended = faults + 1 >= FAULTS ? { state: 'failed', finishedAt: clock.now() } : {};
    await models.policyReplays.updateOne(
      { _id, organizationId, state: UNFINISHED },
      { $inc: { faults: 1 }, $set: ended },
    );
  }

  return {
    /** A stretch of each replay in turn, until none is left or the time of one run is over; resolves with their number. */
    async run(): Promise<number> {
      const start = performance.now();
      let stretches = 0;
      while (performance.now() - start < RUN_MS) {
        const next = await models.policyReplays
          .findOne({ state: UNFINISHED }, null, { crossTenant: true, sort: { updatedAt: 1 } })
          .lean<PolicyReplayDocument>();
        if (!next) break;
        await advance(next).catch((error: unknown) => fault(next, error));
        stretches += 1;
      }
      return stretches;
    },
  };
}
export type ReplayRunner = ReturnType<typeof createReplayRunner>;

/** The decisions that are still to be gone over. */
function remaining({ organizationId, workspaceId, below }: PolicyReplayDocument) {
  return { organizationId, workspaceId: workspaceId.toHexString(), sequence: { $lt: below } };
}
