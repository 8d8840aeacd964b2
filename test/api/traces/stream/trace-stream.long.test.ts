// The event stream: follows the ledger, resumes, ends with its session, reports bad tokens (document 2, section 4.1).
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createCopier } from '../../../setup/copies.ts';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { changeMembership, createMember } from '../../../setup/harness.ts';
import {
  createOwner,
  createWorkspaceKey,
  buildDecision,
  assertOk,
  type Owner,
} from '../../../setup/personas.ts';
import { type Answer, toOutcome, startApp } from '../../../setup/start-app.ts';
import { type EventReader, openReader } from './event-reader.ts';

const harness = useHarness({ ASSAY_LIMIT_STREAMS: '4', ASSAY_LIMIT_STREAMS_USER: '3' });
const { app } = harness;
const ada = useOwner(harness);
const SOON = { timeout: 30_000 };
let key: string;
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const readers: EventReader[] = [];
afterEach(async () => {
  const closing = readers.splice(0);
  for (const reader of closing) reader.close();
  await expect.poll(() => closing.every((reader) => reader.hasEnded())).toBe(true);
});

async function read(query: string, headers = {}, url = app.url): Promise<EventReader> {
  const reader = await openReader(`${url}/api/v1/traces/stream?${query}`, headers);
  readers.push(reader);
  return reader;
}
async function mint({ token }: Owner = ada, headers = {}): Promise<string> {
  const call = { token, headers };
  return assertOk(await app.call('POST', '/api/v1/auth/stream-token', call)).body.data.streamToken;
}
const follow = async (who: Owner = ada, headers = {}): Promise<EventReader> =>
  read(`stream_token=${await mint(who)}`, headers);
const post = async (more: object = {}, by = key): Promise<Answer['body']> =>
  assertOk(await app.call('POST', '/api/v1/traces', { key: by, body: buildDecision('x', more) }))
    .body.data;
const idOf = ({ hashChain }: Answer['body']): string => String(hashChain.sequence);

describe('a reader', () => {
  test('gets each new decision as a list shows it', async () => {
    await post();
    const reader = await follow();
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      connection: 'close',
    });
    expect(reader.headers).not.toHaveProperty('transfer-encoding');
    const made = await post({ inputContext: { prompt: 'mail ada@example.com\n\nnow' } });
    await expect.poll(() => reader.ids()).toEqual([idOf(made)]);
    const { data } = assertOk(
      await app.call('GET', '/api/v1/traces?limit=1', { token: ada.token }),
    ).body;
    expect(reader.events).toEqual([{ event: 'trace', id: idOf(made), data: data[0] }]);
    expect(data[0].inputContext.prompt).toBe('mail [EMAIL]\n\nnow');
  });

  test('gets a large one without its payload', async () => {
    const reader = await follow();
    await post({ inputContext: { prompt: 'y'.repeat(50_000), systemPrompt: 'z'.repeat(20_000) } });
    await expect.poll(() => reader.events).toHaveLength(1);
    expect(reader.events[0]?.data).toMatchObject({ payloadOmitted: true, inputContext: null });
  });

  test('that comes back misses nothing and gets nothing twice, by header or address', async () => {
    const first = await follow();
    const made = [await post(), await post(), await post()].map(idOf);
    await expect.poll(() => first.ids()).toEqual(made);
    first.close();
    const later = [await post(), await post()].map(idOf);
    const second = await follow(ada, { 'last-event-id': made[1] ?? '' });
    await expect.poll(() => second.ids()).toEqual([made[2], ...later]);
    const third = await read(`stream_token=${await mint()}&lastEventId=${later[0]}`);
    await expect.poll(() => third.ids()).toEqual([later[1]]);
    const newest = idOf(await post());
    await expect
      .poll(() => [second, third].map((reader) => reader.ids().at(-1)))
      .toEqual([newest, newest]);
    expect(second.ids()).toEqual([made[2], ...later, newest]);
  });

  test(
    'that comes back much later gets everything from the start, without what was deleted',
    { tags: ['long'] },
    async () => {
      const bob = await createOwner(app, 'Bob');
      const { key: bobs } = await createWorkspaceKey(app, bob);
      const made: Answer['body'][] = [];
      for (let at = 0; at < 40; at++) made.push(await post({}, bobs));
      const gone = made[7];
      const { data } = assertOk(
        await app.call('GET', `/api/v1/traces?limit=40`, { token: bob.token }),
      ).body;
      const { _id } = data.find(({ traceId }: Answer['body']) => traceId === gone.traceId);
      assertOk(
        await app.call('POST', '/api/v1/traces/bulk-delete', {
          token: bob.token,
          body: { ids: [_id] },
        }),
      );
      const reader = await follow(bob, { 'last-event-id': '0' });
      const left = made.filter((one) => one !== gone).map(idOf);
      await expect.poll(() => reader.ids()).toEqual(left);
      const newest = idOf(await post({}, bobs));
      await expect.poll(() => reader.ids()).toEqual([...left, newest]);
    },
  );

  test('gets no decisions of another organisation, only those of the workspace of its token', async () => {
    const eve = await createOwner(app, 'Eve');
    const { data: workspace } = assertOk(
      await app.call('POST', '/api/v1/workspaces', { token: ada.token, body: { name: 'other' } }),
    ).body;
    const { key: others } = await createWorkspaceKey(app, ada, { workspaceId: workspace._id });
    const foreign = await follow(eve);
    const token = await mint(ada, { 'x-workspace-id': workspace._id });
    const narrow = await read(`stream_token=${token}`);
    const wide = await follow();
    const made = [idOf(await post()), idOf(await post({}, others))];
    await expect.poll(() => wide.ids()).toEqual(made);
    expect(narrow.ids()).toEqual([made[1]]);
    expect(foreign.events).toEqual([]);
  });

  test('gets decisions that another instance has sealed', { tags: ['long'] }, async () => {
    const reader = await follow();
    const other = await startApp({}, { mongoUri: harness.mongoUri });
    try {
      const answer = await other.call('POST', '/api/v1/traces', { key, body: buildDecision('x') });
      const made = idOf(assertOk(answer).body.data);
      await expect.poll(() => reader.ids(), SOON).toEqual([made]);
    } finally {
      await other.stop();
    }
  });
});

describe('a token', () => {
  test.each(['stream_token=nonsense', 'token=nonsense', 'stream_token='])(
    'that opens nothing (%s) is an event, and the second time the end',
    async (query) => {
      const reader = await read(query);
      expect([reader.status, reader.headers['content-type']]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      await expect.poll(() => reader.hasEnded()).toBe(true);
      expect(reader.events).toEqual([
        {
          event: 'error',
          id: null,
          data: expect.objectContaining({ code: 'INVALID_STREAM_TOKEN' }),
        },
      ]);
      expect((await read(query)).status).toBe(204);
    },
  );

  test('works once; a session token in the address works again', async () => {
    const query = `stream_token=${await mint()}`;
    await read(query);
    const spent = await read(query);
    await expect.poll(() => spent.events[0]?.event).toBe('error');
    const reader = await read(`token=${ada.token}`);
    (await read(`token=${ada.token}`)).close();
    const made = idOf(await post());
    await expect.poll(() => reader.ids()).toEqual([made]);
    expect(app.logged.filter((line) => line.includes(ada.token))).toEqual([]);
  });

  test('is required (401), not for auditors (403), and the position must be valid (400)', async () => {
    const get = (query: string, call = {}): Promise<Answer> =>
      app.call('GET', `/api/v1/traces/stream?${query}`, call);
    expect(toOutcome(await get(''))).toEqual([401, 'NO_TOKEN']);
    const auditor = await createMember(harness, ada, 'auditor');
    expect(toOutcome(await get(`stream_token=${await mint(auditor)}`))).toEqual([403, 'FORBIDDEN']);
    const { token } = ada;
    for (const headers of [{ 'last-event-id': 'x' }, { 'last-event-id': '-1' }])
      expect(toOutcome(await get('', { token, headers }))).toEqual([400, 'VALIDATION_ERROR']);
    for (const query of ['lastEventId=1e99', 'lastEventId='])
      expect(toOutcome(await get(query, { token }))).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('a stream ends', () => {
  test('with its session, and the browser gets an event', async () => {
    const leaver = await createMember(harness, ada, 'member');
    const query = `stream_token=${await mint(leaver)}`;
    const [reader, stays] = [await read(query), await follow()];
    assertOk(await app.call('POST', '/api/v1/auth/logout', { token: leaver.token }));
    await expect.poll(() => reader.hasEnded(), SOON).toBe(true);
    expect(reader.events.at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'INVALID_STREAM_TOKEN' },
    });
    expect((await read(query)).status).toBe(204);
    expect(stays.hasEnded()).toBe(false);
  });

  test('with the role that may read', { tags: ['long'] }, async () => {
    const member = await createMember(harness, ada, 'member');
    const reader = await follow(member);
    await changeMembership(harness, member, { role: 'auditor' });
    await expect.poll(() => reader.hasEnded(), SOON).toBe(true);
  });

  test('when the reader is too slow, and can be resumed', { tags: ['long'] }, async () => {
    const zoe = await createOwner(app, 'Zoe');
    const { key: zoes } = await createWorkspaceKey(app, zoe);
    const [slow, quick] = [await follow(zoe), await follow(zoe)];
    slow.pause();
    await post({ inputContext: { prompt: 'y'.repeat(50_000) } }, zoes);
    const insert = await createCopier(harness, zoe);
    const [BATCHES, COPIES] = [7, 50];
    for (let batch = 0; batch < BATCHES; batch++) {
      const first = batch * COPIES + 2;
      await insert(first, COPIES);
      await expect.poll(() => quick.ids().length, SOON).toBe(first + COPIES - 1);
    }
    const all = Array.from({ length: BATCHES * COPIES + 1 }, (_one, at) => String(at + 1));
    expect(quick.ids()).toEqual(all);
    slow.resume();
    await expect.poll(() => slow.hasEnded(), SOON).toBe(true);
    expect(slow.events.length).toBeLessThan(all.length);
    const again = await follow(zoe, { 'last-event-id': slow.ids().at(-1) ?? '' });
    await expect.poll(() => [...slow.ids(), ...again.ids()], SOON).toEqual(all);
  });
});

test('a user may have three streams at a time, an organisation four', async () => {
  const others = [
    await createMember(harness, ada, 'viewer'),
    await createMember(harness, ada, 'admin'),
  ];
  const opened = [await follow(), await follow(), await follow()];
  const refused = await follow();
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  expect((await follow(others[0])).status).toBe(200);
  expect((await follow(others[1])).status).toBe(429);
  opened[0]?.close();
  expect((await follow(others[1])).status).toBe(200);
});

test('a further stream waits a moment for one that ends', async () => {
  const dan = await createOwner(app, 'Dan');
  const opened = [await follow(dan), await follow(dan), await follow(dan)];
  const further = follow(dan);
  await sleep(100);
  opened[0]?.close();
  expect((await further).status).toBe(200);
});

test('an instance that stops ends its streams', async () => {
  const other = await startApp({}, { mongoUri: harness.mongoUri });
  const reader = await read(`stream_token=${await mint()}`, {}, other.url);
  await other.stop();
  expect(reader.status).toBe(200);
  await expect.poll(() => reader.hasEnded()).toBe(true);
});
