// An organisation with a short chain in which every lawful kind of change occurs, and its stored documents at hand.
import type { mongo } from 'mongoose';
import { computePayloadDigest } from '../../../src/domain/record/chain.ts';
import { commitValues } from '../../../src/domain/record/commitments.ts';
import {
  createCorrectionPayload,
  createErasurePayload,
  createReviewPayload,
} from '../../../src/domain/record/payload.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { generateId, draw16Bytes } from '../../../src/platform/ids.ts';
import { connectMongo, type Mongo } from '../../../src/platform/mongo/connection.ts';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import type { Position, Stored } from '../../../src/ledger/entry.ts';
import { releaseExpiredIdempotencyKeys } from '../../../src/ledger/entry-updates.ts';
import type { Decide, Subject } from '../../../src/ledger/amend/amendments.ts';
import { toObjectId } from '../../../src/ledger/ledger.model.ts';
import { type OpenChain, openChain } from '../../../src/ledger/open-chain.ts';
import { traceColumns } from '../../../src/decisions/traces/traces.columns.ts';
import type { TraceDocument } from '../../../src/decisions/traces/traces.model.ts';
import type { Chance } from '../../ledger/random.ts';
import {
  createAgent,
  buildDecision,
  assertOk,
  createOwner,
  type Owner,
  createWorkspaceKey,
} from '../../setup/personas.ts';
import { createDatabaseUri } from '../../setup/databases.ts';
import { startApp, type TestApp } from '../../setup/start-app.ts';

/** The app, with direct access to its database. */
export interface ChainHarness {
  app: TestApp;
  mongo: Mongo;
  db: mongo.Db;
  chain: OpenChain<TraceDocument>;
  stop(): Promise<void>;
}

export async function startChainHarness(): Promise<ChainHarness> {
  const uri = createDatabaseUri();
  const app = await startApp({}, { mongoUri: uri });
  const mongo = await connectMongo({ uri, poolSize: 4 });
  const { connection } = mongo;
  const nothing = (): void => undefined;
  const world = { connection, clock: systemClock, generateId, ready: () => true, queueLimit: 100 };
  const chain = openChain(DECISIONS, {
    ...world,
    columns: traceColumns,
    contents: app.instance.platform.contents,
    onQuarantine: nothing,
    onDatedAhead: nothing,
  });
  const db = connection.getClient().db(connection.name);
  async function stop(): Promise<void> {
    await chain.appender.close();
    await app.stop();
    await db.dropDatabase();
    await mongo.close();
  }
  return { app, mongo, db, chain, stop };
}

/** The saved answer of an ingestion. */
export type Receipt = Position & { traceId: string; salt: string };

const POLICIES = [
  {
    name: 'Large',
    conditions: [{ field: 'metadata.amount', operator: 'greater_than', value: 1000 }],
    actions: [{ type: 'block' }],
  },
  {
    name: 'Refunds',
    conditions: [{ field: 'outputDecision.action', operator: 'equals', value: 'refund' }],
    actions: [{ type: 'flag_for_review', config: { reason: 'A human decides refunds' } }],
  },
];

export class History {
  readonly receipts: Receipt[] = [];
  readonly harness: ChainHarness;
  readonly owner: Owner;
  #key = '';
  #agents: string[] = [];

  private constructor(harness: ChainHarness, who: Owner) {
    this.harness = harness;
    this.owner = who;
  }

  static async begin(harness: ChainHarness, name: string): Promise<History> {
    const { app } = harness;
    const history = new History(harness, await createOwner(app, name));
    const { token } = history.owner;
    history.#key = (await createWorkspaceKey(app, history.owner)).key;
    for (const body of POLICIES)
      assertOk(await app.call('POST', '/api/v1/policies', { token, body }));
    const open = await createAgent(app, history.owner);
    const discreet = await createAgent(app, history.owner);
    const policies = { logPayloads: false };
    assertOk(
      await app.call('PATCH', `/api/v1/agents/${discreet.id}/policies`, { token, body: policies }),
    );
    history.#agents = [open.id, discreet.id, 'free-text agent'];
    return history;
  }

  get organizationId(): string {
    return this.owner.organizationId;
  }

  get entries(): mongo.Collection<Stored> {
    return this.harness.db.collection<Stored>(DECISIONS.collection);
  }

  /** Everything stored of the chain, in order, with the values opened. */
  async stored(): Promise<Stored[]> {
    const found = this.entries
      .find({ organizationId: toObjectId(this.organizationId) })
      .sort({ sequence: 1 });
    const { contents } = this.harness.app.instance.platform;
    return contents.decryptDocuments(this.organizationId, (await found.toArray()) as Stored[]);
  }

  /** Replaces the whole chain by these documents. */
  async store(documents: readonly Stored[]): Promise<void> {
    const ids = documents.map(({ _id }) => _id);
    const mine = [{ organizationId: toObjectId(this.organizationId) }, { _id: { $in: ids } }];
    const whole = { deleteMany: { filter: { $or: mine } } };
    await this.entries.bulkWrite([
      whole,
      ...documents.map((document) => ({ insertOne: { document } })),
    ]);
  }

  async verify() {
    const answer = await this.harness.app.call('POST', '/api/v1/hash-chain/verify', {
      token: this.owner.token,
    });
    return assertOk(answer).body.data;
  }

  async bundle(query = 'fromSequence=1'): Promise<string> {
    const answer = await this.harness.app.call('GET', `/api/v1/hash-chain/export?${query}`, {
      token: this.owner.token,
    });
    return assertOk(answer).text;
  }

  async post(more: object = {}, agentId = this.#agents[0] as string): Promise<void> {
    const body = buildDecision(agentId, more);
    const { data } = (
      await this.harness.app.call('POST', '/api/v1/traces', { key: this.#key, body })
    ).body;
    this.receipts.push({ ...data.hashChain, traceId: data.traceId });
  }

  /** One of each lawful kind, in a fixed order. */
  async everything(): Promise<void> {
    await this.post({ metadata: { amount: 12, latencyMs: 40 }, timestamp: '2026-03-01T10:00:00Z' });
    await this.post({
      outputDecision: {
        action: 'refund',
        rationale: 'The parcel was lost, so the money goes back.',
      },
    });
    await this.post({ metadata: { amount: 2000 } }, this.#agents[2]);
    await this.post({ alternatives: [{ decision: 'escalate', confidence: 0.4 }] }, this.#agents[1]);
    await this.post();
    await this.bulk('bulk-status', [0], { status: 'escalated' });
    await this.correct(1);
    await this.review(1);
    await this.attest();
    await this.post();
    await this.bulk('bulk-delete', [1, 4]);
    await this.attest();
    await this.post({ metadata: { amount: 3 } }, this.#agents[2]);
    await this.#settled();
  }

  /** A random change; one that the present state does not allow is refused, which is correct too. */
  async anything(chance: Chance): Promise<void> {
    const place = chance.integer(0, Math.max(0, this.receipts.length - 1));
    const amount = chance.pick([5, 50, 5000]);
    const changes: (() => Promise<void>)[] = [
      () => this.post({ metadata: { amount } }, chance.pick(this.#agents)),
      () =>
        this.post(
          { outputDecision: { action: chance.pick(['refund', { tool: 'reply' }]) } },
          chance.pick(this.#agents),
        ),
      () =>
        this.bulk('bulk-status', [place], {
          status: chance.pick(['success', 'pending', 'escalated']),
        }),
      () => this.bulk('bulk-delete', [place]),
      () => this.correct(place),
      () => this.review(place),
      () => this.erase(place),
      () => this.attest(),
      () => this.releaseKeys(),
    ];
    await chance.pick(changes)();
  }

  async bulk(path: string, places: readonly number[], more: object = {}): Promise<void> {
    const traceIds = places.map((place) => this.receipts[place]?.traceId ?? null);
    const organizationId = toObjectId(this.organizationId);
    const found = await this.entries
      .find({ organizationId, kind: 'trace', traceId: { $in: traceIds } })
      .toArray();
    const ids = found.map(({ _id }) => _id.toHexString());
    if (ids.length === 0) return;
    const body = { ids, ...more };
    assertOk(
      await this.harness.app.call('POST', `/api/v1/traces/${path}`, {
        token: this.owner.token,
        body,
      }),
    );
  }

  correct(place: number): Promise<void> {
    const values = {
      outputDecision: { decision: 'store credit' },
      rationale: '[HUMAN CORRECTION: too much] ',
      feedback: 'no',
    };
    return this.#append(place, (about) => {
      const { sealed, commitments } = commitValues(values, draw16Bytes);
      const set = { status: 'success', humanOverride: true } as const;
      const view = createCorrectionPayload({
        ...this.#about(about),
        commitments,
        action: 'correct',
        set,
      });
      return {
        kind: 'correction',
        payload: view,
        payloadDigest: computePayloadDigest(view),
        fields: { sealed },
      };
    });
  }

  review(place: number): Promise<void> {
    return this.#append(place, (about) => {
      const { review } = about.trace;
      if (review?.status !== 'pending') return null;
      const { sealed, commitments } = commitValues({ reason: 'fine', notes: null }, draw16Bytes);
      const set = { status: 'approved', humanOverride: false } as const;
      const reviewId = review._id.toHexString();
      const view = createReviewPayload({
        ...this.#about(about),
        commitments,
        reviewId,
        decision: 'approve',
        set,
      });
      return {
        kind: 'review',
        payload: view,
        payloadDigest: computePayloadDigest(view),
        fields: { sealed },
      };
    });
  }

  /** Erases one value of the decision itself. */
  erase(place: number): Promise<void> {
    return this.#append(place, (about) => {
      if (!about.trace.sealed.inputContext) return null;
      const erased = [{ sequence: about.subject.sequence, names: ['inputContext'] }];
      const view = createErasurePayload({
        ...this.#about(about),
        commitments: {},
        cause: 'request',
        erased,
      });
      return {
        kind: 'erasure',
        payload: view,
        payloadDigest: computePayloadDigest(view),
        fields: {},
      };
    });
  }

  async attest(): Promise<void> {
    const clause = { framework: 'iso-42001', clauseId: 'A.6.2', catalogVersion: '1' };
    const attested = {
      kind: 'compliance',
      ...this.#common(),
      ...clause,
      status: 'covered',
    } as const;
    const committed = commitValues({ evidence: 'A document.' }, draw16Bytes);
    await this.harness.chain.attestations.append(attested, committed, null);
  }

  /** Releases all idempotency keys, as after a day. */
  async releaseKeys(): Promise<void> {
    await releaseExpiredIdempotencyKeys(this.harness.db, DECISIONS, {
      from: new Date(0),
      before: new Date(systemClock.now().getTime() + 1000),
    });
  }

  #common() {
    const { organizationId, userId, workspaceId } = this.owner;
    return { organizationId, workspaceId, actor: { kind: 'user', id: userId } as const };
  }

  #about({ subject, after, trace }: Subject<TraceDocument>) {
    return { ...this.#common(), traceId: trace.traceId, subject, after };
  }

  async #append(place: number, decide: Decide<TraceDocument>): Promise<void> {
    const receipt = this.receipts[place];
    if (receipt)
      await this.harness.chain.amendments.append(this.organizationId, receipt.traceId, decide);
  }

  /** Waits until the newest head is noted. */
  async #settled(): Promise<void> {
    await this.harness.chain.heads.flush();
    const organizationId = toObjectId(this.organizationId);
    const newest = await this.entries.findOne({ organizationId }, { sort: { sequence: -1 } });
    const heads = this.harness.db.collection(`heads_${DECISIONS.collection}`);
    while (!(await heads.findOne({ organizationId, sequence: newest?.sequence ?? 0 })))
      await this.harness.app.call('GET', '/health');
  }
}
