// Sessions of thousands of steps: pages of bounded size that together hold every step once.
// @module-tag long
import { expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { assertOk, buildDecision, createWorkspaceKey } from '../../setup/personas.ts';

const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);

const DECISIONS = Number(process.env['N'] ?? 3000);
const AT_ONCE = 100;

test('every step of a long session is on one page, in both directions', async () => {
  const { token } = ada;
  const { key } = await createWorkspaceKey(app, ada);
  const policy = {
    name: 'Hold',
    conditions: [{ field: 'action.names', operator: 'contains', value: 'hold' }],
    actions: [{ type: 'flag_for_review' }],
  };
  assertOk(await app.call('POST', '/api/v1/policies', { token, body: policy }));
  let named = '';
  for (let at = 0; at < DECISIONS; at += AT_ONCE) {
    const decisions = Array.from({ length: AT_ONCE }, (_, index) =>
      buildDecision('runner', {
        sessionId: 'long',
        outputDecision: { action: { tool: index % 20 === 0 ? 'hold' : 'look', arguments: {} } },
      }),
    );
    const path = '/api/v1/traces/batch';
    const { body } = assertOk(await app.call('POST', path, { key, body: { decisions } }));
    named = body.data.results[0].data.traceId;
  }
  const read = async (query: string) => {
    const path = `/api/v1/sessions/${named}/steps${query}`;
    return assertOk(await app.call('GET', path, { token })).body.data;
  };
  const collect = async (side: 'before' | 'after'): Promise<number[]> => {
    const found: number[] = [];
    let query = side === 'after' ? '?after=0' : '';
    for (;;) {
      const page = await read(query);
      found.push(...page.steps.map(({ sequence }: { sequence: number }) => sequence));
      const isEnd = side === 'after' ? page.isLast : page.before === null;
      if (isEnd) return found.sort((one, other) => one - other);
      query = `?${side}=${page[side]}`;
    }
  };
  const forward = await collect('after');
  expect(forward).toHaveLength(DECISIONS);
  expect(new Set(forward).size).toBe(DECISIONS);
  expect(await collect('before')).toEqual(forward);
  const listed = assertOk(await app.call('GET', '/api/v1/sessions', { token })).body.data;
  expect(listed).toMatchObject([{ sessionId: 'long', decisions: 1000, hasMore: true }]);
  const detail = assertOk(await app.call('GET', `/api/v1/sessions/${named}`, { token })).body.data;
  expect(detail).toMatchObject({ decisions: DECISIONS, held: DECISIONS / 20 });
});
