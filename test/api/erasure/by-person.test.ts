// Erasing what is about one person, or has some words: found, counted, then erased; of the caller's organisation alone.
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import {
  assertOk,
  buildDecision,
  createOwner,
  createWorkspaceKey,
  type Owner,
} from '../../setup/personas.ts';
import { type Answer, toOutcome } from '../../setup/start-app.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
const JANE = [{ type: 'user', id: 'user-4711', issuer: 'https://shop.example' }];

const call = (path: string, body: object, { token }: Owner = ada): Promise<Answer> =>
  app.call('POST', `/api/v1/erasure/${path}`, { token, body });
const acknowledge = (chosen: object, who?: Owner): Promise<Answer> =>
  call('acknowledge', { ...chosen, reason: 'The person asked for it' }, who);
const listIds = async (query: string, { token }: Owner = ada): Promise<string[]> => {
  const answer = assertOk(await app.call('GET', `/api/v1/traces?${query}`, { token }));
  return answer.body.data.map(({ traceId }: { traceId: string }) => traceId).toReversed();
};

async function post(who: Owner, bodies: object[]): Promise<string[]> {
  const { key } = await createWorkspaceKey(app, who);
  const decisions = bodies.map((more) => buildDecision('bot', more));
  const answer = await app.call('POST', '/api/v1/traces/batch', { key, body: { decisions } });
  const { results } = assertOk(answer).body.data as { results: { data: { traceId: string } }[] };
  await app.instance.runJobsOnce();
  return results.map(({ data }) => data.traceId);
}

test('what was decided for a person is found, counted and erased; all else stays', async () => {
  const behind = [{ type: 'agent', id: 'broker' }, ...JANE];
  const others = [{ actor: [{ type: 'user', id: 'user-47' }] }, {}];
  const [first, second, other] = await post(ada, [{ actor: JANE }, { actor: behind }, ...others]);
  const eve = await createOwner(app, 'Eve');
  const [eves] = await post(eve, [{ actor: JANE }]);
  expect(await listIds('subjectId=user-4711')).toEqual([first, second]);
  expect(await listIds('subjectId=user-4711', eve)).toEqual([eves]);
  expect(await listIds('subjectId=USER-4711')).toEqual([]);
  const impact = assertOk(await acknowledge({ subjectId: 'user-4711' })).body.data;
  expect(impact).toMatchObject({
    counts: { decisions: 2 },
    found: { more: 0, unsearched: 0, traceIds: [first, second] },
  });
  expect(await listIds('subjectId=user-4711')).toHaveLength(2);
  const { acknowledgementId, impactDigest } = impact;
  const done = assertOk(await call('execute', { acknowledgementId, impactDigest })).body.data;
  expect(done).toMatchObject({ status: 'executed', counts: { decisions: 2 } });
  await app.instance.runJobsOnce();
  expect(await listIds('subjectId=user-4711')).toEqual([]);
  expect(await listIds('subjectId=user-4711', eve)).toEqual([eves]);
  expect(await listIds('subjectId=user-47')).toEqual([other]);
  const none = await acknowledge({ subjectId: 'user-4711' });
  expect(toOutcome(none)).toEqual([404, 'NOT_FOUND']);
});

test('words find what was done about a person, as a phrase', async () => {
  const toAction = (customer: string) => ({
    outputDecision: { action: { tool: 'close_account', arguments: { customer } } },
  });
  const [sealed] = await post(ada, [toAction('C-1042 North'), toAction('North C-1042')]);
  const { found } = assertOk(await acknowledge({ text: '"C-1042 North"' })).body.data;
  expect(found.traceIds).toEqual([sealed]);
});

test.each([
  ['nothing', {}],
  ['both', { subjectId: 'user-4711', traceIds: ['trc_1'] }],
  ['a blank name', { subjectId: '  ' }],
  ['an object', { subjectId: { $ne: 1 } }],
])('%s is refused', async (_what, chosen) => {
  expect(toOutcome(await acknowledge(chosen))).toEqual([400, 'VALIDATION_ERROR']);
});
