// Every operation in every mode, with each wrong answer of a server in between: nothing runs unasked, no key goes elsewhere.
// @module-tag varied
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  Assay,
  AssayError,
  type AssayOptions,
  Held,
  Unavailable,
} from '../../../packages/sdk-typescript/src/index.ts';
import { FileJournal } from '../../../packages/sdk-typescript/src/journal.ts';
import type { Step } from '../broken-middle.ts';
import { type FaultBody, type Middle, SLOW_MS, TIMEOUT_MS, tryFaults } from '../try-faults.ts';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { useGuards } from './sdk-stage.ts';

const harness = useHarness();
const ada = useOwner(harness);
const stage = useGuards(harness, ada);
const folder = mkdtempSync(join(tmpdir(), 'assay-broken-'));

// Pauses between attempts are chance.
beforeEach(() => vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

let journals = 0;
const createJournal = () => new FileJournal(join(folder, `${(journals += 1)}.jsonl`));

function connect(at: Pick<Middle, 'url' | 'timeout'>, options: AssayOptions = {}): Assay {
  const { url, timeout } = at;
  const { key, id } = stage.agent;
  return new Assay({ url, timeout, key, agent: id, ...options });
}

const tryAll = (step: Step, body: FaultBody): Promise<void> =>
  tryFaults({ step, upstream: harness.app.url }, body);

/** Returns the error that a call ends with; undefined: none. */
const catchError = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    (error: unknown) => error,
  );

test('a proposal runs nothing, unless the service is away and its owner wants that', () =>
  tryAll('propose', async (middle, { isAway }) => {
    for (const [onUnavailable, readOnly] of [
      ['block', true],
      ['allow-read-only', false],
      ['allow-read-only', true],
      ['allow', false],
    ] as const) {
      const run = vi.fn();
      const mayRun =
        isAway && (onUnavailable === 'allow' || (onUnavailable !== 'block' && readOnly));
      const options: AssayOptions =
        onUnavailable === 'block' ? {} : { onUnavailable, journal: createJournal() };
      const call = connect(middle, options).guard('look_up', run, { readOnly });
      const error = await catchError(call());
      expect(run).toHaveBeenCalledTimes(mayRun ? 1 : 0);
      if (!mayRun) expect(error).toBeInstanceOf(AssayError);
      if (error instanceof Unavailable) expect(error.isAway).toBe(isAway);
    }
  }));

test('what is asked first, posted, suspended or in the journal takes no wrong answer for a decision', () =>
  tryAll('propose', async (middle, { isAway, name }) => {
    const options: AssayOptions = { journal: createJournal(), onUnavailable: 'allow' };
    const assay = connect(middle, { ...options, onHold: 'suspend' });
    const named = { context: { runId: crypto.randomUUID(), callId: '1' } };
    const run = vi.fn();
    await expect(assay.askFirst('look_up', [{}], named)).rejects.toBeInstanceOf(AssayError);
    const body = { inputContext: { prompt: 'x' }, outputDecision: { action: 'look_up' } };
    // Who posts a decision by hand compares its binding by hand.
    if (name !== 'the binding of another action')
      await expect(assay.decisions.create(body)).rejects.toBeInstanceOf(AssayError);
    const error = await catchError(assay.guard('look_up', run, named)());
    if (isAway) await expect(assay.sendJournal()).rejects.toBeInstanceOf(AssayError);
    else expect(error).toBeInstanceOf(AssayError);
    expect(run).toHaveBeenCalledTimes(isAway ? 1 : 0);
    middle.mend();
    expect(await connect(middle, options).sendJournal()).toBe(isAway ? 1 : 0);
  }));

test('an agent that is not known runs nothing', () =>
  tryAll('key', async (middle) => {
    const run = vi.fn();
    const assay = new Assay({ url: middle.url, key: stage.agent.key, timeout: middle.timeout });
    const error = await catchError(assay.guard('look_up', run)());
    expect(error).toBeInstanceOf(AssayError);
    expect(run).not.toHaveBeenCalled();
  }));

test.each(['batch', 'key'] as const)(
  'an observed call runs at once, whatever answers its %s',
  (step) =>
    tryAll(step, async (middle) => {
      const run = vi.fn(() => 'done');
      const agent = step === 'batch' ? { agent: stage.agent.id } : {};
      const { url, timeout } = middle;
      const { key } = stage.agent;
      const assay = new Assay({ url, timeout, key, ...agent, mode: 'observe' });
      expect(await assay.guard('issue_refund', run)()).toBe('done');
      expect(run).toHaveBeenCalledOnce();
      await expect(assay.flush()).rejects.toMatchObject({ code: 'DECISIONS_LOST' });
    }),
);

test('switched off, nothing is asked', () =>
  tryAll('propose', async (middle) => {
    expect(await connect(middle, { mode: 'off' }).guard('wire', () => 1)()).toBe(1);
    expect(middle.asked).toEqual([]);
  }));

test('a wait runs nothing', () =>
  tryAll('wait', async (middle) => {
    const run = vi.fn();
    const options: AssayOptions = { wait: 100, onUnavailable: 'allow', journal: createJournal() };
    const call = connect(middle, options).guard('issue_refund', run);
    expect(await catchError(call({ order: 'A-17' }))).toBeInstanceOf(AssayError);
    const suspending = connect(middle, { ...options, onHold: 'suspend' });
    const held = (await catchError(
      suspending.guard('issue_refund', run)({ order: 'A-18' }),
    )) as Held;
    expect(held).toBeInstanceOf(Held);
    await expect(suspending.resume(held, run)).rejects.toBeInstanceOf(AssayError);
    expect(run).not.toHaveBeenCalled();
    await suspending.decisions.withdraw(held.held.traceId);
  }));

test('a claim runs nothing', () => {
  const { timeout } = AbortSignal;
  // A claim takes its time for more attempts, which is no matter here.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
    timeout.call(AbortSignal, ms < 20_000 ? Math.min(ms, SLOW_MS) : ms),
  );
  return tryAll('claim', async (middle) => {
    const run = vi.fn();
    const options: AssayOptions = { onUnavailable: 'allow', journal: createJournal() };
    const call = connect(middle, options).guard('look_up', run, { claim: 'always' });
    expect(await catchError(call())).toBeInstanceOf(AssayError);
    expect(run).not.toHaveBeenCalled();
  });
});

test('an outcome is sent later, and keeps no caller waiting for long', { tags: ['long'] }, () =>
  tryAll('outcome', async (middle) => {
    const run = vi.fn(() => 'done');
    const assay = connect(middle);
    const context = { runId: crypto.randomUUID(), callId: '1' };
    const call = assay.guard('look_up', run, { context });
    expect(await call()).toBe('done');
    middle.mend();
    await assay.flush();
    expect(middle.asked.filter((step) => step === 'outcome').length).toBeGreaterThan(0);
    await expect(call()).rejects.toMatchObject({ code: 'APPROVAL_USED' });
    expect(run).toHaveBeenCalledOnce();
  }),
);

test('a withdrawal runs nothing', () =>
  tryAll('withdraw', async (middle) => {
    const run = vi.fn();
    const call = connect(middle, { wait: 0 }).guard('issue_refund', run);
    expect(await catchError(call({ order: 'A-19' }))).toBeInstanceOf(AssayError);
    expect(run).not.toHaveBeenCalled();
  }));

test('an old approval is no answer to a new call', async () => {
  const run = vi.fn();
  let kept: Response | undefined;
  const replay: typeof fetch = async (input, init) => {
    if (!String(input).endsWith('/traces')) return fetch(input, init);
    kept ??= await fetch(input, init);
    return kept.clone();
  };
  const call = connect({ url: harness.app.url, timeout: TIMEOUT_MS }, { fetch: replay }).guard(
    'look_up',
    run,
  );
  await call({ order: 1 });
  await expect(call({ order: 1 })).rejects.toMatchObject({ code: 'NOT_ASSAY' });
  await expect(call({ order: 2 })).rejects.toMatchObject({ code: 'NOT_ASSAY' });
  expect(run).toHaveBeenCalledOnce();
});
