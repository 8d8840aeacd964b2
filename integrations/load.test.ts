// Many at once, and a service that is killed while a tool runs: what was approved is done once.
import { AlreadyExecuted, Assay, type Held } from '@assay/sdk';
import { expect, test, vi } from 'vitest';
import { App } from '../test/faults/apps.ts';
import { createAgent } from '../test/setup/personas.ts';
import { useStage } from './setup/stage.ts';
import { refund } from './setup/tools.ts';

const stage = useStage();
const { ada, agent, connect, createPolicy, decideNext, harness, listExecutions } = stage;
/** A busy machine takes its time. */
const PATIENT = { timeout: 150_000 };

async function holdRefund(): Promise<Held['held']> {
  const suspended = connect({ onHold: 'suspend' }).guard('issue_refund', async (_: object) => 1);
  const failure = await suspended(refund).catch((error: unknown) => error);
  const { held } = failure as Held;
  await decideNext({ decision: 'approve' }, held.traceId);
  return held;
}

test('a service that is killed between claim and outcome: the tool ran once, and no process runs it again', async () => {
  const held = await holdRefund();
  const app = new App({ mongoUri: harness.mongoUri });
  await app.start();
  const onError = vi.fn();
  const { key } = agent;
  const assay = new Assay({ url: app.url ?? '', key, timeout: 30_000, onError });
  const run = vi.fn(async () => {
    await app.kill();
    return 'paid';
  });
  expect(await assay.resume(held, run)).toBe('paid');
  // The outcome is sent again until the lease ends: nothing is lost yet.
  expect(onError).not.toHaveBeenCalled();
  expect(await listExecutions(held.traceId)).toMatchObject([{ endedAt: null }]);
  await expect(connect().resume(held, run)).rejects.toBeInstanceOf(AlreadyExecuted);
  expect(run).toHaveBeenCalledOnce();
});

test('forty processes that resume one approval: one runs it', async () => {
  const held = await holdRefund();
  const run = vi.fn(async () => 1);
  const assay = connect(PATIENT);
  const all = await Promise.allSettled(Array.from({ length: 40 }, () => assay.resume(held, run)));
  const reasons = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(reasons.filter((reason) => !(reason instanceof AlreadyExecuted))).toEqual([]);
  expect(reasons).toHaveLength(39);
  expect(run).toHaveBeenCalledOnce();
  expect(await listExecutions(held.traceId)).toHaveLength(1);
});

test('1,000 guards at once: each is asked for, and runs once', async () => {
  const decisions: string[] = [];
  const noting: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    const { data } = (await answer.clone().json()) as { data: { traceId?: string } };
    if (data.traceId !== undefined) decisions.push(data.traceId);
    return answer;
  };
  const run = vi.fn(async ({ order }: { order: number }) => order);
  // One agent alone would meet its limit a minute, and wait as the service says.
  const agents = await Promise.all(
    Array.from({ length: 4 }, (_, at) => createAgent(harness.app, ada, `helper-${at}`)),
  );
  const looks = agents.map(({ key }) =>
    connect({ ...PATIENT, key, fetch: noting }).guard('look_up', run),
  );
  const orders = Array.from({ length: 1_000 }, (_, order) => order);
  const running = orders.map((order) => looks[order % looks.length]!({ order }));
  expect(await Promise.all(running)).toEqual(orders);
  expect(run).toHaveBeenCalledTimes(1_000);
  expect(new Set(decisions).size).toBe(1_000);
});

test('fifty guards at once that need a claim have one each', async () => {
  await createPolicy('Ships', 'ship', { type: 'approve', config: { singleUse: true } });
  const claims: string[] = [];
  const noting: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    if (String(url).endsWith('/executions') && answer.status === 201) claims.push(String(url));
    return answer;
  };
  const run = vi.fn(async ({ order }: { order: number }) => order);
  const ship = connect({ ...PATIENT, fetch: noting }).guard('ship', run);
  const orders = Array.from({ length: 50 }, (_, order) => order);
  expect(await Promise.all(orders.map((order) => ship({ order })))).toEqual(orders);
  expect(new Set(claims).size).toBe(50);
});
