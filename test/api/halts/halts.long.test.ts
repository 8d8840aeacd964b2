// Halts under load, on two instances: whatever is in flight, no act stands between a halt and its resumption.
// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createMember, toObjectId } from '../../setup/harness.ts';
import { assertOk, buildDecision, createAgent, type Owner } from '../../setup/personas.ts';
import { startApp, type TestApp } from '../../setup/start-app.ts';

const ROUNDS = 60;
const POSTERS = 16;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
let other: TestApp;
let admin: Owner;
let agents: { id: string; key: string }[];
beforeAll(async () => {
  other = await startApp({}, { mongoUri: harness.mongoUri });
  admin = await createMember(harness, ada, 'admin');
  agents = [await createAgent(app, ada), await createAgent(app, ada)];
});
afterAll(() => other.stop());

/** Posts decisions of both agents over both instances until it is stopped; resolves with the statuses it got. */
async function postUntil(hasEnded: () => boolean, at: number): Promise<number[]> {
  const seen: number[] = [];
  for (let next = at; !hasEnded(); next++) {
    const agent = agents[next % 2]!;
    const on = next % 3 === 0 ? other : app;
    const body = buildDecision(agent.id);
    seen.push((await on.call('POST', '/api/v1/traces', { key: agent.key, body })).status);
  }
  return seen;
}

test('sixty halts among sixteen posters on two instances', { timeout: 300_000 }, async () => {
  let isOver = false;
  const posting = Array.from({ length: POSTERS }, (_, at) => postUntil(() => isOver, at));
  for (let round = 0; round < ROUNDS; round++) {
    const on = round % 2 === 0 ? app : other;
    const scope =
      round % 5 === 0
        ? { scope: 'organization' }
        : { scope: 'agent', target: agents[round % 2]!.id };
    const halt = { token: ada.token, body: scope };
    const { id } = assertOk(await on.call('POST', '/api/v1/halts', halt)).body.data;
    const path = `/api/v1/halts/${id}/resume`;
    const asking = { token: ada.token, body: { to: 'resumed' } };
    const { resumption } = assertOk(await app.call('POST', path, asking)).body.data;
    const confirming = {
      token: admin.token,
      body: { to: 'resumed', confirm: resumption.digest },
    };
    assertOk(await other.call('POST', path, confirming));
  }
  isOver = true;
  const statuses = (await Promise.all(posting)).flat();
  // An agent has its own limit of requests.
  expect([201, 403, 429]).toEqual(expect.arrayContaining([...new Set(statuses)]));
  const organizationId = toObjectId(ada.organizationId);
  const entries = await harness.db
    .collection('ledger')
    .find({ organizationId, kind: { $in: ['trace', 'halt'] } })
    .sort({ sequence: 1 })
    .toArray();
  const halted = new Set<string>();
  let acts = 0;
  let stops = 0;
  for (const { kind, view, sequence } of entries) {
    const said = JSON.parse(view as string) as Record<string, string>;
    if (kind === 'halt') {
      if (said['state'] === 'halted') halted.add(String(said['target']));
      else halted.delete(String(said['target']));
      stops += said['state'] === 'halted' ? 1 : 0;
    } else if (said['status'] === 'approved') {
      acts++;
      expect(halted.has(ada.organizationId), `entry ${sequence}`).toBe(false);
      expect(halted.has(String(said['agent'])), `entry ${sequence}`).toBe(false);
    }
  }
  expect(stops).toBe(ROUNDS);
  expect(acts).toBeGreaterThan(ROUNDS);
  const verified = await other.call('POST', '/api/v1/hash-chain/verify', { token: ada.token });
  expect(verified.body.data).toMatchObject({ verified: true });
});
