// A webhook or alert rule follows the decisions that are made after it was switched on, all of them and no others.
// @module-tag long
import { beforeAll, expect, test } from 'vitest';
import { useFixture, useHarness, useOwner } from '../../setup/fixtures.ts';
import { createWorkspaceKey, buildDecision, assertOk } from '../../setup/personas.ts';
import { startReceiver, type Message } from '../../setup/providers/receiver.ts';

const receiver = useFixture(startReceiver, (one) => one.close());
const harness = useHarness(() => ({ ASSAY_OUTBOUND_ALLOW: receiver.host }));
const { app } = harness;
const ada = useOwner(harness);
let key: string;
beforeAll(async () => void ({ key } = await createWorkspaceKey(app, ada)));

const owner = async (method: string, path: string, body?: object) =>
  assertOk(await app.call(method, `/api/v1${path}`, { token: ada.token, body })).body.data;
const post = async (): Promise<string> =>
  assertOk(await app.call('POST', '/api/v1/traces', { key, body: buildDecision('bot') })).body.data
    .traceId;
/** Runs the consumers, then the deliveries that follow. */
async function deliver(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await app.instance.runJobsOnce();
}

let made = 0;
interface Follower {
  path: string;
  received: () => string[];
}
async function webhook(more: object = {}): Promise<Follower> {
  const at = `/hook-${(made += 1)}`;
  const body = { url: receiver.url + at, events: ['*'], ...more };
  const { id } = await owner('POST', '/webhooks', body);
  return { path: `/webhooks/${id}`, received: () => decisionsAt(at) };
}
/** Creates a rule; it acts once in its quiet period, so it reports one of two decisions. */
async function rule(more: object = {}): Promise<Follower> {
  const at = `/rule-${(made += 1)}`;
  const body = {
    name: at,
    condition: { field: 'confidenceScore', operator: 'gte', value: 0 },
    actions: [{ type: 'webhook', target: receiver.url + at }],
    ...more,
  };
  const { id } = await owner('POST', '/alerts', body);
  return { path: `/alerts/${id}`, received: () => decisionsAt(at) };
}
const decisionsAt = (path: string): string[] =>
  receiver.listMessages(path).map(({ body }: Message) => body.data.traceId as string);

test.each([
  ['webhook', webhook],
  ['webhook of alerts', () => webhook({ events: ['alert.triggered'] })],
  ['rule', rule],
])('a %s made right after a decision hears of the next one alone', async (what, make) => {
  if (what === 'webhook of alerts') await rule();
  const before = await post();
  const follower = await make();
  const after = await post();
  await deliver();
  expect(follower.received()).toContain(after);
  expect(follower.received()).not.toContain(before);
});

test.each([
  ['webhook', webhook],
  ['rule', rule],
])('a %s hears of nothing that was decided while it was paused', async (_what, make) => {
  const follower = await make();
  await owner('PATCH', follower.path, { isActive: false });
  const paused = await post();
  await owner('PATCH', follower.path, { isActive: true });
  const after = await post();
  await deliver();
  expect(follower.received()).toContain(after);
  expect(follower.received()).not.toContain(paused);
});

test.each([
  ['webhook', webhook],
  ['rule', rule],
])('a change of a %s that is active loses no decision', async (_what, make) => {
  const follower = await make();
  const before = await post();
  await owner('PATCH', follower.path, { isActive: true, description: 'as before' });
  await deliver();
  expect(follower.received()).toContain(before);
});

test(
  'every decision after the answer is delivered, among concurrent ones',
  { tags: ['long'] },
  async () => {
    let isMade = false;
    const owed: string[] = [];
    const posting = (async () => {
      for (let rest = 5; rest > 0;) {
        const isOwed = isMade;
        const traceId = await post();
        if (!isOwed) continue;
        owed.push(traceId);
        rest -= 1;
      }
    })();
    const follower = await webhook({ events: ['trace.created'] });
    isMade = true;
    await posting;
    await deliver();
    expect(follower.received()).toEqual(expect.arrayContaining(owed));
    expect(owed).toHaveLength(5);
  },
);
