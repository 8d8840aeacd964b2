// Runs replays in the background: page by page, each page saved, so that any instance goes on after a restart.
import { LRUCache } from 'lru-cache';
import type { Platform } from '../../../composition/platform.ts';
import type { PolicyDefinition } from '../../../domain/policies/definition.ts';
import {
  rejudge,
  revisionName,
  triedSet,
  type TriedSet,
} from '../../../domain/policies/trials/rejudge.ts';
import type { PolicyRevisionDocument, PolicySetDocument } from '../policies.model.ts';
import { UNFINISHED, type PolicyReplayDocument } from './policy-replays.model.ts';
import { payloadOf, recordedDecision, type StoredDecision } from './recorded-decision.ts';
import { count, emptyTally, type Tally } from './replay-tally.ts';

type Deps = Pick<Platform, 'models' | 'contents' | 'clock' | 'logger'>;

/** Decisions that are read at a time. */
const PAGE = 50;
/** Milliseconds of one run; the next follows within a second, and shutting down waits for no longer. */
const RUN_MS = 2_000;
/** Milliseconds of work after which as long is left to requests. */
const TURN_MS = 5;
/** A replay that cannot go on so often has failed. */
const FAULTS = 5;
const ABOUT = { sequence: 1, traceId: 1, verdict: 1, schemaVersion: 1 } as const;
const PROJECTION = Object.assign({ view: 1, sealed: 1, content: 1, generation: 1 }, ABOUT);

export function createReplayRunner({ models, contents, clock, logger }: Deps) {
  const tried = new LRUCache<string, TriedSet>({ max: 20 });
  const sets = new LRUCache<string, ReadonlySet<string>>({ max: 100 });

  async function triedBy(replay: PolicyReplayDocument): Promise<TriedSet> {
    const key = replay._id.toHexString();
    const known = tried.get(key) ?? triedSet(await definitionsOf(replay));
    tried.set(key, known);
    return known;
  }

  async function definitionsOf(replay: PolicyReplayDocument): Promise<PolicyDefinition[]> {
    const { organizationId, members, candidate } = replay;
    const $or = members.map(({ id, revision }) => ({ policyId: id, revision }));
    const revisions =
      $or.length === 0
        ? []
        : await models.policyRevisions
            .find({ organizationId, $or })
            .lean<PolicyRevisionDocument[]>();
    const others = revisions.map(
      ({ policyId, revision, name, description, priority, conditions, actions }) => ({
        id: policyId.toHexString(),
        revision,
        name,
        description,
        priority,
        conditions,
        actions,
      }),
    );
    return candidate === null ? others : [...others, JSON.parse(candidate) as PolicyDefinition];
  }

  /** The policies that judged, as `id@revision`. */
  async function judgedBy(
    organizationId: PolicyReplayDocument['organizationId'],
    digest: string,
  ): Promise<ReadonlySet<string>> {
    const key = `${organizationId.toHexString()}/${digest}`;
    let known = sets.get(key);
    if (!known) {
      const set = await models.policySets
        .findOne({ organizationId, digest })
        .lean<PolicySetDocument>();
      const names = set?.members.map(({ id, revision }) =>
        revisionName({ id: id.toHexString(), revision }),
      );
      sets.set(key, (known = new Set(names)));
    }
    return known;
  }

  async function tally(
    { organizationId, examples }: PolicyReplayDocument,
    decisions: readonly StoredDecision[],
    set: TriedSet,
  ): Promise<Tally> {
    const made = emptyTally(examples);
    let since = performance.now();
    for (const decision of decisions) {
      const payload = payloadOf(decision);
      const judged = await judgedBy(organizationId, payload.policySetDigest);
      const recorded = recordedDecision(decision, payload, judged);
      count(made, decision, recorded === null ? { untold: 'erased' } : rejudge(recorded, set));
      const spent = performance.now() - since;
      if (spent < TURN_MS) continue;
      await new Promise((resolve) => void setTimeout(resolve, spent));
      since = performance.now();
    }
    return made;
  }

  async function totalOf(replay: PolicyReplayDocument): Promise<number> {
    if (replay.total !== null) return replay.total;
    return models.traces.countDocuments(remaining(replay)).limit(replay.limit);
  }

  /** Goes over one page. */
  async function advance(replay: PolicyReplayDocument): Promise<void> {
    const total = await totalOf(replay);
    const left = total - replay.done;
    const page = await models.traces
      .find(remaining(replay), PROJECTION)
      .sort({ sequence: -1 })
      .limit(Math.max(1, Math.min(PAGE, left)))
      .lean<StoredDecision[]>();
    const organizationId = replay.organizationId.toHexString();
    const decisions = left > 0 ? await contents.open(organizationId, page) : [];
    const made = await tally(replay, decisions, await triedBy(replay));
    const isDone = decisions.length === 0 || decisions.length >= left;
    await save(replay, made, { total, decisions, isDone });
  }

  /** Unless it was cancelled, or another instance has done the same page. */
  async function save(
    { _id, organizationId, below, done }: PolicyReplayDocument,
    { counts, untold, examples }: Tally,
    {
      total,
      decisions,
      isDone,
    }: { total: number; decisions: readonly StoredDecision[]; isDone: boolean },
  ): Promise<void> {
    const untoldCounts = Object.entries(untold).map(([reason, times]) => [
      `untold.${reason}`,
      times,
    ]);
    await models.policyReplays.updateOne(
      { _id, organizationId, below, done, state: UNFINISHED },
      {
        $set: {
          state: isDone ? 'done' : 'running',
          total,
          below: decisions.at(-1)?.sequence ?? below,
          examples,
          finishedAt: isDone ? clock.now() : null,
        },
        $inc: {
          done: decisions.length,
          ...counts,
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
    /** A page of each replay in turn, until none is left or the time of one run is over; resolves with the number of pages. */
    async run(): Promise<number> {
      const start = performance.now();
      let pages = 0;
      while (performance.now() - start < RUN_MS) {
        const next = await models.policyReplays
          .findOne({ state: UNFINISHED }, null, { crossTenant: true, sort: { updatedAt: 1 } })
          .lean<PolicyReplayDocument>();
        if (!next) break;
        await advance(next).catch((error: unknown) => fault(next, error));
        pages += 1;
      }
      return pages;
    },
  };
}
export type ReplayRunner = ReturnType<typeof createReplayRunner>;

/** The decisions that are still to be gone over. */
function remaining({ organizationId, workspaceId, below }: PolicyReplayDocument) {
  return { organizationId, workspaceId: workspaceId.toHexString(), sequence: { $lt: below } };
}
