// What agents' code meets at a limit of a policy: which one, what is left of it, and what was used in fact.
import { describe, expect, test, vi } from 'vitest';
import {
  type AssayError,
  Blocked,
  Held,
  Invalid,
  type Limit,
  Rejected,
} from '../../../packages/sdk-typescript/src/index.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { useGuards } from './sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { connect, createPolicy, decideNext, listExecutions } = useGuards(harness, ada);
const limit = { of: 'action.totalAmount', per: 'agent', window: '24h', most: 100 };

const catchError = (running: Promise<unknown>): Promise<AssayError> =>
  running.then(
    () => Promise.reject(new Error('it ran')),
    (error: unknown) => error as AssayError,
  );

test('what passes a limit is blocked, and the code reads what is left and when there is more', async () => {
  await createPolicy('Cap', 'pay', { type: 'block', config: { limit } });
  const run = vi.fn(async (_: { amount: number }) => 'paid');
  const pay = connect().guard('pay', run);
  await pay({ amount: 70 });
  const failure = await catchError(pay({ amount: 40 }));
  expect(failure).toBeInstanceOf(Blocked);
  expect(failure.message).toContain('The limit is 100 (action.totalAmount)');
  expect(failure.limits).toEqual([
    {
      ...limit,
      policy: expect.stringMatching(/^[0-9a-f]{24}$/),
      at: 0,
      type: 'block',
      left: 30,
      freesAt: expect.any(String),
    },
  ]);
  await pay({ amount: 30 });
  expect(run).toHaveBeenCalledTimes(2);
});

test('an amount that cannot be read leaves nothing to say of what is left', async () => {
  await createPolicy('Cap', 'pay_text', { type: 'block', config: { limit } });
  const failure = await catchError(connect().guard('pay_text', vi.fn())({ amount: 'much' }));
  expect(failure.limits).toMatchObject([{ left: null, freesAt: null }]);
});

test('what is held because of a limit says which', async () => {
  const config = { limit: { ...limit, most: 10 } };
  await createPolicy('Ask', 'order', { type: 'flag_for_review', config });
  const failure = await catchError(
    connect({ onHold: 'suspend' }).guard('order', vi.fn())({ amount: 40 }),
  );
  expect(failure).toBeInstanceOf(Held);
  expect(failure.limits).toMatchObject([{ type: 'flag_for_review', most: 10, left: 10 }]);
  expect((failure as Held).toJSON()).not.toHaveProperty('limits');
  await decideNext({ decision: 'reject' }, failure.traceId);
});

test('who approves beyond a limit that blocks reads which one', async () => {
  await createPolicy('None', 'lend', { type: 'block', config: { limit: { ...limit, most: 0 } } });
  await createPolicy('Look', 'lend', { type: 'flag_for_review' });
  const held = await catchError(
    connect({ onHold: 'suspend' }).guard('lend', vi.fn())({ amount: 1 }),
  );
  const person = connect({ token: ada.token });
  const [item] = (await person.reviews.list()).filter(({ traceId }) => traceId === held.traceId);
  const refused = await catchError(
    person.reviews.decide(String(item?._id), { decision: 'approve' }),
  );
  expect(refused).toBeInstanceOf(Invalid);
  expect(refused).toMatchObject({ code: 'LIMIT_REACHED', status: 409, limits: [{ most: 0 }] });
  await decideNext({ decision: 'reject' }, held.traceId);
});

test('other refusals name no limit', async () => {
  const assay = connect();
  expect((await catchError(assay.guard('wire', vi.fn())({ amount: 1 }))).limits).toEqual([]);
  const running = catchError(assay.guard('issue_refund', vi.fn())({ amount: 1 }));
  await decideNext({ decision: 'reject' });
  expect(await running).toBeInstanceOf(Rejected);
  expect((await running).limits).toEqual([]);
});

describe('what an answer says of limits', () => {
  const right: Limit = {
    ...limit,
    policy: 'a'.repeat(24),
    at: 0,
    type: 'block',
    left: 0,
    freesAt: '2026-11-29T12:00:00.000Z',
  };
  const read = async (limits: unknown): Promise<readonly Limit[]> => {
    const data = { traceId: 'trc_1', status: 'blocked', limits };
    const body = { success: false, code: 'SVC_BLOCKED_BY_POLICY', error: 'No', data };
    const answer = { status: 403, headers: { 'content-type': 'application/json' } };
    const fetch = async () => new Response(JSON.stringify(body).replace('"∞"', '1e999'), answer);
    const failure = await catchError(
      connect({ agent: 'support', fetch }).guard('pay', vi.fn())({ amount: 1 }),
    );
    expect(failure).toBeInstanceOf(Blocked);
    return failure.limits;
  };
  test('is kept without what is no part of it', async () => {
    expect(await read([{ ...right, __proto__: null, more: 'x' }])).toEqual([right]);
    expect(await read([{ ...right, left: null, freesAt: null }])).toMatchObject([{ left: null }]);
  });
  test.each([
    ['no list', { ...right }],
    ['a text', 'none'],
    ['null', null],
    ['nothing', [null, 1, 'x', [], {}]],
    ['no policy', [{ ...right, policy: undefined }]],
    ['an empty name', [{ ...right, per: '' }]],
    ['a number for a name', [{ ...right, window: 24 }]],
    ['a place below the first', [{ ...right, at: -1 }]],
    ['a limit in words', [{ ...right, most: '100' }]],
    ['an endless limit', [{ ...right, most: '∞' }]],
    ['less than nothing left', [{ ...right, left: -5 }]],
    ['nothing of what is left', [{ ...right, left: undefined }]],
    ['nothing of the time', [{ ...right, freesAt: undefined }]],
    ['a number for the time', [{ ...right, freesAt: 1 }]],
  ])('is nothing where it has %s', async (_what, limits) => {
    expect(await read(limits)).toEqual([]);
  });
  test('is what can be read of several', async () => {
    expect(await read([{ ...right, most: null }, right])).toEqual([right]);
  });
});

describe('what was used', () => {
  /** Runs a call that is claimed, and returns what its outcome says. */
  async function end(
    used: (result: { paid: number }) => unknown,
    run: (given: { amount: number }) => unknown = ({ amount }) => ({ paid: amount / 2 }),
    tool = 'mail',
  ) {
    const complaints: unknown[] = [];
    const claims: string[] = [];
    const assay = connect({
      onError: (error) => void complaints.push(error),
      async fetch(url, init) {
        const [, id] = /\/traces\/(trc_[^/]+)\/executions$/.exec(String(url)) ?? [];
        if (id !== undefined) claims.push(id);
        return fetch(url, init);
      },
    });
    const call = assay.guard(tool, run, { claim: 'always', used: used as never });
    const ended = await call({ amount: 60 }).then(
      () => 'returned',
      () => 'threw',
    );
    const [execution] = await listExecutions(claims[0]!);
    return { ended, execution, complaints };
  }

  test('settles what was reserved', async () => {
    await createPolicy('Cap', 'ship', { type: 'block', config: { limit } });
    const { execution, complaints } = await end(
      ({ paid }) => ({ amount: paid, tokens: 12 }),
      undefined,
      'ship',
    );
    expect(execution).toMatchObject({ state: 'succeeded', used: { amount: 30, tokens: 12 } });
    expect(complaints).toEqual([]);
    // Without that 60 of 100 were spent.
    const again = connect().guard('ship', async ({ amount }) => amount, { claim: 'always' });
    expect(await again({ amount: 70 })).toBe(70);
    const { limits } = await catchError(again({ amount: 1 }));
    expect(limits).toMatchObject([{ left: 0 }]);
  });

  test.each<[what: string, used: () => unknown]>([
    ['that throws', () => JSON.parse('no')],
    ['that is negative', () => ({ amount: -1 })],
    ['that is endless', () => ({ tokens: Infinity })],
    ['that is no number', () => ({ amount: NaN, tokens: 5 })],
    ['in words', () => ({ amount: '5' })],
    ['that the service refuses', () => ({ amount: 1e20 })],
  ])('loses no outcome where it is something %s', async (_what, used) => {
    const { ended, execution, complaints } = await end(used);
    expect(ended).toBe('returned');
    expect(execution).toMatchObject({ state: 'succeeded', used: null });
    expect(execution.resultDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(complaints).toHaveLength(1);
  });

  test('loses no outcome where the complaint fails, too', async () => {
    const traces: string[] = [];
    const assay = connect({
      onError() {
        throw new Error('the log is full');
      },
      async fetch(url, init) {
        traces.push(...(/\/traces\/(trc_[^/]+)\/executions$/.exec(String(url))?.slice(1) ?? []));
        return fetch(url, init);
      },
    });
    const options = { claim: 'always', used: () => ({ amount: -1 }) } as const;
    expect(await assay.guard('mail', async () => 'sent', options)()).toBe('sent');
    expect(await listExecutions(traces[0]!)).toMatchObject([{ state: 'succeeded', used: null }]);
  });

  test('settles what another process resumed', async () => {
    const assay = connect({ onHold: 'suspend' });
    const buy = async ({ amount }: { amount: number }) => ({ amount, cost: amount - 1 });
    const { held } = (await catchError(assay.guard('issue_refund', buy)({ amount: 9 }))) as Held;
    await decideNext({ decision: 'approve' }, held.traceId);
    await connect().resume(held, buy, { used: ({ cost }) => ({ amount: cost }) });
    expect(await listExecutions(held.traceId)).toMatchObject([{ used: { amount: 8 } }]);
  });

  test.each<[what: string, used: () => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['nothing in particular', () => ({})],
    ['something else', () => ({ cost: 5 })],
  ])('is what was reserved where it says %s', async (_what, used) => {
    const { execution, complaints } = await end(used);
    expect(execution).toMatchObject({ state: 'succeeded', used: null });
    expect(complaints).toEqual([]);
  });

  test('is not asked of what failed', async () => {
    const used = vi.fn();
    const { ended, execution } = await end(used, () => Promise.reject(new Error('no stock')));
    expect([ended, execution.state, execution.used]).toEqual(['threw', 'failed', null]);
    expect((await end(used, () => ({ isError: true }))).execution.state).toBe('failed');
    expect(used).not.toHaveBeenCalled();
  });

  test('is asked of a stream after its last step', async () => {
    let tokens = 0;
    async function* write(_: object) {
      for (const word of ['one', 'two']) {
        tokens += 1;
        yield word;
      }
    }
    const traces: string[] = [];
    const assay = connect({
      async fetch(url, init) {
        traces.push(...(/\/traces\/(trc_[^/]+)\/executions$/.exec(String(url))?.slice(1) ?? []));
        return fetch(url, init);
      },
    });
    const guarded = assay.guard('write', write, {
      claim: 'always',
      used: () => ({ tokens }),
    });
    for await (const _ of await guarded({})) continue;
    await assay.flush();
    expect(await listExecutions(traces[0]!)).toMatchObject([{ used: { tokens: 2 } }]);
  });
});
