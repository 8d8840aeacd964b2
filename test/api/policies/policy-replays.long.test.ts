// Replays over HTTP: what a candidate would have changed, undetermined decisions, resuming after a restart.
// @module-tag long
import { beforeAll, expect, test, vi } from 'vitest';
import { runReplays } from '../../../src/policies/replay/replay-runner.service.ts';
import { listAuditEntries, createMember, toObjectId } from '../../setup/harness.ts';
import { useOwnHarness, useOwner } from '../../setup/fixtures.ts';
import {
  createAgent,
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../setup/personas.ts';
import { startApp, type Answer } from '../../setup/start-app.ts';

const path = '/api/v1/policies';
const harness = useOwnHarness();
const { app } = harness;
const eve = useOwner(harness, 'Eve');

/** Holds the job's lease, so that replays go on only when a test runs them. */
beforeAll(async () => {
  const lease = { holder: 'a test', until: new Date('2999-01-01') };
  await harness.db
    .collection<{ _id: string }>('leases')
    .updateOne({ _id: 'job:policies.replay' }, { $set: lease }, { upsert: true });
});

const post = (who: Owner, below: string, body: unknown = undefined): Promise<Answer> =>
  app.call('POST', path + below, { token: who.token, body });
const get = (who: Owner, below: string): Promise<Answer> =>
  app.call('GET', path + below, { token: who.token });

interface Desk {
  owner: Owner;
  /** Posts decisions on these actions; answers their trace ids. */
  decide(...actions: (string | object)[]): Promise<string[]>;
}

async function newDesk(agentId = 'desk'): Promise<Desk> {
  const owner = await createOwner(app, 'Desk');
  const { key } = await createWorkspaceKey(app, owner);
  return {
    owner,
    async decide(...actions) {
      const ids: string[] = [];
      for (const action of actions) {
        const body = buildDecision(agentId, { outputDecision: { action } });
        await app.call('POST', '/api/v1/traces', { key, body });
      }
      const { data } = assertOk(
        await app.call('GET', `/api/v1/traces?limit=${actions.length}`, { token: owner.token }),
      ).body;
      for (const trace of data) ids.unshift(trace.traceId as string);
      return ids;
    },
  };
}

const on = (value: string, type = 'block', more: object = {}): object => ({
  name: `On ${value}`,
  conditions: [{ field: 'outputDecision.action', operator: 'contains', value }],
  actions: [{ type }],
  ...more,
});

async function made(owner: Owner, body: object): Promise<string> {
  return assertOk(await post(owner, '', body)).body.data.id as string;
}

async function replayed(owner: Owner, below: string, body: object = {}) {
  const started = await post(owner, below, body);
  expect(started.status).toBe(202);
  expect(started.body.data).toMatchObject({ state: 'queued', total: null, done: 0 });
  await app.instance.runJobsOnce();
  return assertOk(await get(owner, `/replays/${started.body.data.id}`)).body.data;
}

const NOTHING = {
  allowToBlock: 0,
  blockToAllow: 0,
  cannotTell: 0,
  approvedToFlagged: 0,
  flaggedToApproved: 0,
  halting: 0,
};

test('the live set replayed gives the verdicts of the day, also where values were scrubbed', async () => {
  const { owner, decide } = await newDesk();
  const id = await made(owner, on('bob@example.org'));
  await made(owner, on('maybe', 'flag_for_review'));
  await decide('mail bob@example.org', 'mail eve@example.org', 'maybe', 'reply', { tool: 'wipe' });
  expect(await replayed(owner, `/${id}/replay`)).toMatchObject({
    ...NOTHING,
    state: 'done',
    total: 5,
    done: 5,
    unchanged: 5,
    examples: [],
    finishedAt: expect.any(String),
  });
});

test('a new policy joins the live set: what it would have blocked and held', async () => {
  const { owner, decide } = await newDesk();
  await made(owner, on('wipe'));
  const [, second] = await decide('wipe', 'send', 'reply');
  const found = await replayed(owner, '/_new/replay', { policy: on('send') });
  expect(found).toMatchObject({ ...NOTHING, total: 3, done: 3, allowToBlock: 1, unchanged: 2 });
  expect(found.examples).toEqual([
    {
      traceId: second,
      change: 'allowToBlock',
      from: 'approved',
      to: 'blocked',
      matched: [expect.any(String)],
      because: null,
    },
  ]);
  const halts = [{ type: 'block', config: { halt: 'agent' } }];
  const stopping = { policy: on('e', 'block', { actions: halts }) };
  expect(await replayed(owner, '/_new/replay', stopping)).toMatchObject({ halting: 3 });
  const held = await replayed(owner, '/_new/replay', { policy: on('e', 'flag_for_review') });
  expect(held).toMatchObject({ ...NOTHING, approvedToFlagged: 2, unchanged: 3 });
});

test('a limit counts as not reached, but where it was on the day', async () => {
  const { owner, decide } = await newDesk();
  const limit = { of: 'acts', per: 'agent', window: '1h', most: 1 };
  const limited = on('send', 'block', { actions: [{ type: 'block', config: { limit } }] });
  await decide('send', 'reply');
  const candidate = await replayed(owner, '/_new/replay', { policy: limited });
  expect(candidate).toMatchObject({ ...NOTHING, total: 2, unchanged: 2 });
  const id = await made(owner, limited);
  await decide('send', 'send', 'send');
  const live = await replayed(owner, `/${id}/replay`);
  expect(live).toMatchObject({ ...NOTHING, total: 5, unchanged: 5 });
});

test('a candidate takes the place of its policy: what it would have let pass', async () => {
  const { owner, decide } = await newDesk();
  const id = await made(owner, on('wipe'));
  await decide('wipe', 'wipe all', 'reply');
  const weaker = { policy: on('wipe all') };
  expect(await replayed(owner, `/${id}/replay`, weaker)).toMatchObject({
    ...NOTHING,
    blockToAllow: 1,
    unchanged: 2,
  });
  const held = { policy: on('wipe', 'flag_for_review') };
  expect(await replayed(owner, `/${id}/replay`, held)).toMatchObject({
    ...NOTHING,
    blockToAllow: 2,
    unchanged: 1,
  });
  const without = { policy: on('wipe', 'block', { enabled: false }) };
  expect(await replayed(owner, `/${id}/replay`, without)).toMatchObject({
    ...NOTHING,
    blockToAllow: 2,
    unchanged: 1,
  });
});

test(
  'earlier decisions are compared by the revisions of their day',
  { tags: ['long'] },
  async () => {
    const { owner, decide } = await newDesk();
    const id = await made(owner, on('bob@example.org'));
    await decide('mail bob@example.org');
    assertOk(await app.call('PATCH', `${path}/${id}`, { token: owner.token, body: on('reply') }));
    await decide('reply');
    const found = await replayed(owner, `/${id}/replay`);
    // The first decision was blocked by a condition that the policy no longer has.
    expect(found).toMatchObject({ total: 2, allowToBlock: 0, unchanged: 1 });
    expect(found.blockToAllow + found.cannotTell).toBe(1);
  },
);

test(
  'a condition on a scrubbed, unstored or erased value counts as undetermined, with the reason',
  { tags: ['long'] },
  async () => {
    const { owner, decide } = await newDesk();
    await decide('mail bob@example.org');
    expect(await replayed(owner, '/_new/replay', { policy: on('bob') })).toMatchObject({
      ...NOTHING,
      unchanged: 0,
      cannotTell: 1,
      cannotTellBecause: { erased: 0, unstored: 0, scrubbed: 1, engine: 0, error: 0 },
      examples: [{ change: 'cannotTell', from: 'approved', to: null, because: 'scrubbed' }],
    });
    const byTag = {
      conditions: [{ field: 'tags', operator: 'contains', value: 'PII_EMAIL' }],
      actions: [{ type: 'block' }],
    };
    expect(await replayed(owner, '/_new/replay', { policy: byTag })).toMatchObject({
      allowToBlock: 1,
      cannotTell: 0,
    });

    const [trace] = assertOk(await app.call('GET', '/api/v1/traces', { token: owner.token })).body
      .data;
    assertOk(
      await app.call('POST', '/api/v1/traces/bulk-delete', {
        token: owner.token,
        body: { ids: [trace._id] },
      }),
    );
    // Score and tags outlive an erasure, and what was said does not.
    expect(await replayed(owner, '/_new/replay', { policy: byTag })).toMatchObject({
      allowToBlock: 1,
      cannotTell: 0,
    });
    expect(await replayed(owner, '/_new/replay', { policy: on('mail') })).toMatchObject({
      cannotTell: 1,
      cannotTellBecause: { erased: 1 },
    });

    const quiet = await newDesk('quiet');
    const { id: agentId } = await createAgent(app, quiet.owner, 'quiet');
    const silent = { token: quiet.owner.token, body: { logPayloads: false } };
    assertOk(await app.call('PATCH', `/api/v1/agents/${agentId}/policies`, silent));
    await quiet.decide('reply');
    expect(await replayed(quiet.owner, '/_new/replay', { policy: on('reply') })).toMatchObject({
      cannotTell: 1,
      cannotTellBecause: { unstored: 1 },
    });
  },
);

test(
  'no more decisions than asked for, the newest, and none that came after the start',
  { tags: ['long'] },
  async () => {
    const { owner, decide } = await newDesk();
    await decide('old', 'send', 'send');
    const started = assertOk(
      await post(owner, '/_new/replay', { policy: on(''.padEnd(1, 'e')), limit: 2 }),
    ).body.data;
    await decide('later e');
    await app.instance.runJobsOnce();
    expect((await get(owner, `/replays/${started.id}`)).body.data).toMatchObject({
      total: 2,
      done: 2,
      allowToBlock: 2,
    });
  },
);

test('a replay without decisions is done at once', async () => {
  const { owner } = await newDesk();
  expect(await replayed(owner, '/_new/replay', { policy: on('x') })).toMatchObject({
    ...NOTHING,
    state: 'done',
    total: 0,
    done: 0,
  });
});

test(
  'a replay begun by another instance resumes where it stopped',
  { tags: ['long'] },
  async () => {
    const { owner, decide } = await newDesk();
    await decide('send', 'send', 'send');
    const { id } = assertOk(await post(owner, '/_new/replay', { policy: on('send') })).body.data;
    const [newest] = assertOk(
      await app.call('GET', '/api/v1/traces?limit=1', { token: owner.token }),
    ).body.data;
    await harness.db.collection('policy_replays').updateOne(
      { _id: toObjectId(id as string) },
      {
        $set: {
          state: 'running',
          total: 3,
          done: 1,
          below: newest.hashChain.sequence as number,
          allowToBlock: 1,
        },
      },
    );
    const second = await startApp({}, { mongoUri: harness.mongoUri });
    try {
      await second.instance.runJobsOnce();
    } finally {
      await second.stop();
    }
    expect((await get(owner, `/replays/${id}`)).body.data).toMatchObject({
      state: 'done',
      total: 3,
      done: 3,
      allowToBlock: 3,
    });
  },
);

test(
  'history is judged in a thread of its own: where none can be started, a replay fails in the end',
  { tags: ['long'] },
  async () => {
    const { owner, decide } = await newDesk();
    await decide('send');
    const { id } = assertOk(await post(owner, '/_new/replay', { policy: on('send') })).body.data;
    const noThreads = { mongoUri: harness.mongoUri, threadScripts: import.meta.url };
    const second = await startApp({}, noThreads);
    try {
      while ((await runReplays(second.instance.platform)) > 0);
    } finally {
      await second.stop();
    }
    expect((await get(owner, `/replays/${id}`)).body.data).toMatchObject({
      state: 'failed',
      done: 0,
      finishedAt: expect.any(String),
    });
  },
);

test(
  'beside ingestion that never pauses a replay ends all the same',
  { tags: ['long'], timeout: 90_000 },
  async () => {
    const { owner, decide } = await newDesk();
    await decide(...Array.from({ length: 50 }, () => 'send'));
    const { key } = await createWorkspaceKey(app, owner);
    const { id } = assertOk(await post(owner, '/_new/replay', { policy: on('send') })).body.data;
    let isDone = false;
    const ingesting = Array.from({ length: 4 }, async () => {
      while (!isDone)
        assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('desk') }));
    });
    const goOn = async () => {
      await runReplays(app.instance.platform);
      return assertOk(await get(owner, `/replays/${id}`)).body.data as object;
    };
    await expect.poll(goOn, { timeout: 60_000 }).toMatchObject({ state: 'done', allowToBlock: 50 });
    isDone = true;
    await Promise.all(ingesting);
  },
);

test('a stretch that is over before it judges anything still judges one portion', async () => {
  const { owner, decide } = await newDesk();
  await decide('refund');
  const { id } = assertOk(await post(owner, '/_new/replay', { policy: on('refund') })).body.data;
  // As where the count takes longer than a stretch: each look at the clock is a second later.
  let elapsed = 0;
  const looking = vi.spyOn(performance, 'now').mockImplementation(() => (elapsed += 1000));
  await runReplays(app.instance.platform);
  looking.mockRestore();
  expect((await get(owner, `/replays/${id}`)).body.data).toMatchObject({ state: 'done', done: 1 });
});

test(
  'organisations are served in rotation, however many replays one has',
  { tags: ['long'] },
  async () => {
    const [mallory, grace] = [await newDesk(), await newDesk()];
    const finished = async ({ owner }: Desk): Promise<number[]> => {
      const own = { organizationId: toObjectId(owner.organizationId) };
      const replays = await harness.db.collection('policy_replays').find(own).toArray();
      return replays.map(({ finishedAt }) => Number(finishedAt));
    };
    await mallory.decide('refund');
    await grace.decide('refund');
    for (const { owner } of [...Array.from({ length: 5 }, () => mallory), grace])
      expect((await post(owner, '/_new/replay', { policy: on('refund') })).status).toBe(202);
    await app.instance.runJobsOnce();
    const [own = NaN] = await finished(grace);
    const before = (await finished(mallory)).filter((at) => at < own);
    expect(before.length).toBeLessThanOrEqual(1);
  },
);

test('a replay is cancelled once, and does not go on', async () => {
  const { owner, decide } = await newDesk();
  await decide('send');
  const { id } = assertOk(await post(owner, '/_new/replay', { policy: on('send') })).body.data;
  expect(assertOk(await post(owner, `/replays/${id}/cancel`)).body.data).toMatchObject({
    id,
    state: 'cancelled',
  });
  await app.instance.runJobsOnce();
  expect((await get(owner, `/replays/${id}`)).body.data).toMatchObject({
    state: 'cancelled',
    done: 0,
  });
  expect(await post(owner, `/replays/${id}/cancel`)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_OPERATION' },
  });
  expect((await listAuditEntries(app, owner, 'limit=5')).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['policy.replay.start', 'policy.replay.cancel']),
  );
});

test(
  'at most five replays run, managers begin them, and they are hidden from other organisations',
  { tags: ['long'] },
  async () => {
    const { owner } = await newDesk();
    const id = await made(owner, on('x'));
    const member = await createMember(harness, owner, 'member');
    expect((await post(member, `/${id}/replay`, {})).status).toBe(403);
    const begun: string[] = [];
    for (let i = 0; i < 5; i++)
      begun.push(assertOk(await post(owner, `/${id}/replay`, {})).body.data.id as string);
    expect(await post(owner, '/_new/replay', { policy: on('x') })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_OPERATION' },
    });
    expect((await get(member, `/replays/${begun[0]}`)).status).toBe(200);
    expect((await get(eve, `/replays/${begun[0]}`)).status).toBe(404);
    expect((await post(eve, `/replays/${begun[0]}/cancel`)).status).toBe(404);
    expect((await post(eve, `/${id}/replay`, {})).status).toBe(404);
    await app.instance.runJobsOnce();
    expect((await post(owner, `/${id}/replay`, {})).status).toBe(202);
  },
);

test.each([{}, { policy: {} }, { policy: on('x'), limit: 0 }, { policy: on('x'), limit: 100_001 }])(
  '%j is refused',
  async (body) => {
    expect(await post(eve, '/_new/replay', body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
  },
);
