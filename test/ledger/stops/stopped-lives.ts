// Simulates instances that judge, claim and erase decisions with one effect, stopped at any command, from a seed alone.
import { readRegistersOf } from '../store/registers-of.ts';
import { toHaltEntry } from '../../../src/ledger/halts/halt-entries.ts';
import type { Types } from 'mongoose';
import { isLapsed } from '@assay/policy';
import { createEffectSecrets, deriveEffectKey } from '../../../src/domain/actions/effect-keys.ts';
import {
  commitRawAction,
  deriveBindingSalt,
  hashAction,
} from '../../../src/domain/actions/proposed-action.ts';
import type { Tenant } from '../../../src/domain/identity/tenant.ts';
import { computePayloadDigest } from '../../../src/domain/record/chain.ts';
import { AppError } from '../../../src/errors.ts';
import { createAmendments } from '../../../src/ledger/amend/amendments.ts';
import { createFold } from '../../../src/ledger/amend/fold.ts';
import { createAppender } from '../../../src/ledger/append/appender.ts';
import { toHead } from '../../../src/ledger/append/seal.ts';
import type { InsertOutcome, LedgerStore } from '../../../src/ledger/append/store.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Stored } from '../../../src/ledger/entry.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { eraseDecisions } from '../../../src/decisions/traces/bulk/bulk.service.ts';
import { endLeases } from '../../../src/decisions/traces/executions/execution-leases.service.ts';
import {
  claimExecution,
  endExecution,
} from '../../../src/decisions/traces/executions/executions.service.ts';
import {
  prepareExpiryAmendment,
  prepareReviewAmendment,
} from '../../../src/decisions/traces/review/review-amendment.ts';
import type { TraceDocument } from '../../../src/decisions/traces/traces.model.ts';
import { traceColumns } from '../../../src/decisions/traces/traces.columns.ts';
import { type Chance, seeded } from '../random.ts';
import { VirtualTime } from '../virtual-time.ts';
import { checkLife } from './checks.ts';
import {
  createView,
  type Duplicate,
  MemoryCollection,
  type Row,
  type RunCommand,
} from './memory-collection.ts';

/** Fences that are taken away: the invariants must notice. */
export const MISSING = ['no-mark', 'no-entry', 'no-question'] as const;
type Missing = (typeof MISSING)[number];
type Amendments = ReturnType<typeof createAmendments>;
type EffectModel = ReturnType<typeof createView>['model'];

const ORGANIZATION = 'a'.repeat(24);
const BEGINNING = Date.UTC(2026, 0, 31, 12);
const SECRET = 'a ledger key of the simulation';
const LIFE_MS = 900_000;
const CALM_MS = 400_000;
/** Longer than a reservation is left alone, and shorter. */
const STOPS_MS = [1_000, 70_000, 110_000, 150_000];
const LEASE_SECONDS = 300;

const tenant: Tenant = {
  organizationId: ORGANIZATION,
  workspaceId: null,
  defaultWorkspaceId: ORGANIZATION,
  agentIds: null,
  plan: 'custom',
  actor: { kind: 'agentKey', id: 'b'.repeat(24) },
};

interface World {
  time: VirtualTime;
  chance: Chance;
  ledger: MemoryCollection;
  effects: MemoryCollection;
  missing: Missing | null;
  ids: number;
  stops: number;
  isCalm: boolean;
  /** Ids of the executions that an answer has handed out. */
  handedOut: Set<string>;
  /** What the jobs have reported. */
  faults: unknown[];
}

/** Runs one life, with claims alone where a fence is missing; resolves with how often an instance was stopped. @throws Error naming what does not hold */
export async function liveOnce(seed: number, missing: Missing | null = null): Promise<number> {
  const world: World = {
    time: new VirtualTime(),
    chance: seeded(seed),
    ledger: new MemoryCollection({
      _id: ['_id'],
      chain: ['sequence'],
      following: ['traceId', 'after'],
    }),
    effects: new MemoryCollection({ once: ['key'] }),
    missing,
    ids: 0,
    stops: 0,
    isCalm: false,
    handedOut: new Set(),
    faults: [],
  };
  const { time, chance } = world;
  const instances = Array.from({ length: chance.integer(2, 4) }, () => start(world));
  const decisions = Array.from({ length: chance.integer(3, 6) }, (_, at) => `decision-${at}`);
  const [first] = instances as [Instance];
  for (const traceId of decisions) void first.propose(traceId);
  await time.runUntil(1_000);
  for (const instance of instances) void instance.runJobs();
  for (const traceId of decisions) {
    void keepCarryingOut(world, instances, traceId);
    if (missing === null) scheduleOthers(world, instances, traceId);
  }
  await time.runUntil(LIFE_MS);
  world.isCalm = true;
  await time.runUntil(LIFE_MS + CALM_MS);
  checkLife(world);
  return world.stops;
}

type Instance = ReturnType<typeof start>;

/** Asks one instance after another, until it has carried the action out or the life is over. */
async function keepCarryingOut(
  world: World,
  instances: Instance[],
  traceId: string,
): Promise<void> {
  const { time, chance } = world;
  while (time.now < LIFE_MS) {
    await time.sleep(chance.integer(0, 20_000));
    if (await chance.pick(instances).carryOut(traceId)) return;
  }
}

/** Persons judge, and some decisions are erased, each on two instances. */
function scheduleOthers({ time, chance }: World, instances: Instance[], traceId: string): void {
  const somewhen = (work: (instance: Instance) => Promise<void>): void => {
    const first = chance.integer(0, LIFE_MS);
    for (const after of [0, chance.pick([1, 100_000])])
      time.schedule(first + after, () => void work(chance.pick(instances)));
  };
  somewhen((instance) => instance.judge(traceId));
  if (chance.happens(0.2)) somewhen((instance) => instance.erase(traceId));
}

/** Runs the commands of one instance; while it is stopped none is sent, and no answer is read. */
function createRunner(world: World): RunCommand {
  const { time, chance } = world;
  const stopping = chance.pick([0.02, 0.05, 0.15]);
  let stoppedUntil = 0;
  async function pass(): Promise<void> {
    if (!world.isCalm && stoppedUntil <= time.now && chance.happens(stopping)) {
      world.stops++;
      stoppedUntil = time.now + chance.pick(STOPS_MS);
    }
    await time.sleep(Math.max(stoppedUntil - time.now, chance.integer(0, 3)));
  }
  return async (command) => {
    await pass();
    const result = attempt(command);
    await pass();
    return result();
  };
}

/** The result of a command, or its error, for later. */
function attempt<T>(command: () => T): () => T {
  try {
    const value = command();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function start(world: World) {
  const { time, chance, missing } = world;
  const run = createRunner(world);
  const ledgerView = createView(world.ledger, run);
  const effectsView = createView(world.effects, run);
  const clock = { now: () => new Date(BEGINNING + time.now) };
  const generateId = () => (++world.ids).toString(16).padStart(24, '0');
  const logger = { error: ({ err }: { err: unknown }) => void world.faults.push(err) };
  const random16 = () => Buffer.alloc(16, ++world.ids);
  const db = { collection: () => ledgerView.driver } as never;
  const appender = createAppender({
    store: createStore(world, run),
    chain: DECISIONS,
    clock,
    timer: time,
    heads: { confirm: async () => {}, noteHead: () => {}, checkClockSkew: () => {} } as never,
    generateId,
    limits: {
      batch: 8,
      bytes: 1e6,
      queue: 1e3,
      bufferedBytes: { perOrganization: 1e9, inAll: 1e9 },
    },
    ready: () => true,
    onSealed: () => {},
  });
  const fold = createFold({ db, chain: DECISIONS, columns: traceColumns });
  const amendments = createAmendments({ db, chain: DECISIONS, appender, fold });
  const models = {
    ledger: ledgerView.model,
    traces: createView(world.ledger, run, { kind: 'trace' }).model,
    effects: takeFence(effectsView.model, missing),
  };
  const platform = {
    models,
    ledger: {
      amendments: missing === 'no-entry' ? withoutGivenBack(amendments) : amendments,
      fold: { noteAsk: async () => {} },
      halts: { computeEnds },
    },
    clock,
    generateId,
    logger,
    draw16Bytes: random16,
    contents: {
      decryptOne: async (_id: string, row: Row) => row,
      decryptDocuments: async (_id: string, rows: Row[]) => rows,
    },
    secrets: { ledgerKey: SECRET },
    // No agent is registered.
    caches: { openCache: () => ({ get: () => Promise.resolve(null) }) },
  } as never;

  const listTraceIds = async (): Promise<string[]> => {
    const held = { kind: 'trace', 'review.status': 'pending' };
    return (await ledgerView.driver.find(held)).map(({ traceId }) => traceId as string);
  };

  async function reportEnd(traceId: string, executionId: string): Promise<void> {
    await time.sleep(chance.integer(0, 20_000));
    const outcome = chance.happens(0.95)
      ? 'failed'
      : chance.pick(['succeeded', 'unknown'] as const);
    await endExecution({ platform, tenant }, { id: traceId, executionId }, { outcome });
  }

  return {
    async propose(traceId: string): Promise<void> {
      const draft = createDecision(
        traceId,
        missing === null && chance.happens(0.4) ? chance.integer(1, LIFE_MS) : null,
      );
      await appender.append({ ...draft, organizationId: ORGANIZATION } as never);
    },

    /** Claims, and says what became of it; false where the claim was refused. */
    async carryOut(traceId: string): Promise<boolean> {
      const rawActionDigest = hashAction({ traceId }) as string;
      try {
        const { execution } = await claimExecution({ platform, tenant }, traceId, {
          rawActionDigest,
          leaseSeconds: LEASE_SECONDS,
        });
        const executionId = String(execution.executionId);
        world.handedOut.add(executionId);
        await reportEnd(traceId, executionId);
        return true;
      } catch (error) {
        if (error instanceof AppError) return error.code === 'APPROVAL_USED';
        throw error;
      }
    },

    async judge(traceId: string): Promise<void> {
      const decision = chance.pick(['approve', 'approve', 'reject'] as const);
      const words = { decision, reason: undefined, notes: undefined };
      const amend = prepareReviewAmendment(tenant, words, random16);
      await amendments
        .append(ORGANIZATION, traceId, (about) =>
          isOpen(about.trace as never, clock.now()) ? amend(about as never) : null,
        )
        .catch(ignoreRefusal);
    },

    erase: (traceId: string): Promise<void> =>
      eraseDecisions({ platform, tenant }, [traceId]).catch(ignoreRefusal),

    /** Ends leases and holds, and gives back what was left, as the timed jobs do, but under no lease at all. */
    async runJobs(): Promise<void> {
      const lapse = prepareExpiryAmendment(ORGANIZATION, random16);
      while (time.now < LIFE_MS + CALM_MS) {
        await endLeases(platform);
        for (const traceId of await listTraceIds())
          await amendments.append(ORGANIZATION, traceId, (about) => {
            const { review } = about.trace as unknown as TraceDocument;
            return review && isLapsed(review, clock.now()) ? lapse(about as never) : null;
          });
        await time.sleep(chance.integer(5_000, 40_000));
      }
    },
  };
}

/** The model without the mark by which a reservation ends, or with an answer that each claim has its one effect. */
function takeFence(model: EffectModel, missing: Missing | null): EffectModel {
  if (missing === 'no-question') return { ...model, countDocuments: () => Promise.resolve(1) };
  if (missing !== 'no-mark') return model;
  return {
    ...model,
    updateMany(filter: Row, { $set: { isEnding: _, ...$set } = {}, ...change }: { $set?: Row }) {
      return model.updateMany(filter, { ...change, $set });
    },
  };
}

/** Amendments of which none stands where a reservation is given back, the only ones of this kind here. */
function withoutGivenBack(amendments: Amendments): Pick<Amendments, 'append'> {
  return {
    async append(organizationId, traceId, decide) {
      let isGivenBack = false;
      const entry = await amendments.append(organizationId, traceId, async (about) => {
        const decided = await decide(about);
        isGivenBack = decided?.kind === 'status';
        return isGivenBack ? null : decided;
      });
      return isGivenBack ? ({} as never) : entry;
    },
  };
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

/** A decision whose action has an effect that all decisions share. `heldMs`: how long it waits for a person. */
function createDecision(traceId: string, heldMs: number | null) {
  const secret = createEffectSecrets(SECRET)(ORGANIZATION);
  const seed = `seed of ${traceId}`;
  const facts = {
    effects: [{ template: 'pay', name: 'pay', key: deriveEffectKey(secret, 'pay') }],
  };
  const binding = commitRawAction(hashAction({ traceId }) as string, deriveBindingSalt(seed));
  const status = heldMs === null ? 'approved' : 'flagged';
  const said = { kind: 'trace', traceId, status, workspaceId: null, agent: null, commitments: {} };
  const payload = JSON.stringify(said);
  const review = {
    _id: toObjectId('c'.repeat(24)),
    status: 'pending',
    expiresAt: new Date(BEGINNING + (heldMs ?? 0)),
    onExpiry: 'reject',
  };
  return {
    kind: 'trace',
    traceId,
    payload,
    payloadDigest: computePayloadDigest(payload),
    idempotencyKey: null,
    monthlyLimit: null,
    fields: {
      workspaceId: null,
      verdict: status,
      status,
      ...(heldMs !== null && { review }),
      deletedAt: null,
      answer: { binding },
      sealed: {
        submitted: { seed, text: '""' },
        facts: { seed, text: JSON.stringify(facts) },
      },
    },
  };
}

/** Nothing is halted in these lives. */
const computeEnds = async (_id: string, waits: readonly { end: Date }[]): Promise<Date[]> =>
  waits.map(({ end }) => end);

const isOpen = ({ review, deletedAt }: TraceDocument, now: Date): boolean =>
  !deletedAt && review?.status === 'pending' && !isLapsed(review, now);

function createStore({ ledger }: World, run: RunCommand): LedgerStore {
  const insert = (documents: readonly Stored[]): InsertOutcome => {
    for (const [at, document] of documents.entries())
      try {
        ledger.insert(document);
      } catch (error) {
        return { kind: 'conflict', at, index: (error as Duplicate).index as never };
      }
    return { kind: 'ok' };
  };
  const find = (filter: Row): Stored[] =>
    ledger.find(filter, { sort: { sequence: 1 } }) as Stored[];
  return {
    insertOrdered: (documents) => run(() => insert(documents)),
    readNewest: () =>
      run(() => {
        const newest = find({}).at(-1);
        return newest ? toHead(newest) : null;
      }),
    readHalts: (_organizationId, { after, upTo }) =>
      run(() =>
        find({ kind: 'halt', sequence: { $gt: after, $lte: upTo } }).map((entry) =>
          toHaltEntry(entry),
        ),
      ),
    readRegisters: (_organizationId, wanted, head) =>
      run(() => readRegistersOf(find({}), wanted, head)),
    findAtSequence: (_organizationId, sequence) => run(() => find({ sequence })[0] ?? null),
    findByIdempotencyKey: () => Promise.resolve([]),
    findByIds: (_organizationId, ids: readonly Types.ObjectId[]) =>
      run(() => find({ _id: { $in: ids } })),
    releaseIdempotencyKey: () => Promise.resolve(),
  };
}
