// Runs replays in the background. Progress is saved after each stretch, so any instance can go on after a restart.
import type { QueryFilter, Types } from 'mongoose';
import type { Platform } from '../../platform/platform.ts';
import { AWAITED, createThrottle } from '../../platform/concurrency/adaptive-throttle.ts';
import { perInstance } from '../../platform/per-instance.ts';
import { UNFINISHED, type PolicyReplayDocument } from './policy-replays.model.ts';
import type { JudgedPortion } from './replay-judge.service.ts';
import { sendToReplayThread } from './replay-pool.ts';
import { addTally, createTally } from './replay-tally.ts';

/** Decisions judged between two yields: some milliseconds of the thread's time. */
const PORTION = 16;
/** Decisions of a replay for which a person waits; most replays end there. */
const AWAITED_DECISIONS = 2_000;
/** Milliseconds after which progress is saved and the next replay is served. */
const STRETCH_MS = 100;
/** Milliseconds of one run. The next follows at once; a shutdown waits for one run. */
const RUN_MS = 2_000;
/** A replay fails after this number of faults. */
const FAULTS = 5;

/** The result of one stretch of a replay. */
interface Progress extends JudgedPortion {
  total: number;
}

const openRunner = perInstance(() => ({
  laterPace: createThrottle(),
  /** The pace of the first decisions of a replay, for which a person waits. */
  firstPace: createThrottle(AWAITED),
  lastOrganization: null as Types.ObjectId | null,
}));

/**
 * Runs a stretch of each replay in rotation, until none is left or the run's time is over, and has the next run
 * follow at once in that case. Resolves with their number.
 */
export async function runReplays(platform: Platform): Promise<number> {
  const start = performance.now();
  let stretches = 0;
  let isLeft = false;
  while (performance.now() - start < RUN_MS) {
    const next = await findNextReplay(platform);
    isLeft = next !== null;
    if (!next) break;
    await runStretch(platform, next).catch((error: unknown) => recordFault(platform, next, error));
    stretches += 1;
  }
  if (isLeft) platform.wakeJob('policies.replay');
  return stretches;
}

/** Serves organisations in rotation, and the replays within each. */
async function findNextReplay(platform: Platform): Promise<PolicyReplayDocument | null> {
  const runner = openRunner(platform);
  const findOldest = (where: QueryFilter<PolicyReplayDocument>) =>
    platform.models.policyReplays
      .findOne({ state: UNFINISHED, ...where }, null, {
        crossTenant: true,
        sort: { organizationId: 1, updatedAt: 1 },
      })
      .lean<PolicyReplayDocument>();
  const { lastOrganization: last } = runner;
  const after = last && (await findOldest({ organizationId: { $gt: last } }));
  const next = after ?? (await findOldest({}));
  runner.lastOrganization = next?.organizationId ?? null;
  return next;
}

async function countTotal({ models }: Platform, replay: PolicyReplayDocument): Promise<number> {
  if (replay.total !== null) return replay.total;
  return models.traces.countDocuments(filterRemaining(replay)).limit(replay.limit);
}

/** Judges as many decisions as fit into one stretch, one portion at least, then saves. */
async function runStretch(platform: Platform, replay: PolicyReplayDocument): Promise<void> {
  const { firstPace, laterPace } = openRunner(platform);
  const pace = replay.done < AWAITED_DECISIONS ? firstPace : laterPace;
  pace.begin();
  const until = performance.now() + STRETCH_MS;
  const { below, examples } = replay;
  const total = await countTotal(platform, replay);
  const progress: Progress = { total, done: 0, below, tally: createTally(examples) };
  let isDone: boolean;
  do {
    isDone = await runPortion(platform, replay, progress);
    await pace.pauseWhenDue();
  } while (!isDone && performance.now() < until);
  await saveProgress(platform, replay, { ...progress, isDone });
}

/** Resolves with true when there are no more decisions. */
async function runPortion(
  platform: Platform,
  replay: PolicyReplayDocument,
  progress: Progress,
): Promise<boolean> {
  const left = progress.total - replay.done - progress.done;
  const limit = Math.min(PORTION, left);
  if (limit <= 0) return true;
  const { done, below, tally } = await sendToReplayThread(platform, {
    kind: 'portion',
    organizationId: replay.organizationId.toHexString(),
    replayId: replay._id.toHexString(),
    below: progress.below,
    limit,
  });
  progress.done += done;
  progress.below = below;
  addTally(progress.tally, tally);
  return done < limit || done === left;
}

/** Saves nothing when the replay was cancelled, or another instance has saved the same stretch. */
async function saveProgress(
  { models, clock }: Platform,
  { _id, organizationId, below, done }: PolicyReplayDocument,
  { total, tally, isDone, ...reached }: Progress & { isDone: boolean },
): Promise<void> {
  const untoldCounts = Object.entries(tally.untold).map(([reason, times]) => [
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
        examples: tally.examples,
        finishedAt: isDone ? clock.now() : null,
      },
      $inc: {
        done: reached.done,
        ...tally.counts,
        ...(Object.fromEntries(untoldCounts) as object),
      },
    },
  );
}

/** Counts a fault once, though two instances may meet it. */
async function recordFault(
  { models, clock, logger }: Platform,
  { _id, organizationId, faults }: PolicyReplayDocument,
  error: unknown,
): Promise<void> {
  logger.error({ err: error, organizationId, replay: _id }, 'a replay cannot go on yet');
  const ended = faults + 1 >= FAULTS ? { state: 'failed', finishedAt: clock.now() } : {};
  await models.policyReplays.updateOne(
    { _id, organizationId, faults, state: UNFINISHED },
    { $inc: { faults: 1 }, $set: ended },
  );
}

/** Filter for the decisions that are still to be judged. */
function filterRemaining({ organizationId, workspaceId, below }: PolicyReplayDocument) {
  return { organizationId, workspaceId: workspaceId.toHexString(), sequence: { $lt: below } };
}
