// Simulates one life of a chain under faults, from a seed alone, and checks the invariants afterwards (ledger.md).
import type { Types } from 'mongoose';
import { type Act, HALT_STATES } from '../../src/domain/halt/halt.ts';
import { computePayloadDigest } from '../../src/domain/record/chain.ts';
import { AppError } from '../../src/errors.ts';
import { createAppender } from '../../src/ledger/append/appender.ts';
import { DECISIONS } from '../../src/ledger/chains.ts';
import type { Appender, Draft, Outcome, Position } from '../../src/ledger/entry.ts';
import type { Heads } from '../../src/ledger/heads/heads.ts';
import type { LedgerStore } from '../../src/ledger/append/store.ts';
import { checkAnswers, checkLife } from './invariants.ts';
import { type Chance, seeded } from './random.ts';
import { type Mutation, ReplicaSet } from './store/replica-set.ts';
import { VirtualTime } from './virtual-time.ts';

export const ORGANIZATION = 'a'.repeat(24);
/** Half a second before a month ends, so that most lives see two months. */
const BEGINNING = Date.UTC(2026, 0, 31, 23, 59, 59, 500);
const DAY_MS = 24 * 60 * 60 * 1000;
const TROUBLED_MS = 1_500;
const CALM_MS = 120_000;

/** One append and its answer; null: not answered, for instance because the instance was killed. */
export interface Attempt {
  /** A draft whose `fields` keep the idempotency key under a name that is never released. */
  draft: Draft;
  isPoison: boolean;
  instance: { isAlive: boolean };
  answer: Outcome | AppError | null;
  /** Milliseconds since the epoch on the simulation's own clock. */
  askedAt: number;
}

export interface Life {
  attempts: Attempt[];
  replicas: ReplicaSet;
  limit: number | null;
}

interface Instance {
  appender: Appender;
  isAlive: boolean;
}

interface World extends Life {
  time: VirtualTime;
  chance: Chance;
  /** Milliseconds that the clocks of all instances have jumped. */
  leap: number;
  /** The share of halts among what is appended. */
  haltShare: number;
  ids: number;
}

/** Runs one life. @throws Error naming the invariant that does not hold */
export async function simulate(seed: number, mutation: Mutation | null = null): Promise<void> {
  const chance = seeded(seed);
  const time = new VirtualTime();
  const trouble = chance.pick([0, 0.05, 0.2, 0.5]);
  const replicas = new ReplicaSet({ time, chance, trouble, mutation });
  const limit = chance.happens(0.4) ? chance.integer(1, 12) : null;
  const haltShare = chance.pick([0, 0.2]);
  const begun = { attempts: [], leap: 0, ids: 0 };
  const world: World = { time, chance, replicas, limit, haltShare, ...begun };
  const instances = Array.from({ length: chance.integer(1, 3) }, () => start(world));
  schedule(world, instances);
  await time.runUntil(TROUBLED_MS);
  replicas.isCalm = true;
  await time.runUntil(TROUBLED_MS + CALM_MS);
  checkAnswers(world);
  checkLife(world);
}

function start(world: World): Instance {
  const { time, chance, replicas } = world;
  const instance: { isAlive: boolean } = { isAlive: true };
  const skew = chance.integer(-2_000, 2_000);
  const store = replicas.storeFor(instance);
  const bufferedBytes = { perOrganization: 1e9, inAll: 1e9 };
  const appender = createAppender({
    store,
    chain: DECISIONS,
    clock: { now: () => new Date(BEGINNING + world.leap + skew + time.now) },
    timer: time,
    heads: headsOver(store, time),
    generateId: () => (++world.ids).toString(16).padStart(24, '0'),
    limits: { batch: chance.pick([1, 3, 8]), bytes: 1_000_000, queue: 1_000, bufferedBytes },
    ready: () => true,
    onSealed: () => {},
  });
  return Object.assign(instance, { appender });
}

/** Creates heads that check that an acknowledged head never vanishes, however often the primary changes. */
function headsOver(store: LedgerStore, time: VirtualTime): Heads {
  async function reaches(known: Position): Promise<boolean> {
    for (let read = 0; read < 200; read++) {
      const entry = await store
        .findAtSequence(null as unknown as Types.ObjectId, known.sequence)
        .catch(() => null);
      if (entry) return entry.chainHash === known.chainHash;
      await time.sleep(10);
    }
    return false;
  }
  return {
    async confirm(_organizationId, known) {
      if (known && !(await reaches(known)))
        throw new AppError('INTERNAL_ERROR', 'a trusted head has vanished');
    },
    noteHead: () => {},
    flush: () => Promise.resolve(),
    listQuarantined: () => [],
    checkClockSkew: () => {},
    listFutureDated: () => [],
    findNotedSince: () => Promise.resolve([]),
    findNotedHeads: () => Promise.resolve(new Map()),
    readNewest: () => Promise.resolve(new Map()),
  };
}

function schedule(world: World, instances: Instance[]): void {
  const { time, chance, replicas } = world;
  const appends = chance.integer(5, 40);
  const span = chance.pick([20, 200, 1_200]);
  const somewhen = (work: () => void) => time.schedule(chance.integer(0, span), work);
  for (let number = 0; number < appends; number++)
    somewhen(() => append(world, chance.pick(instances), number));
  for (let downs = chance.integer(0, 3); downs > 0; downs--) somewhen(() => replicas.stepDown());
  for (let kills = chance.integer(0, 2); kills > 0; kills--) {
    somewhen(() => {
      const index = chance.integer(0, instances.length - 1);
      (instances[index] as Instance).isAlive = false;
      instances[index] = start(world);
    });
  }
  if (chance.happens(0.4))
    somewhen(() => (world.leap += chance.pick([-1_000, 3_000, DAY_MS + 15_000, DAY_MS + 15_000])));
}

function createDraft(world: World, number: number): Draft {
  if (world.chance.happens(world.haltShare)) return halt(world, number);
  return world.chance.happens(0.3) ? amendment(world, number) : decision(world, number);
}

function append(world: World, instance: Instance, number: number): void {
  const { time, chance, attempts } = world;
  const isPoison = chance.happens(0.05);
  const draft = createDraft(world, number);
  const fields = {
    ...(isPoison ? { poison: true } : {}),
    ...(draft.idempotencyKey === null ? {} : { keyOfDraft: draft.idempotencyKey }),
  };
  const attempt: Attempt = {
    draft: { ...draft, fields },
    isPoison,
    instance,
    answer: null,
    askedAt: BEGINNING + world.leap + time.now,
  };
  attempts.push(attempt);
  const deadline = chance.happens(0.2) ? chance.integer(1, 100) : undefined;
  const learn = (answer: Outcome | AppError) => {
    attempt.answer = answer;
  };
  instance.appender.append(attempt.draft, deadline).then(learn, (error: unknown) => {
    learn(error as AppError);
  });
}

const AGENTS = ['b'.repeat(24), 'c'.repeat(24)] as const;

/** Halts one of two agents, or lets it go on. */
function halt({ chance }: World, number: number): Draft {
  const target = chance.pick(AGENTS);
  const said = { scope: 'agent', target, state: chance.pick(HALT_STATES), number };
  return {
    ...common(JSON.stringify(said)),
    kind: 'halt',
    traceId: `halt:agent:${target}`,
    idempotencyKey: null,
    monthlyLimit: null,
  };
}

/** What an entry lets an agent do, if anything. */
function pickAct(chance: Chance): { act?: Act } {
  if (chance.happens(0.3)) return {};
  const by = chance.pick(['policy', 'person'] as const);
  const agent = chance.pick(AGENTS);
  return { act: { by, agent, workspaceId: null, sessionId: null, persons: [] } };
}

function decision({ chance, limit }: World, number: number): Draft {
  const idempotencyKey = chance.happens(0.5) ? `key-${chance.integer(1, 6)}` : null;
  return {
    ...common(`payload ${number}`),
    ...pickAct(chance),
    kind: 'trace',
    traceId: `trace-${number}`,
    idempotencyKey,
    monthlyLimit: limit,
  };
}

/** Creates an amendment of one decision, after the newest entry about it that a majority read shows. */
function amendment({ chance, replicas }: World, number: number): Draft {
  const entries = replicas.committed();
  const traces = entries.filter(({ kind }) => kind === 'trace').slice(-3);
  if (traces.length === 0)
    return {
      ...common(`payload ${number}`),
      kind: 'status',
      traceId: `other-${number}`,
      idempotencyKey: null,
      monthlyLimit: null,
    };
  const { traceId } = chance.pick(traces);
  const after = entries.findLast((entry) => entry.traceId === traceId)?.sequence ?? null;
  return {
    ...common(`payload ${number}`),
    ...pickAct(chance),
    kind: 'status',
    traceId,
    after,
    idempotencyKey: null,
    monthlyLimit: null,
  };
}

function common(
  payload: string,
): Pick<Draft, 'organizationId' | 'payload' | 'payloadDigest' | 'fields'> {
  return {
    organizationId: ORGANIZATION,
    payload,
    payloadDigest: computePayloadDigest(payload),
    fields: {},
  };
}
