// Lists of decisions by tool, tag, amount, workspace and words of the action: alone, combined, paged, exported, erased.
import { beforeAll, describe, expect, test } from 'vitest';
import { useHarness, useOwner } from '../../../setup/fixtures.ts';
import { createMember } from '../../../setup/harness.ts';
import {
  assertOk,
  buildDecision,
  createWorkspaceKey,
  type Owner,
} from '../../../setup/personas.ts';
import { type Answer, toOutcome } from '../../../setup/start-app.ts';

const harness = useHarness({ ASSAY_LIMIT_HEAVY: '100' });
const { app } = harness;
const ada = useOwner(harness);
const bob = useOwner(harness, 'Bob');
/** Decisions of Ada's organisation. */
const COUNT = 2_400;
const TOOLS = ['cancelReservation', 'cancel_order', 'issue_refund', 'sendMail', 'reply'];

/** What a decision is made of, by its number. */
const describeDecision = (n: number) => ({
  n,
  tool: TOOLS[n % 5] as string,
  amount: n % 5 === 2 ? n / 4 : null,
  mail: n % 7 === 0,
  call: n % 11 === 0,
  isSecond: n % 3 === 0,
  order: `SO-${n % 40}`,
});
type Made = ReturnType<typeof describeDecision>;
const all = Array.from({ length: COUNT }, (_, n) => describeDecision(n));

const toBody = ({ n, tool, amount, mail, call, order }: Made): object =>
  buildDecision('x', {
    metadata: { n },
    rationale: `Seen at desk ${n % 10}.`,
    outputDecision: {
      action: { tool, args: { order, ...(amount !== null && { amount }) } },
      ...(call && { toolCalls: [{ name: 'Look-Up', arguments: { address: 'Long Lane' } }] }),
    },
    inputContext: { prompt: mail ? 'Write to jo@example.com' : 'Go on' },
  });

let second: string;
beforeAll(async () => {
  const body = { name: 'Second' };
  const made = await app.call('POST', '/api/v1/workspaces', { token: ada.token, body });
  second = assertOk(made).body.data._id;
  const { key } = await createWorkspaceKey(app, ada);
  await postAll(
    all.filter(({ isSecond }) => !isSecond),
    { key },
  );
  await postAll(
    all.filter(({ isSecond }) => isSecond),
    {
      key,
      headers: { 'X-Workspace-Id': second },
    },
  );
  const { key: bobs } = await createWorkspaceKey(app, bob);
  await postAll(all.slice(0, 20), { key: bobs });
  await app.instance.runJobsOnce();
}, 120_000);

async function postAll(made: readonly Made[], by: object): Promise<void> {
  for (let at = 0; at < made.length; at += 100) {
    const body = { decisions: made.slice(at, at + 100).map(toBody) };
    assertOk(await app.call('POST', '/api/v1/traces/batch', { body, ...by }));
  }
}

const get = (query: string, { token }: Pick<Owner, 'token'> = ada, headers = {}): Promise<Answer> =>
  app.call('GET', `/api/v1/traces?${query}`, { token, headers });

/** The numbers of what is found, and the total. */
async function find(query: string, who: Pick<Owner, 'token'> = ada, headers = {}) {
  const { data, total } = assertOk(await get(`limit=200&${query}`, who, headers)).body;
  const numbers = (data as { metadata: { n: number } }[]).map(({ metadata }) => metadata.n);
  return { numbers: numbers.sort((a, b) => a - b), total: total as number };
}

const isCancel = ({ tool }: Made): boolean => tool.startsWith('cancel');
const hasAmount = (from: number, to: number) => (one: Made) =>
  one.amount !== null && from <= one.amount && one.amount <= to;

const SINGLE: [string, (one: Made) => boolean][] = [
  ['tool=issue_refund', ({ tool }) => tool === 'issue_refund'],
  ['tool=issueRefund', ({ tool }) => tool === 'issue_refund'],
  ['tool=send_mail', ({ tool }) => tool === 'sendMail'],
  ['tool=cancel_*', isCancel],
  ['tool=cancelRes*', ({ tool }) => tool === 'cancelReservation'],
  ['tool=look_up', ({ call }) => call],
  ['tool=*', () => true],
  ['tool=cancel', () => false],
  ['tag=PII_EMAIL', ({ mail }) => mail],
  ['tag=PII_PHONE', () => false],
  ['minAmount=500', hasAmount(500, Infinity)],
  ['maxAmount=10.5', hasAmount(0, 10.5)],
  ['minAmount=100.5&maxAmount=120', hasAmount(100.5, 120)],
  ['minAmount=120&maxAmount=100', () => false],
  ['text=SO-7', ({ order }) => order === 'SO-7'],
  ['text=%22Long%20Lane%22', ({ call }) => call],
  ['text=lane%20long', ({ call }) => call],
  ['text=desk%20-so', () => false],
  ['text=%22desk%203%22', ({ n }) => n % 10 === 3],
  ['text=example', () => false],
];

describe('one filter', () => {
  test.each(SINGLE)('%s', async (query, isWanted) => {
    const wanted = all.filter(isWanted);
    const { numbers, total } = await find(query);
    expect(total).toBe(wanted.length);
    expect(numbers).toEqual(wanted.length > 200 ? expect.any(Array) : wanted.map(({ n }) => n));
    expect(numbers.filter((n) => !isWanted(describeDecision(n)))).toEqual([]);
  });

  test('the workspace', async () => {
    const wanted = all.filter(({ isSecond }) => isSecond);
    expect((await find(`workspaceId=${second}`)).total).toBe(wanted.length);
    expect((await find(`workspaceId=${ada.workspaceId}`)).total).toBe(COUNT - wanted.length);
    expect((await find(`workspaceId=${bob.workspaceId}`)).total).toBe(0);
  });
});

describe('filters combined', () => {
  const combined: [string, (one: Made) => boolean][] = [
    ['tool=cancel_*&tag=PII_EMAIL', (one) => isCancel(one) && one.mail],
    [
      'tool=issue_*&minAmount=300&text=SO-12',
      (one) => hasAmount(300, 1e9)(one) && one.order === 'SO-12',
    ],
    ['tool=look_up&search=%22desk%204%22', ({ call, n }) => call && n % 10 === 4],
    ['text=lane&search=desk&tag=PII_EMAIL&status=approved', ({ call, mail }) => call && mail],
    ['tool=reply&status=blocked', () => false],
    ['tag=PII_EMAIL&minConfidence=0&dateFrom=2020-01-01&humanOverride=false', ({ mail }) => mail],
  ];
  test.each(combined)('%s', async (query, isWanted) => {
    for (const where of ['', second]) {
      const wanted = all.filter((one) => isWanted(one) && (where === '' || one.isSecond));
      const { numbers, total } = await find(`${query}${where && `&workspaceId=${where}`}`);
      expect([total, numbers.length]).toEqual([wanted.length, Math.min(200, wanted.length)]);
      if (wanted.length <= 200) expect(numbers).toEqual(wanted.map(({ n }) => n));
    }
  });

  test('with the header of a workspace they find what both allow', async () => {
    const wanted = all.filter((one) => isCancel(one) && one.isSecond).length;
    const inSecond = { 'X-Workspace-Id': second };
    expect((await find('tool=cancel_*', ada, inSecond)).total).toBe(wanted);
    expect((await find(`tool=cancel_*&workspaceId=${second}`, ada, inSecond)).total).toBe(wanted);
    const other = `tool=cancel_*&workspaceId=${ada.workspaceId}`;
    expect((await find(other, ada, inSecond)).total).toBe(0);
    expect((await find(`workspaceId=${ada.workspaceId}`, ada, inSecond)).total).toBe(0);
  });
});

test('pages follow each other without a gap, newest first', async () => {
  const wanted = all.filter(isCancel);
  const seen: number[] = [];
  for (let page = 1; ; page++) {
    const { body } = assertOk(await get(`tool=cancel_*&limit=100&page=${page}`));
    seen.push(
      ...body.data.map(({ hashChain }: { hashChain: { sequence: number } }) => hashChain.sequence),
    );
    expect(body).toMatchObject({ total: wanted.length, search: { behind: 0 } });
    if (!body.pagination.hasMore) break;
  }
  expect(seen).toHaveLength(wanted.length);
  expect(seen).toEqual(seen.toSorted((a, b) => b - a));
  expect(new Set(seen).size).toBe(seen.length);
});

test('the export has what the list has', async () => {
  for (const query of [
    'tool=cancel_*',
    'minAmount=500&tag=PII_EMAIL',
    `text=lane&workspaceId=${second}`,
  ]) {
    const { total } = await find(query);
    const { text } = assertOk(
      await app.call('GET', `/api/v1/traces/export?${query}`, { token: ada.token }),
    );
    expect(text.split('\r\n')).toHaveLength(total + 2);
  }
});

test('another organisation finds its own', async () => {
  expect((await find('tool=cancel_*', bob)).total).toBe(all.slice(0, 20).filter(isCancel).length);
  expect((await find(`workspaceId=${second}`, bob)).total).toBe(0);
  const viewer = await createMember(harness, ada, 'viewer');
  expect((await find('tool=look_up', viewer)).total).toBe(all.filter(({ call }) => call).length);
});

test.each([
  'tool=',
  `tool=${'x'.repeat(201)}`,
  `tool=${'x'.repeat(65)}*`,
  'tool=a&tool=b',
  'tag=',
  `tag=${'x'.repeat(101)}`,
  'workspaceId=second',
  'minAmount=-1',
  'minAmount=',
  'minAmount=much',
  'maxAmount=Infinity',
  'maxAmount=NaN',
  'text=',
  'text=%00',
  `text=${'x'.repeat(501)}`,
])('%s: 400', async (query) => {
  expect(toOutcome(await get(query))).toEqual([400, 'VALIDATION_ERROR']);
});
