// Limits outside the schema version: members of any shape, lists before their items, pages of large decisions.
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { buildDecision, assertOk, createOwner, createWorkspaceKey } from '../../setup/personas.ts';
import type { Answer } from '../../setup/start-app.ts';

const KIB = 1024;
let key: string;
const harness = useHarness();
const { app } = harness;
const ada = useOwner(harness);
beforeAll(async () => {
  ({ key } = await createWorkspaceKey(app, ada));
});

const post = (body: object, by = key): Promise<Answer> =>
  app.call('POST', '/api/v1/traces', { key: by, body });
const issuesOf = ({ status, body }: Answer) => ({ status, issues: body.data?.issues as unknown });

/** An object whose JSON has this many bytes, in texts of a thousand. */
function json(bytes: number): Record<string, string> {
  const value: Record<string, string> = {};
  let left = bytes - 2;
  for (let n = 0; left > 0; n++) {
    const [name, comma] = [`k${n}`, n === 0 ? 0 : 1];
    const length = Math.min(1000, left - comma - name.length - 5);
    value[name] = 'x'.repeat(
      left - length - comma - name.length - 5 < 20 ? left - comma - name.length - 5 : length,
    );
    left -= comma + name.length + 5 + (value[name]?.length ?? 0);
  }
  return value;
}
const output = (more: object): object => ({ outputDecision: { action: 'reply', ...more } });

describe('members of any shape', () => {
  test.each<[path: string, body: (value: unknown) => object]>([
    ['metadata', (value) => ({ metadata: value })],
    ['adapter', (value) => ({ adapter: value })],
    ['mlBomReference', (value) => ({ mlBomReference: value })],
    ['art12', (value) => ({ art12: value })],
    ['conversation', (value) => ({ conversation: value })],
    ['crew', (value) => ({ crew: value })],
    ['outputDecision.toolCalls.1', (value) => output({ toolCalls: ['x', value] })],
  ])('%s: at most 100 KiB of JSON', async (path, body) => {
    const [fitting, excessive] = [json(100 * KIB), json(100 * KIB + 1)];
    expect(Buffer.byteLength(JSON.stringify(fitting))).toBe(100 * KIB);
    expect((await post(buildDecision('x', body(fitting)))).status).toBe(201);
    expect(issuesOf(await post(buildDecision('x', body(excessive))))).toEqual({
      status: 400,
      issues: [{ path, message: 'at most 102400 bytes of JSON' }],
    });
  });

  test.each<[path: string, limit: number, body: (items: unknown[]) => object]>([
    ['outputDecision.toolCalls', 500, (items) => output({ toolCalls: items })],
    ['outputDecision.alternatives', 100, (items) => output({ alternatives: items })],
    ['alternatives', 100, (items) => ({ alternatives: items })],
  ])('%s: at most %i KiB of JSON together', async (path, limit, body) => {
    const item = { decision: 'x'.repeat((limit / 10) * KIB - 20) };
    expect(
      (await post(buildDecision('x', body(Array.from({ length: 10 }, () => item))))).status,
    ).toBe(201);
    const larger = { decision: 'x'.repeat((limit / 10) * KIB) };
    const refused = await post(buildDecision('x', body(Array.from({ length: 10 }, () => larger))));
    expect(issuesOf(refused)).toEqual({
      status: 400,
      issues: [{ path, message: `at most ${limit * KIB} bytes of JSON` }],
    });
  });

  test.each(['inputContext', 'outputDecision'])(
    '%s: members without a limit of their own share 100 KiB',
    async (name) => {
      const known = { inputContext: { prompt: 'p' }, outputDecision: { action: 'reply' } };
      const body = (further: object) => {
        const members = { ...known[name as keyof typeof known], ...further };
        return buildDecision('x', { [name]: members });
      };
      expect((await post(body(json(99 * KIB)))).status).toBe(201);
      const path = name;
      expect(issuesOf(await post(body(json(101 * KIB))))).toEqual({
        status: 400,
        issues: [{ path, message: 'at most 102400 bytes of JSON in further members' }],
      });
    },
  );

  test('an object has at most 1,000 keys, wherever it is', async () => {
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [n.toString(36), 0]));
    expect((await post(buildDecision('x', { metadata: { deep: [keys(1000)] } }))).status).toBe(201);
    for (const [path, body] of [
      ['metadata', { metadata: keys(1001) }],
      ['metadata.deep.0', { metadata: { deep: [keys(1001)] } }],
      ['outputDecision.action', output({ action: keys(1001) })],
      ['inputContext.context', { inputContext: { prompt: 'p', context: keys(1001) } }],
      ['inputContext', { inputContext: { prompt: 'p', ...keys(1001) } }],
      ['outputDecision.toolCalls.0', output({ toolCalls: [keys(1001)] })],
    ] as const)
      expect(issuesOf(await post(buildDecision('x', body)))).toEqual({
        status: 400,
        issues: [{ path, message: 'at most 1000 keys' }],
      });
  });
});

describe('lists are counted before their items are looked at', () => {
  test.each([
    ['alternatives', 10, (items: unknown[]) => ({ alternatives: items })],
    ['outputDecision.alternatives', 10, (items: unknown[]) => output({ alternatives: items })],
    ['outputDecision.toolCalls', 50, (items: unknown[]) => output({ toolCalls: items })],
  ] as const)('%s: one issue for as many wrong items as a body has', async (path, limit, body) => {
    const answer = await post(buildDecision('x', body(Array.from({ length: 19_000 }, () => 1))));
    expect(issuesOf(answer)).toEqual({
      status: 400,
      issues: [{ path, message: `must have at most ${limit} elements` }],
    });
    expect(answer.text.length).toBeLessThan(1000);
  });

  test('a body with more items is refused', async () => {
    const alternatives = Array.from({ length: 1_000_000 }, () => 1);
    const answer = await post(buildDecision('x', { alternatives }));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'SVC_VALIDATION_FAILED',
      error: 'Invalid request body: /: more than 20000 members and elements',
    });
  });
});

describe('a page of large decisions', () => {
  test(
    'has every row, payloads up to 2 MiB, and marks rows whose payload is omitted',
    { tags: ['long'] },
    async () => {
      const bob = await createOwner(app, 'Bob');
      const { key: bobs } = await createWorkspaceKey(app, bob);
      const large = () => ({
        ...buildDecision('x'),
        metadata: json(100 * KIB),
        adapter: json(100 * KIB),
        art12: json(100 * KIB),
        rationale: 'because '.repeat(6000),
      });
      for (let n = 0; n < 3; n++)
        assertOk(await post(buildDecision('x', { metadata: { n } }), bobs));
      for (let n = 0; n < 12; n++) assertOk(await post(large(), bobs));
      const answer = assertOk(
        await app.call('GET', '/api/v1/traces?limit=200', { token: bob.token }),
      );
      const { data, total } = answer.body as { data: Record<string, unknown>[]; total: number };
      expect([data.length, total]).toEqual([15, 15]);
      expect(answer.body.pagination.hasMore).toBe(false);
      expect(answer.text.length).toBeLessThan(2.5 * 1024 * KIB);
      const omitted = data.map(({ payloadOmitted }) => payloadOmitted);
      expect(omitted.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => undefined));
      expect(omitted.slice(-5)).toEqual(Array.from({ length: 5 }, () => true));
      const whole = data.filter(({ payloadOmitted }) => payloadOmitted === undefined);
      for (const { metadata, rationale } of whole)
        expect([metadata, rationale]).toEqual([json(100 * KIB), expect.any(String)]);
      for (const row of data.filter(({ payloadOmitted }) => payloadOmitted)) {
        expect(row).toMatchObject({
          inputContext: null,
          outputDecision: null,
          metadata: null,
          alternatives: null,
          rationale: null,
          status: 'approved',
          hashChain: { sequence: expect.any(Number) as number },
        });
        expect(row).not.toHaveProperty('adapter');
      }
      const path = `/api/v1/traces/${String(data.at(-1)?._id)}`;
      const alone = assertOk(await app.call('GET', path, { token: bob.token })).body.data;
      expect(alone).toMatchObject({ metadata: { n: 0 } });
      expect(alone).not.toHaveProperty('payloadOmitted');
    },
  );
});
