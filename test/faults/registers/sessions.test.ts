// Two instances with two workers each judge decisions of the same sessions, and are killed all the time: each is judged on those before it.
import { expect, test } from 'vitest';
import type { SessionRegister } from '../../../src/domain/sessions/session-register.ts';
import { assertOk } from '../../setup/personas.ts';
import { usePair } from './pairs.ts';

const DECISIONS = 4_000;
const SESSIONS = 20;
const KILLS = Number(process.env.ASSAY_TEST_KILLS ?? 200);
/** Decisions of each session that are let act: half of those that are asked for. */
const MOST = 100;

const pair = usePair();

test(
  'each session lets as many act as its rule says, in one order',
  { timeout: 1_800_000 },
  async () => {
    const { token, key } = await pair.register();
    const policy = {
      name: 'Enough',
      conditions: [{ field: 'session.count', operator: 'at_least', value: MOST }],
      actions: [{ type: 'block' }],
    };
    assertOk(await pair.call('policies', { token, body: policy }));
    const decisions = Array.from({ length: DECISIONS }, (_, at) => ({
      sessionId: `session-${at % SESSIONS}`,
      outputDecision: { action: { tool: 'act', at } },
    }));
    const { statuses, killed } = await pair.insist(key, decisions, KILLS);
    expect(statuses.filter((status) => status === 201)).toHaveLength(SESSIONS * MOST);
    expect(statuses.filter((status) => status === 403)).toHaveLength(DECISIONS - SESSIONS * MOST);
    const entries = await pair
      .db()
      .collection<{ session: SessionRegister }>('ledger')
      .find({ 'session.key': { $exists: true } }, { projection: { session: 1 } })
      .sort({ sequence: 1 })
      .toArray();
    const seen = new Map<string, number>();
    for (const { session } of entries) {
      const { key: name, n, state } = session;
      expect(n).toBe((seen.get(name) ?? 0) + 1);
      expect(state.acts + state.blocked).toBe(n);
      seen.set(name, n);
    }
    expect([...seen.values()]).toEqual(
      Array.from({ length: SESSIONS }, () => DECISIONS / SESSIONS),
    );
    const verified = await pair.call('hash-chain/verify', { token, body: {} });
    expect(verified.body.data).toMatchObject({ verified: true });
    expect(killed).toBeGreaterThan(KILLS / 8);
  },
);
