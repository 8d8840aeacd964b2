// What a reviewer changes runs as it was approved, or not at all: every way from arguments to an action and back.
import { describe, expect, test, vi } from 'vitest';
import {
  applyEdits,
  createCall,
  type GuardOptions,
} from '../../../packages/sdk-typescript/src/guarding/call.ts';
import {
  ActionChanged,
  type HeldAction,
  Invalid,
  type JsonObject,
} from '../../../packages/sdk-typescript/src/index.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { useGuards } from './sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const stage = useGuards(harness, ada);

class Money {
  amount: number;
  constructor(amount: number) {
    this.amount = amount;
  }
}
const callback = (): void => undefined;
const day = new Date('2026-01-01T00:00:00.000Z');
const cycle: { self?: object; amount: number } = { amount: 1 };
cycle.self = cycle;

// oxlint-disable-next-line typescript/no-explicit-any -- functions of every type
type Any = any;

interface Way {
  name: string;
  args: unknown[];
  options?: GuardOptions<Any[]>;
  edits: unknown;
  /** What the function gets; absent: the edit has no way back. */
  runs?: unknown[];
}

const toPair: GuardOptions<Any[]> = { toArguments: (order, amount) => ({ order, amount }) };
const ways: Way[] = [
  { name: 'one object', args: [{ a: 1, b: 2 }], edits: { a: 5 }, runs: [{ a: 5, b: 2 }] },
  { name: 'a member removed', args: [{ a: 1, b: 2 }], edits: { a: null }, runs: [{ b: 2 }] },
  { name: 'a member added', args: [{ a: 1 }], edits: { b: 2 }, runs: [{ a: 1, b: 2 }] },
  { name: 'a list of arguments', args: ['A', 900], edits: ['A', 50], runs: ['A', 50] },
  { name: 'rest parameters', args: ['A', 1, 2, 3], edits: ['A', 1], runs: ['A', 1] },
  { name: 'no arguments', args: [], edits: ['A'], runs: ['A'] },
  { name: 'a list alone', args: [[1, 2]], edits: [[1, 5]], runs: [[1, 5]] },
  { name: 'a text alone', args: ['ls'], edits: ['pwd'], runs: ['pwd'] },
  {
    name: 'several objects',
    args: [{ a: 1, on: callback }, { b: 2 }],
    edits: [{ a: 1 }, { b: 5 }],
    runs: [{ a: 1, on: callback }, { b: 5 }],
  },
  { name: 'a list that becomes one object', args: ['A', 1], edits: [{ a: 1 }] },
  { name: 'an object that becomes a list', args: [{ a: 1 }], edits: [1, 2], runs: [1, 2] },
  { name: 'an object that becomes one in a list', args: [{ a: 1 }], edits: [{ a: 1 }] },
  { name: 'an object that becomes nothing', args: [{ a: 1 }], edits: null },
  {
    name: 'two values in one object, without a way back',
    args: ['A', 900],
    options: toPair,
    edits: { amount: 50 },
  },
  {
    name: 'two values in one object, and back',
    args: ['A', 900],
    options: { ...toPair, fromArguments: ({ order, amount }: Any) => [order, amount] },
    edits: { amount: 50 },
    runs: ['A', 50],
  },
  {
    name: 'a way back that forgets the edit',
    args: ['A', 900],
    options: { ...toPair, fromArguments: (_: never, ...args: Any[]) => args },
    edits: { amount: 50 },
  },
  {
    name: 'a way back that fails',
    args: ['A', 900],
    options: {
      ...toPair,
      fromArguments: () => {
        throw new Error('no');
      },
    },
    edits: { amount: 50 },
  },
  {
    name: 'a way back to no list',
    args: ['A', 900],
    options: { ...toPair, fromArguments: (edited: never) => edited },
    edits: { amount: 50 },
  },
  {
    name: 'members that the decision leaves out',
    args: [{ order: 'A', amount: 900, secret: 's', on: callback }],
    options: { toArguments: ({ order, amount }) => ({ order, amount }) },
    edits: { amount: 50 },
    runs: [{ order: 'A', amount: 50, secret: 's', on: callback }],
  },
  {
    name: 'a renamed member',
    args: [{ amt: 900 }],
    options: { toArguments: ({ amt }) => ({ amount: amt }) },
    edits: { amount: 50 },
  },
  {
    name: 'a member that is computed',
    args: [{ cents: 90_000 }],
    options: { toArguments: ({ cents }) => ({ amount: cents / 100 }) },
    edits: { amount: 50 },
  },
  {
    name: 'a context before the input',
    args: [cycle, { amount: 900 }],
    options: { toArguments: (_, input) => input },
    edits: { amount: 50 },
    runs: [cycle, { amount: 50 }],
  },
  {
    name: 'a text shown as it is',
    args: [cycle, 'ls'],
    options: { toArguments: (_, command) => command },
    edits: 'pwd',
    runs: [cycle, 'pwd'],
  },
  {
    name: 'an unchanged date beside',
    args: [{ day, a: 1 }],
    edits: { a: 2 },
    runs: [{ day, a: 2 }],
  },
  { name: 'a changed date', args: [{ day }], edits: { day: '2026-02-02T00:00:00.000Z' } },
  { name: 'a changed instance', args: [{ money: new Money(1) }], edits: { money: { amount: 2 } } },
  {
    name: 'undefined beside',
    args: [{ a: undefined, b: 1 }],
    edits: { b: 2 },
    runs: [{ a: undefined, b: 2 }],
  },
  { name: 'undefined in a list', args: [undefined, 1], edits: [null, 2], runs: [undefined, 2] },
  { name: 'a default left out', args: ['A', undefined], edits: ['A', 5], runs: ['A', 5] },
  {
    name: 'a large integer beside',
    args: [{ id: 1234567890123456789n, a: 1 }],
    edits: { a: 2 },
    runs: [{ id: 1234567890123456789n, a: 2 }],
  },
  {
    name: 'a large integer changed',
    args: [{ id: 1234567890123456789n }],
    edits: { id: '1234567890123456780' },
    runs: [{ id: 1234567890123456780n }],
  },
  {
    name: 'a large integer that becomes no integer',
    args: [{ id: 1234567890123456789n }],
    edits: { id: 'x' },
  },
  {
    name: 'nested objects and lists',
    args: [{ to: { name: 'Ada', tags: [{ t: 1, on: callback }, { t: 2 }] } }],
    edits: { to: { tags: [{ t: 1 }, { t: 3 }] } },
    runs: [{ to: { name: 'Ada', tags: [{ t: 1, on: callback }, { t: 3 }] } }],
  },
  {
    name: 'a member called __proto__',
    args: [JSON.parse('{"a":1}')],
    edits: JSON.parse('{"__proto__":{"x":1}}'),
    runs: [JSON.parse('{"a":1,"__proto__":{"x":1}}')],
  },
];

test.each(ways)('$name', async ({ args, options = {}, edits, runs }) => {
  const call = createCall({ tool: 'pay', run: vi.fn(), args, options });
  const applied = applyEdits(call, { arguments: edits } as JsonObject, 'trc_1');
  if (runs) expect((await applied).args).toEqual(runs);
  else await expect(applied).rejects.toBeInstanceOf(ActionChanged);
});

test.each([{ tool: 'wire' }, { server: 'other' }, { cwd: '/' }, { extra: 1 }, { server: null }])(
  'an edit of something else than the arguments, %j, runs nothing',
  async (edits) => {
    const options = { members: { server: 'bank' } };
    const call = createCall({ tool: 'pay', run: vi.fn(), args: [{ a: 1 }], options });
    await expect(applyEdits(call, edits as JsonObject, 'trc_1')).rejects.toMatchObject({
      code: 'ACTION_CHANGED',
    });
  },
);

test('an edit beside a reference keeps the whole; one of the reference runs nothing', async () => {
  const content = 'x'.repeat(20_000);
  const rows = Array.from({ length: 300 }, (_, id) => ({ id, name: 'Ada Lovelace', paid: true }));
  const call = createCall({
    tool: 'write',
    run: vi.fn(),
    args: [{ path: '/a', content, rows }],
    options: {},
  });
  const { args } = await applyEdits(call, { arguments: { path: '/b' } }, 'trc_1');
  expect(args).toEqual([{ path: '/b', content, rows }]);
  for (const edits of [{ content: { $head: 'y' } }, { rows: { $head: '[]' } }])
    await expect(applyEdits(call, { arguments: edits }, 'trc_1')).rejects.toBeInstanceOf(
      ActionChanged,
    );
});

describe('at the service', () => {
  const approve = (amount: number) =>
    stage.decideNext({ decision: 'approve', edits: { arguments: { amount } } });
  const toArguments = (order: string, amount: number) => ({ order, amount });
  const fromArguments = ({
    order,
    amount,
  }: {
    order: string;
    amount: number;
  }): [string, number] => [order, amount];

  test('a mapped call runs with the edited values, or claims nothing', async () => {
    const run = vi.fn((_order: string, _amount: number) => 'paid');
    const assay = stage.connect();
    const paying = assay.guard('issue_refund', run, { toArguments, fromArguments })('A-1', 900);
    const traceId = await approve(50);
    expect(await paying).toBe('paid');
    expect(run.mock.calls).toEqual([['A-1', 50]]);
    expect(await stage.listExecutions(traceId)).toMatchObject([{ state: 'succeeded' }]);
    const refused = assay.guard('issue_refund', run, { toArguments })('A-1', 900);
    const [unclaimed] = await Promise.all([
      approve(50),
      expect(refused).rejects.toMatchObject({ code: 'ACTION_CHANGED' }),
    ]);
    expect(await stage.listExecutions(unclaimed)).toEqual([]);
    expect(run).toHaveBeenCalledOnce();
  });

  test('a mapped call that is resumed gets what the guard would have passed', async () => {
    const run = vi.fn((_order: string, _amount: number) => 'paid');
    const assay = stage.connect({ onHold: 'suspend' });
    const mapping = { toArguments, fromArguments };
    const suspend = async (amount: number): Promise<HeldAction> => {
      const error = await assay
        .guard(
          'issue_refund',
          run,
          mapping,
        )('A-2', amount)
        .catch((e) => e);
      return JSON.parse(JSON.stringify(error)) as HeldAction;
    };
    const held = await suspend(900);
    await approve(50);
    await expect(assay.resume(held, run)).rejects.toBeInstanceOf(Invalid);
    expect(await assay.resume(held, run, mapping)).toBe('paid');
    expect(run.mock.calls).toEqual([['A-2', 50]]);
    const other = await suspend(901);
    await approve(51);
    await expect(assay.resume(other, run, { fromArguments })).rejects.toBeInstanceOf(ActionChanged);
    expect(run).toHaveBeenCalledOnce();
  });

  test('two values without a mapping are two values again', async () => {
    const run = vi.fn((_order: string, _amount: number) => 'paid');
    const assay = stage.connect({ onHold: 'suspend' });
    const held = await assay
      .guard('issue_refund', run)('A-3', 900)
      .catch((error) => error);
    await stage.decideNext({ decision: 'approve', edits: { arguments: ['A-3', 50] } });
    expect(await assay.resume(held, run)).toBe('paid');
    expect(run.mock.calls).toEqual([['A-3', 50]]);
  });

  test('arguments that change between claim and run do not run', async () => {
    const args = { order: 'A-4', amount: 90 };
    const run = vi.fn();
    const change: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      if (String(input).endsWith('/executions')) args.amount = 9_000;
      return answer;
    };
    const call = stage.connect({ fetch: change }).guard('look_up', run, { claim: 'always' });
    await expect(call(args)).rejects.toBeInstanceOf(ActionChanged);
    expect(run).not.toHaveBeenCalled();
  });
});
