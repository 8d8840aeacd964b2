// A repeated request gets the first answer and is not executed again (document 1, section 8).
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import {
  buildDecision,
  assertOk,
  createOwner,
  createWorkspaceKey,
  createAgent,
  PASSWORD,
} from '../../../setup/personas.ts';
import { toObjectId, startHarness } from '../../../setup/harness.ts';
import { startApp, type Answer, type Call } from '../../../setup/start-app.ts';

let key: string;
/** Milliseconds that the app's clock is ahead. */
let ahead = 0;
/** While set, ingestion stops after the named step. */
let stall: { step: string; until: Promise<void> } | null = null;
const harness = useHarness(
  {},
  {
    clock: { now: () => new Date(Date.now() + ahead) },
    probe: (step) => (step === stall?.step ? stall.until : undefined),
  },
);
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
  for (const [value, type] of [
    ['refund', 'flag_for_review'],
    ['wire', 'block'],
  ]) {
    const conditions = [{ field: 'outputDecision.action', operator: 'equals', value }];
    const body = { name: value, conditions, actions: [{ type }] };
    assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
  }
});

const post = (call: Call, onceKey?: string): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', {
    key,
    ...call,
    headers: { ...call.headers, ...(onceKey !== undefined && { 'idempotency-key': onceKey }) },
  });
const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';
const count = ({ organizationId } = ada) =>
  harness.db.collection('ledger').countDocuments({ organizationId: toObjectId(organizationId) });

/** Both answers are the same in status and body, and only the second is a replay. */
function expectReplay(first: Answer, second: Answer): void {
  expect([second.status, second.body]).toEqual([first.status, first.body]);
  expect([replayed(first), replayed(second)]).toEqual([false, true]);
}

let made = 0;
const newKey = () => `key-${(made += 1)}`;

describe('a replay', () => {
  test.each([
    [201, 'reply'],
    [202, 'refund'],
    [403, 'wire'],
  ])('of a %i is that answer, to the letter', async (status, action) => {
    const body = buildDecision('x', { outputDecision: { action } });
    const [first, second] = [await post({ body }), await post({ body })];
    expect(first.status).toBe(status);
    expectReplay(first, second);
  });

  test('needs no header when the body is the same to the byte, and only then', async () => {
    const raw = JSON.stringify(buildDecision('x'));
    const before = await count();
    expectReplay(await post({ raw }), await post({ raw }));
    expect(replayed(await post({ raw: `${raw} ` }))).toBe(false);
    expect(await count()).toBe(before + 2);
  });

  test('with a header compares the key without case, and ignores the body', async () => {
    const once = newKey();
    const first = await post({ body: buildDecision('x') }, once);
    const other = buildDecision('x', { rationale: 'another' });
    expectReplay(first, await post({ body: other }, once.toUpperCase()));
    expect(replayed(await post({ body: buildDecision('x') }, newKey()))).toBe(false);
  });

  test('a key from a header never equals a derived one', async () => {
    const body = buildDecision('x');
    expect(replayed(await post({ body }))).toBe(false);
    expect(replayed(await post({ body }, newKey()))).toBe(false);
  });

  test('a key may have 256 characters and no more', async () => {
    const longest = 'k'.repeat(256);
    expectReplay(
      await post({ body: buildDecision('x') }, longest),
      await post({ body: buildDecision('x') }, longest),
    );
    const { status, body } = await post({ body: buildDecision('x') }, `${longest}k`);
    expect([status, body.code]).toEqual([400, 'SVC_VALIDATION_FAILED']);
  });

  test('another organisation with the same key and body is another request', async () => {
    const bob = await createOwner(app, 'Bob');
    const { key: bobs } = await createWorkspaceKey(app, bob);
    const [body, once] = [buildDecision('x'), newKey()];
    const [mine, theirs] = [await post({ body }, once), await post({ key: bobs, body }, once)];
    expect(replayed(theirs)).toBe(false);
    expect(theirs.body.data.traceId).not.toBe(mine.body.data.traceId);
    expect(replayed(await post({ key: bobs, body }))).toBe(false);
  });

  test('of another workspace is refused to a key that is bound to its own', async () => {
    const name = { token: ada.token, body: { name: 'Lab' } };
    const { _id: lab } = assertOk(await app.call('POST', '/api/v1/workspaces', name)).body.data;
    const { key: bound } = await createWorkspaceKey(app, ada, { workspaceId: lab });
    const once = newKey();
    const first = await post({ body: buildDecision('x') }, once);
    const { traceId } = first.body.data;
    for (const call of [{ body: buildDecision('x') }, { body: {} }, { raw: '{' }]) {
      const other = await post({ key: bound, ...call }, once);
      expect([other.status, other.body.code]).toEqual([409, 'CONFLICT']);
      expect(other.text).not.toContain(traceId);
    }
    expectReplay(first, await post({ body: buildDecision('x') }, once));
  });

  test('of an erased decision is 410 for the day of its key, and records nothing', async () => {
    const [once, body] = [newKey(), buildDecision('x')];
    const traceIds: string[] = [];
    for (const given of [once, undefined])
      traceIds.push(assertOk(await post({ body }, given)).body.data.traceId);
    const found = harness.db.collection('ledger').find({ traceId: { $in: traceIds } });
    const ids = (await found.toArray()).map(({ _id }) => String(_id));
    const erase = { token: ada.token, body: { ids } };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', erase));
    const before = await count();
    for (const given of [once, undefined]) {
      const again = await post({ body }, given);
      expect([again.status, again.body.code]).toEqual([410, 'DECISION_ERASED']);
      for (const traceId of traceIds) expect(again.text).not.toContain(traceId);
    }
    expect((await post({ body: {} }, once)).status).toBe(410);
    expect(await count()).toBe(before);
  });

  test('comes before validation, even if the repeated request is invalid', async () => {
    const once = newKey();
    const first = await post({ body: buildDecision('x') }, once);
    for (const call of [
      { body: {} },
      { body: buildDecision('') },
      { body: buildDecision(' \t\u00a0') },
      { body: { agentId: null } },
      { raw: '{' },
      { body: buildDecision('x', { schemaVersion: 'v0' }) },
      { body: buildDecision('x', { metadata: { s: 'x'.repeat(3_000_000) } }) },
      { raw: 'a=b', headers: { 'content-type': 'text/plain' } },
    ])
      expectReplay(first, await post(call, once));
  });

  test('is no way around the scope of an agent key', async () => {
    const [bot, other] = [await createAgent(app, ada), await createAgent(app, ada)];
    const body = buildDecision(bot.id);
    expectReplay(await post({ key: bot.key, body }), await post({ key: bot.key, body }));
    expect((await post({ key: other.key, body })).status).toBe(403);
  });

  describe('of another agent', () => {
    const CONFLICT = [409, 'CONFLICT', undefined];
    const toOutcome = ({ status, body }: Answer) => [status, body.code, body.data];

    test('is a conflict: what was approved for one is not for the other', async () => {
      const [bot, other] = [await createAgent(app, ada), await createAgent(app, ada)];
      const once = newKey();
      const harmless = buildDecision(bot.id, { outputDecision: { action: 'reply' } });
      const wire = buildDecision(other.id, { outputDecision: { action: 'wire' } });
      const first = await post({ body: harmless, key: bot.key }, once);
      expect(first.status).toBe(201);
      const before = await count();
      expect(toOutcome(await post({ body: wire, key: other.key }, once))).toEqual(CONFLICT);
      expect(toOutcome(await post({ body: wire }, once))).toEqual(CONFLICT);
      expect((await post({ body: wire, key: other.key }, newKey())).status).toBe(403);
      expect(await count()).toBe(before + 1);
      expectReplay(first, await post({ body: harmless, key: bot.key }, once));
    });

    test('is a conflict also for unregistered agents, whose names are personal', async () => {
      const once = newKey();
      const first = await post({ body: buildDecision('ann@example.com') }, once);
      expectReplay(first, await post({ body: buildDecision('ann@example.com') }, once));
      expect(toOutcome(await post({ body: buildDecision('bob@example.com') }, once))).toEqual(
        CONFLICT,
      );
    });

    test('is a conflict also if the repeated request is invalid', async () => {
      const [bot, other] = [await createAgent(app, ada), await createAgent(app, ada)];
      const once = newKey();
      const first = await post({ body: buildDecision(bot.id), key: bot.key }, once);
      for (const raw of ['{', '{}', JSON.stringify({ agentId: bot.id }), 'x'.repeat(3_000_001)]) {
        expect(toOutcome(await post({ raw, key: other.key }, once))).toEqual(CONFLICT);
        expectReplay(first, await post({ raw, key: bot.key }, once));
        expectReplay(first, await post({ raw }, once));
      }
      const named = JSON.stringify({ agentId: other.id });
      expect(toOutcome(await post({ raw: named }, once))).toEqual(CONFLICT);
    });

    test('is a conflict also if only the database holds the first answer', async () => {
      const [bot, other] = [await createAgent(app, ada), await createAgent(app, ada)];
      const once = newKey();
      const first = await post({ body: buildDecision(bot.id) }, once);
      const second = await startApp({}, { mongoUri: harness.mongoUri });
      const there = (agentId: string): Promise<Answer> => {
        const headers = { 'idempotency-key': once };
        return second.call('POST', '/api/v1/traces', {
          key,
          headers,
          body: buildDecision(agentId),
        });
      };
      expect(toOutcome(await there(other.id))).toEqual(CONFLICT);
      expectReplay(first, await there(bot.id));
      await second.stop();
    });
  });

  test('stores no content of the request: the key is a digest under a secret', async () => {
    const once = `canary-${newKey()}`;
    const { traceId } = (await post({ body: buildDecision('x') }, once)).body.data;
    const stored = await harness.db.collection('ledger').findOne({ traceId });
    expect(stored?.idempotencyKey.buffer).toHaveLength(16);
    expect(JSON.stringify(stored)).not.toContain('canary');
  });
});

describe('a refusal', () => {
  test('releases the key', async () => {
    const once = newKey();
    expect((await post({ body: {} }, once)).status).toBe(400);
    const corrected = await post({ body: buildDecision('x') }, once);
    expect([corrected.status, replayed(corrected)]).toEqual([201, false]);
  });
});

describe('concurrent duplicates', () => {
  test(
    '100 keys, 10 posts each: 100 decisions, ten equal answers each',
    { tags: ['long'] },
    async () => {
      const before = await count();
      const keys = Array.from({ length: 100 }, newKey);
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => keys)
          .flat()
          .map(async (once) => ({ once, answer: await post({ body: buildDecision('x') }, once) })),
      );
      expect(await count()).toBe(before + 100);
      for (const once of keys) {
        const same = answers.filter((entry) => entry.once === once).map(({ answer }) => answer);
        expect(new Set(same.map(({ text, status }) => `${status}${text}`)).size).toBe(1);
        expect(same.filter((answer) => !replayed(answer))).toHaveLength(1);
      }
    },
  );

  test('on two instances are decided by the unique index', { tags: ['long'] }, async () => {
    const second = await startHarness({}, { mongoUri: harness.mongoUri });
    try {
      const before = await count();
      const keys = Array.from({ length: 20 }, newKey);
      const answers = await Promise.all(
        keys.flatMap((once) =>
          [app, second.app].map((instance) =>
            instance.call('POST', '/api/v1/traces', {
              key,
              body: buildDecision('x'),
              headers: { 'idempotency-key': once },
            }),
          ),
        ),
      );
      expect(await count()).toBe(before + 20);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      for (let at = 0; at < answers.length; at += 2)
        expect(answers[at]?.body).toEqual(answers[at + 1]?.body);
    } finally {
      await second.stop();
    }
  });
});

describe('the time-out of an agent', () => {
  test('is 503 with Retry-After; the retry gets the right answer, and there is one decision', async () => {
    const bot = await createAgent(app, ada);
    const path = `/api/v1/agents/${bot.id}/policies`;
    const limitTime = async (timeoutMs: number) =>
      assertOk(await app.call('PATCH', path, { token: ada.token, body: { timeoutMs } }));
    assertOk(await post({ body: buildDecision(bot.id) }));
    await limitTime(100);
    const before = await count();
    const body = buildDecision(bot.id, { outputDecision: { action: 'refund' } });
    let goOn = () => {};
    stall = { step: 'before-insert', until: new Promise((resolve) => (goOn = resolve)) };
    const [late, again] = [await post({ key: bot.key, body }), await post({ key: bot.key, body })];
    for (const answer of [late, again]) {
      expect([answer.status, answer.body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    stall = null;
    goOn();
    await expect.poll(() => count()).toBe(before + 1);
    await limitTime(30_000);
    const retried = await post({ key: bot.key, body });
    expect([retried.status, replayed(retried)]).toEqual([202, true]);
    expect(await count()).toBe(before + 1);
  });
});

describe('after 24 hours', () => {
  const DAY = 24 * 60 * 60 * 1000;
  /** Sessions end earlier. */
  async function signIn(): Promise<string> {
    const body = { email: ada.email, password: PASSWORD };
    return assertOk(await app.call('POST', '/api/v1/auth/login', { body })).body.data
      .token as string;
  }

  test('the same key starts a new request; just before it still replays', async () => {
    const [kept, freed] = [newKey(), newKey()];
    const [first, old] = [
      await post({ body: buildDecision('x') }, kept),
      await post({ body: buildDecision('x') }, freed),
    ];
    ahead += DAY - 60_000;
    expectReplay(first, await post({ body: buildDecision('x') }, kept));
    ahead += 120_000;
    const fresh = await post({ body: buildDecision('x') }, freed);
    expect([fresh.status, replayed(fresh)]).toEqual([201, false]);
    expect(fresh.body.data.traceId).not.toBe(old.body.data.traceId);
    expectReplay(fresh, await post({ body: buildDecision('x') }, freed));
  });

  test('the key of an erased decision can be used again as well', async () => {
    const once = newKey();
    const { traceId } = assertOk(await post({ body: buildDecision('x') }, once)).body.data;
    const stored = await harness.db.collection('ledger').findOne({ traceId });
    const erase = { token: await signIn(), body: { ids: [stored?._id] } };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', erase));
    expect((await post({ body: buildDecision('x') }, once)).status).toBe(410);
    ahead += DAY + 60_000;
    expect((await post({ body: buildDecision('x') }, once)).status).toBe(201);
  });

  test('the slow job removes old keys', { tags: ['long'] }, async () => {
    const { traceId } = (await post({ body: buildDecision('x') }, newKey())).body.data;
    const kept = async () =>
      'idempotencyKey' in ((await harness.db.collection('ledger').findOne({ traceId })) ?? {});
    await app.instance.runJobsOnce();
    expect(await kept()).toBe(true);
    ahead += DAY + 60_000;
    await app.instance.runJobsOnce();
    expect(await kept()).toBe(false);
  });
});

test('a deleted decision keeps its key for a day, also on an instance that has not cached it', async () => {
  const body = buildDecision('x');
  const first = await post({ body });
  const { _id } =
    (await harness.db.collection('ledger').findOne({ traceId: first.body.data.traceId })) ?? {};
  const signedIn = { email: ada.email, password: PASSWORD };
  const session = assertOk(await app.call('POST', '/api/v1/auth/login', { body: signedIn }));
  const erase = { token: session.body.data.token, body: { ids: [_id] } };
  assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', erase));
  const second = await startHarness(
    {},
    { mongoUri: harness.mongoUri, clock: { now: () => new Date(Date.now() + ahead) } },
  );
  try {
    const again = await second.app.call('POST', '/api/v1/traces', { key, body });
    expect([again.status, again.body.code]).toEqual([410, 'DECISION_ERASED']);
  } finally {
    await second.stop();
  }
});

test('an answer that one instance gave is not repeated from memory once another has erased it', async () => {
  const body = buildDecision('erased elsewhere');
  const second = await startHarness(
    {},
    { mongoUri: harness.mongoUri, clock: { now: () => new Date(Date.now() + ahead) } },
  );
  try {
    const there = { key, body };
    const first = assertOk(await second.app.call('POST', '/api/v1/traces', there));
    const again = assertOk(await second.app.call('POST', '/api/v1/traces', there));
    expect(again.body.data.traceId).toBe(first.body.data.traceId);
    const where = { traceId: first.body.data.traceId };
    const { _id } = (await harness.db.collection('ledger').findOne(where)) ?? {};
    const signedIn = { email: ada.email, password: PASSWORD };
    const session = assertOk(await app.call('POST', '/api/v1/auth/login', { body: signedIn }));
    const erase = { token: session.body.data.token, body: { ids: [_id] } };
    assertOk(await app.call('POST', '/api/v1/traces/bulk-delete', erase));
    const late = await second.app.call('POST', '/api/v1/traces', there);
    expect([late.status, late.body.code]).toEqual([410, 'DECISION_ERASED']);
  } finally {
    await second.stop();
  }
});
