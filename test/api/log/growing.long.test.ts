// Everything that reads a log while it grows: the log is sealed before each single read, and nothing honest is accused.
// @module-tag long
import { Query } from 'mongoose';
import { beforeAll, expect, it } from 'vitest';
import { DECISIONS } from '../../../src/ledger/chains.ts';
import { findHeadsBreak } from '../../../src/ledger/log/heads-log.ts';
import { findSignedBreak } from '../../../src/ledger/log/signed-break.ts';
import { readSignedTreeHeads } from '../../../src/ledger/log/signed-heads.ts';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createAgent, createWorkspaceKey } from '../../setup/personas.ts';
import { holdJobs, postDecisions, SEALED_AT_ONCE, sealAll, warmPromises } from './log-steps.ts';
import { checkHeads } from '../../../src/evidence/log/signing/heads-check.service.ts';

const harness = useHarness({ ...SEALED_AT_ONCE, ASSAY_LOG_MMD_SECONDS: '3600' });
const ada = useOwner(harness);
const poster = useFixture(async () => {
  const agent = await createAgent(harness.app, ada);
  const { key } = await createWorkspaceKey(harness.app, ada);
  return { agent: agent.id, key };
});
beforeAll(() => holdJobs(harness, 'log.seal', 'log.witness', 'log.stamp'));

/** Appends an entry, and seals its log and the heads log. */
async function growLog(): Promise<void> {
  const body = buildDecision(poster.agent);
  assertOk(await harness.app.call('POST', '/api/v1/traces', { key: poster.key, body }));
  await sealAll(harness.app);
}

const LOGS = ['logs', 'log_heads', 'log_tiles', 'heads_leaves'];

/** Does some work while the log grows before each read of what is stored of logs; resolves with how often it grew. */
async function growBeforeReads(work: () => Promise<unknown>): Promise<number> {
  const { exec } = Query.prototype;
  let grown = 0;
  let isGrowing = false;
  Query.prototype.exec = async function (this: Query<unknown, unknown>, ...args) {
    const name = this.model.collection.name;
    if (!isGrowing && LOGS.includes(name)) {
      isGrowing = true;
      await growLog().finally(() => (isGrowing = false));
      grown += 1;
    }
    return exec.apply(this, args);
  } as typeof exec;
  try {
    await work();
  } finally {
    Query.prototype.exec = exec;
  }
  return grown;
}

it('proofs, files, receipts, statements and promises hold, whenever the log grows', async () => {
  await warmPromises(harness.app, ada);
  const answers = await postDecisions(harness.app, ada, 20);
  const { traceId, hashChain } = answers.at(-1)!.body.data;
  await sealAll(harness.app);
  const { token } = ada;
  const get = (path: string) => harness.app.call('GET', `/api/v1/hash-chain${path}`, { token });
  const [anchor] = assertOk(await get('/anchors?limit=1')).body.data;
  const at = `/anchors/${anchor.anchorId}`;
  const sequence = `sequence=${hashChain.sequence}`;
  const reads = [
    '/anchors',
    '/entries',
    `/entry/${traceId}`,
    `${at}/proof?${sequence}`,
    `${at}/tlog-proof`,
    `${at}/tlog-proof?${sequence}`,
    `${at}/receipt?${sequence}`,
    `${at}/statement?${sequence}`,
  ];
  for (const path of reads) {
    const grown = await growBeforeReads(async () =>
      expect((await get(path)).status, path).toBe(200),
    );
    expect(grown, path).toBeGreaterThan(0);
  }
  await growBeforeReads(async () => {
    const path = '/api/v1/hash-chain/promise/check';
    const checked = await harness.app.call('POST', path, { token, body: hashChain });
    expect(assertOk(checked).body.data).toMatchObject({ verdict: 'kept', reason: null });
  });
});

it('public tiles and checkpoints hold as well', async () => {
  const [anchor] = assertOk(
    await harness.app.call('GET', '/api/v1/hash-chain/anchors?limit=1', { token: ada.token }),
  ).body.data;
  const id = anchor.origin.split('/').at(-1);
  const width = anchor.treeSize % 256;
  const number = String(Math.floor(anchor.treeSize / 256)).padStart(3, '0');
  for (const path of [
    'checkpoint',
    `tile/0/${number}.p/${width}`,
    `tile/entries/${number}.p/${width}`,
  ])
    await growBeforeReads(async () =>
      expect((await harness.app.call('GET', `/log/${id}/${path}`)).status, path).toBe(200),
    );
});

type Rows = ReturnType<typeof harness.db.collection>;

/** The database, with other ways to reach the members of some collections. */
function changeReads(name: RegExp, change: (rows: Rows) => object): typeof harness.db {
  const override = <T extends object>(target: T, members: object): T =>
    new Proxy(target, {
      get(_, member) {
        const found: unknown = Reflect.get(member in members ? members : target, member);
        return typeof found === 'function' ? found.bind(target) : found;
      },
    });
  return override(harness.db, {
    collection(named: string) {
      const rows = harness.db.collection(named);
      return name.test(named) ? override(rows, change(rows)) : rows;
    },
  });
}

/** A cursor whose log grows before it is read. */
function growBeforeRead(cursor: ReturnType<Rows['find']>): object {
  return {
    sort: (by: never) => growBeforeRead(cursor.sort(by)),
    batchSize: (count: number) => growBeforeRead(cursor.batchSize(count)),
    toArray: () => growLog().then(() => cursor.toArray()),
    async *[Symbol.asyncIterator]() {
      await growLog();
      yield* cursor;
    },
  };
}

it('the heads of a log, and the heads log, are what was signed, whenever they grow', async () => {
  const { organizationId } = ada;
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  const db = changeReads(/^(logs|log_heads|log_tiles|heads_leaves)$/, (rows) => ({
    findOne: (...args: []) => growLog().then(() => rows.findOne(...args)),
    find: (...args: []) => growBeforeRead(rows.find(...args)),
  }));
  const chain = { db, chain: DECISIONS, organizationId, logKeys: body.logKeys };
  const signed = await readSignedTreeHeads(chain);
  expect(signed.broken).toBeNull();
  expect(await findSignedBreak(chain, signed, null)).toBeNull();
  expect(await findHeadsBreak({ db, logKeys: body.logKeys })).toBeNull();
});

it('an audit log that is opened while the logs are read is no lost one', async () => {
  const { organizationId } = ada;
  const { body } = assertOk(await harness.app.call('GET', '/.well-known/assay-log'));
  let isMoved = false;
  const logs = harness.db.collection('logs');
  const audit = (await logs.findOne({ chain: 'audit' }))!;
  await logs.deleteOne({ _id: audit._id });
  const db = changeReads(/^log_heads$/, (heads) => ({
    async findOne(filter: { logId: unknown }, options: object) {
      if (typeof filter.logId === 'object' && !isMoved) await logs.insertOne(audit);
      isMoved ||= typeof filter.logId === 'object';
      return heads.findOne(filter as object, options);
    },
  }));
  const chain = { db, chain: DECISIONS, organizationId, logKeys: body.logKeys };
  expect((await readSignedTreeHeads(chain)).broken).toBeNull();
  expect(isMoved).toBe(true);
});

it('a checkpoint whose key began to sign while it was verified is signed', async () => {
  const { exec } = Query.prototype;
  let reads = 0;
  Query.prototype.exec = async function (this: Query<unknown, unknown>, ...args) {
    const found = await exec.apply(this, args);
    if (this.model.collection.name !== 'log_keys' || !found) return found;
    // As it was before the key was replaced: once for each verification.
    const isOld = reads++ % 2 === 0;
    return isOld ? { ...found, publicKey: Buffer.alloc(32).toString('base64') } : found;
  } as typeof exec;
  const { token } = ada;
  try {
    const chain = await harness.app.call('POST', '/api/v1/hash-chain/verify', { token });
    expect(assertOk(chain).body.data).toMatchObject({ verified: true });
    const audit = await harness.app.call('GET', '/api/v1/audit/verify', { token });
    expect(assertOk(audit).body.data).toMatchObject({ verified: true });
    expect(await checkHeads(harness.app.instance.platform)).toBeNull();
  } finally {
    Query.prototype.exec = exec;
  }
  expect(reads).toBe(6);
});
