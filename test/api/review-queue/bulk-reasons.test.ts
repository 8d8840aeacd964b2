// A verdict on many says of each item that it leaves why: decided before, of another action, for others, or beyond a limit.
import { beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, listAuditEntries } from '../../setup/harness.ts';
import { assertOk, type Owner } from '../../setup/personas.ts';
import { useReviews } from './review-queue-stage.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const { hold, list, decide, decideAll } = useReviews(harness, ada);
const UNKNOWN_ID = '0123456789abcdef01234567';
let bob: Owner;
beforeAll(async () => {
  bob = await createMember(harness, ada, 'reviewer');
});

test('each item that is left has the code, words and data that its own verdict is answered', async () => {
  const limit = { of: 'action.totalAmount', per: 'organization', window: 'ever', most: 150 };
  const body = {
    name: 'Refunds in all',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'refund' }],
    actions: [{ type: 'block', config: { limit } }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token: ada.token, body }));
  const outputDecision = { action: { tool: 'refund', arguments: { amount: 100 } } };
  const small = { outputDecision: { action: { tool: 'refund', arguments: { amount: 1 } } } };
  const both = [await hold({ outputDecision }), await hold({ outputDecision })];
  const [done, changed] = [await hold(small), await hold(small)];
  const own = await hold({ ...small, actor: [{ type: 'user', id: bob.email }] });
  assertOk(await decide(done.id, { decision: 'reject' }));
  const ids = [...both, done, changed, own].map(({ id }) => id);
  const given = {
    ids: [...ids, UNKNOWN_ID],
    decision: 'approve',
    actionDigests: { [changed.id]: '0'.repeat(64) },
  };
  const { data } = assertOk(await decideAll(given, bob)).body;
  expect(data).toMatchObject({ requested: 6, changed: 1 });
  // Of two that fit one by one, one is decided.
  const [fits] = data.ids as [string];
  const [exceeds] = both.filter(({ id }) => id !== fits) as [(typeof both)[number]];
  expect(both.map(({ id }) => id)).toContain(fits);
  expect(new Set(data.refused)).toEqual(new Set([exceeds.id, own.id]));
  const reasons = new Map(data.undecided.map((one: { id: string }) => [one.id, one]));
  expect(reasons.size).toBe(5);
  const alone = {
    [exceeds.id]: {},
    [done.id]: {},
    [changed.id]: { actionDigest: '0'.repeat(64) },
    [own.id]: {},
    [UNKNOWN_ID]: {},
  };
  for (const [id, more] of Object.entries(alone)) {
    const answer = (await decide(id, { decision: 'approve', ...more }, bob)).body;
    const { code, error, data: facts } = answer;
    expect(reasons.get(id), id).toEqual({
      id,
      code,
      message: error,
      ...(facts !== undefined && { data: facts }),
    });
  }
  expect(reasons.get(exceeds.id)).toMatchObject({ data: { limits: [{ left: 50 }] } });
  expect((await list('status=pending')).body.total).toBe(3);
  // The audit log says which were decided; why others were not is in no entry.
  const [entry] = await listAuditEntries(app, ada, 'action=review.bulk_decision');
  expect(entry?.metadata).toMatchObject({ ids: [fits], changed: 1 });
  expect(entry?.metadata).not.toHaveProperty('undecided');
});

test('where all are decided there is nothing to say', async () => {
  const { id } = await hold({
    outputDecision: { action: { tool: 'refund', arguments: { amount: 1 } } },
  });
  const { data } = assertOk(await decideAll({ ids: [id, id], decision: 'reject' })).body;
  expect(data).toEqual({ requested: 1, changed: 1, ids: [id] });
});
