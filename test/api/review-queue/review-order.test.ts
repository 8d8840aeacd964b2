// The order in which held decisions are taken, page by page, and one item by its id or by that of its decision.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { toObjectId } from '../../setup/harness.ts';
import { assertOk, createAgent, createOwner } from '../../setup/personas.ts';
import { useReviews } from './review-queue-stage.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const { hold, list, decide, decideAll } = useReviews(harness, ada);
const UNKNOWN_ID = '0123456789abcdef01234567';

interface Listed {
  id: string;
  traceId: string;
  actionDigest: string;
}
/** Ids in the order in which they are to be taken. */
let expected: string[];

const setReview = (id: string, set: object) =>
  harness.db
    .collection('ledger')
    .updateOne(
      { organizationId: toObjectId(ada.organizationId), 'review._id': toObjectId(id) },
      { $set: set },
    );

async function holdAs(priority: string, dueInHours?: number): Promise<string> {
  const { id } = await hold();
  const slaDeadline =
    dueInHours === undefined ? null : new Date(Date.now() + dueInHours * 3_600_000);
  await setReview(id, { 'review.priority': priority, 'review.slaDeadline': slaDeadline });
  return id;
}

beforeAll(async () => {
  const older = await holdAs('low');
  const later = await holdAs('medium', 9);
  const [medium, mediumToo] = [await holdAs('medium'), await holdAs('medium')];
  const late = await holdAs('low', -1);
  const critical = await holdAs('critical');
  const soon = await holdAs('critical', 2);
  expected = [late, soon, later, critical, medium, mediumToo, older];
});

test('what is due comes first, then what has no deadline by priority, the oldest first', async () => {
  const { body } = assertOk(await list('status=pending&sort=due'));
  expect(body.data.map(({ id }: Listed) => id)).toEqual(expected);
  expect(body).toMatchObject({
    total: 7,
    count: 7,
    limit: 500,
    truncated: false,
    nextCursor: null,
  });
});

test.each([1, 2, 3])(
  'by pages of %i each item is listed once, also after one was decided',
  async (limit) => {
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = assertOk(await list(`status=pending&sort=due&limit=${limit}${cursor}`));
      expect(body.total).toBe(7);
      expect(body.limit).toBe(limit);
      found.push(...body.data.map(({ id }: Listed) => id));
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
      expect(body.truncated).toBe(cursor !== '');
    } while (cursor !== '');
    expect(found).toEqual(expected);
  },
);

test('without a sort the order and the limit stay: newest first, 500', async () => {
  const { body } = assertOk(await list('status=pending'));
  expect(body.data[0].id).toBe(expected[1]);
  expect(body.limit).toBe(500);
  const newest = assertOk(await list('status=pending&sort=newest&limit=2')).body;
  expect(newest.data.map(({ id }: Listed) => id)).toEqual([expected[1], expected[3]]);
});

test('a cursor stays a place of the queue when its item is decided', async () => {
  const { id } = await hold();
  const more = await hold();
  const first = assertOk(await list('status=pending&sort=due&limit=6')).body;
  const middle = first.data.at(-1).id as string;
  assertOk(await decide(middle, { decision: 'approve' }));
  const { body } = assertOk(await list(`status=pending&sort=due&cursor=${first.nextCursor}`));
  expect(body.data.map((item: Listed) => item.id)).toEqual([id, more.id, expected.at(-1)]);
});

test.each([
  ['sort=due', 'VALIDATION_ERROR'],
  ['sort=due&status=approved', 'VALIDATION_ERROR'],
  ['sort=oldest', 'VALIDATION_ERROR'],
  ['limit=0', 'VALIDATION_ERROR'],
  ['limit=501', 'VALIDATION_ERROR'],
])('%s is refused', async (query, code) => {
  expect((await list(query)).body.code).toBe(code);
});

test('one item is read by its id and by the traceId of its decision', async () => {
  const agent = await createAgent(app, ada, 'Till');
  const { id, traceId, mongoId } = await hold({ agentId: agent.id });
  const read = (name: string, token = ada.token) =>
    app.call('GET', `/api/v1/review-queue/${name}`, { token });
  const listed = (assertOk(await list()).body.data as Listed[]).find((item) => item.id === id);
  expect(assertOk(await read(id)).body.data).toEqual(listed);
  expect(assertOk(await read(traceId)).body.data).toEqual(listed);
  const stranger = await createOwner(app, 'Eve');
  for (const name of [id, traceId]) expect((await read(name, stranger.token)).status).toBe(404);
  for (const name of [UNKNOWN_ID, mongoId, 'trc_nothing', '%F0%9F%92%A9', 'a.b'])
    expect((await read(name)).body.code, name).toBe('NOT_FOUND');
  const { traceId: reply } = await hold({ outputDecision: { action: 'reply' } });
  expect((await read(reply)).status).toBe(404);
});

test('many verdicts are bound to the actions that were looked at', async () => {
  const [seen, changed] = [await hold(), await hold()];
  const actionDigests = { [seen.id]: await readDigest(seen.id), [changed.id]: 'f'.repeat(64) };
  const ids = [seen.id, changed.id];
  const { body } = assertOk(await decideAll({ ids, decision: 'approve', actionDigests }));
  expect(body.data).toMatchObject({ requested: 2, changed: 1, ids: [seen.id] });
  const again = await decideAll({ ids, decision: 'approve', actionDigests });
  expect(again.body.code).toBe('NOT_FOUND');
  for (const wrong of [{ [seen.id]: 'x' }, { nothing: 'f'.repeat(64) }, 7, []])
    expect((await decideAll({ ids, decision: 'approve', actionDigests: wrong })).body.code).toBe(
      'VALIDATION_ERROR',
    );
});

async function readDigest(id: string): Promise<string> {
  const { body } = await app.call('GET', `/api/v1/review-queue/${id}`, { token: ada.token });
  return body.data.actionDigest as string;
}
