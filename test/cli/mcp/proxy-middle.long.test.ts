// A proxy before whatever else may answer in the place of Assay: no tool runs unasked, its client hears why, and the session goes on.
// @module-tag long
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { useHarness, useOwner } from '../../setup/fixtures.ts';
import { createAgent } from '../../setup/personas.ts';
import type { Step } from '../../sdk/broken-middle.ts';
import { chooseRuns } from '../../setup/runs.ts';
import { type Middle, tryFaults } from '../../sdk/try-faults.ts';
import { useGuards } from '../../sdk/typescript/sdk-stage.ts';
import { type ProxyOptions, type Serve, useProxies, type Way, WAYS } from './proxy-stage.ts';
import { type RawClient, type Message, readDecision, readText, toText } from './raw-clients.ts';

const harness = useHarness();
const ada = useOwner(harness);
const { createPolicy, decideNext, listExecutions } = useGuards(harness, ada);
const { connect } = useProxies();

/** One for each test: a key asks for a limited number of decisions a minute. */
let agent: { id: string; key: string };
beforeEach(async () => {
  agent = await createAgent(harness.app, ada);
});
// Pauses between attempts are chance.
beforeEach(() => vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

interface Attempt {
  client: RawClient;
  /** The calls that reached the server. */
  ran: string[];
  /** What the server lists. */
  tools: object[];
  middle: Middle;
  isAway: boolean;
  /** Whether Assay itself refuses, so that nothing is sent again. */
  isRefusal: boolean;
  /** Whether it is a decision, though another than the service's. */
  isDecision: boolean;
}
/** Returns what is looked at when the proxy has ended. */
type Body = (attempt: Attempt) => Promise<void | (() => Promise<void>)>;

const DECISIONS = new Set(['rejected', 'expired', 'withdrawn']);
beforeAll(() => createPolicy('Tools', 'mcp.tools_changed', { type: 'flag_for_review' }));

/** Time-outs are the client's own, and take ten seconds each: two steps are enough. */
const withoutSlow = (step: Step): { isQuick?: boolean } =>
  step === 'propose' || step === 'wait' ? {} : { isQuick: true };

interface Asked {
  way: Way;
  step: Step;
  options?: Partial<ProxyOptions>;
  /** Whether the proxy knows which agent acts. */
  isNamed?: boolean;
}

/** Tries every wrong answer at a step, each with a proxy of its own. */
const tryAll = ({ way, step, options = {}, isNamed = true }: Asked, body: Body): Promise<void> =>
  tryFaults(
    { step, upstream: harness.app.url, ...withoutSlow(step) },
    async (middle, { isAway, name }) => {
      const ran: string[] = [];
      // One change of one server is asked for once.
      const bank = `bank-${randomUUID()}`;
      const tools: object[] = [
        { name: 'look_up', annotations: { readOnlyHint: true } },
        { name: 'issue_refund' },
      ];
      const serve: Serve = ({ method, params }) => {
        if (method === 'tools/call') ran.push(params!.name!);
        if (method === 'tools/call') return toText(`done ${params!.name}`);
        if (method === 'tools/list') return { result: { tools } };
        return { result: { serverInfo: { name: bank } } };
      };
      const named = isNamed ? { agent: agent.id } : {};
      const given = { url: middle.url, key: agent.key, ...named, ...options };
      const client = await connect(way, given, serve);
      const look = await body({
        client,
        ran,
        tools,
        middle,
        isAway,
        isRefusal: name === 'an unknown key',
        isDecision: DECISIONS.has(name) || name.startsWith('blocked'),
      });
      // What was open is over: the next call runs as if nothing had been.
      middle.mend();
      ran.splice(0);
      const next = await client.call('look_up', { order: 'next' });
      expect([readText(next), ran]).toEqual(['done look_up', ['look_up']]);
      await client.close();
      await look?.();
    },
  );

const expectRefused = (answer: Message, ran: string[]): void => {
  expect(answer.result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
  expect(readText(answer)).toMatch(/did not run|has not run/);
  expect(ran).toEqual([]);
};

describe.each(WAYS.slice(0, chooseRuns(1, 2)))('over %s', (way) => {
  test.each(['block', 'allow-read-only', 'allow'])(
    'a proposal runs nothing, unless the service is away and its owner wants that: %s',
    (onUnavailable) =>
      tryAll({ way, step: 'propose', options: { onUnavailable } }, async (attempt) => {
        const { client, ran, isAway } = attempt;
        await client.list();
        const refund = await client.call('issue_refund', { order: 'A-17' });
        if (isAway && onUnavailable === 'allow') expect(readText(refund)).toBe('done issue_refund');
        else expectRefused(refund, ran);
        ran.splice(0);
        const found = await client.call('look_up', { order: 'A-17' });
        if (isAway && onUnavailable !== 'block') expect(readText(found)).toBe('done look_up');
        else expectRefused(found, ran);
      }),
  );

  test('an agent that is not known runs nothing', () =>
    tryAll({ way, step: 'key', isNamed: false }, async ({ client, ran }) => {
      expectRefused(await client.call('look_up', { order: 'A-17' }), ran);
    }));

  test('what a trusted tool reads is given at once, whatever answers its record', () =>
    tryAll({ way, step: 'batch', options: { readOnly: 'trust' } }, async ({ client, ran }) => {
      await client.list();
      expect(readText(await client.call('look_up', { order: 'A-17' }))).toBe('done look_up');
      expect(ran).toEqual(['look_up']);
      ran.splice(0);
      expectRefused(await client.call('issue_refund', { order: 'A-17' }), ran);
    }));

  test('a wait runs nothing, and can be taken up again', () =>
    tryAll({ way, step: 'wait' }, async ({ client, ran, middle, isDecision }) => {
      const held = await client.call('issue_refund', { order: 'A-18' });
      expectRefused(held, ran);
      if (isDecision) return;
      const decision = readDecision(held);
      expect(readText(held)).toContain(decision);
      const waited = await client.call('assay_await', { decision });
      expectRefused(waited, ran);
      expect(readDecision(waited)).toBe(decision);
      middle.mend();
      await decideNext({ decision: 'approve' }, decision);
      const done = await client.call('assay_await', { decision });
      expect([readText(done), ran]).toEqual(['done issue_refund', ['issue_refund']]);
    }));

  test('a claim runs nothing', () =>
    tryAll({ way, step: 'claim' }, async ({ client, ran }) => {
      const decision = readDecision(await client.call('issue_refund', { order: 'A-19' }));
      await decideNext({ decision: 'approve' }, decision);
      expectRefused(await client.call('assay_await', { decision }), ran);
      // What may be claimed already is not claimed again.
      expect((await client.call('assay_await', { decision })).result).toMatchObject({
        isError: true,
      });
      expect(ran).toEqual([]);
    }));

  // The answer waits some seconds for its outcome.
  test('an outcome is sent later, and keeps no answer back', { tags: ['long'] }, () =>
    tryAll({ way, step: 'outcome' }, async ({ client, ran, isRefusal }) => {
      const decision = readDecision(await client.call('issue_refund', { order: 'A-20' }));
      await decideNext({ decision: 'approve' }, decision);
      const done = await client.call('assay_await', { decision });
      expect([readText(done), ran]).toEqual(['done issue_refund', ['issue_refund']]);
      return async () =>
        expect(await listExecutions(decision)).toMatchObject([
          { state: isRefusal ? 'claimed' : 'succeeded' },
        ]);
    }),
  );

  test('a withdrawal runs nothing, and holds no end up', () =>
    tryAll({ way, step: 'withdraw' }, async ({ client, ran }) => {
      expectRefused(await client.call('issue_refund', { order: 'A-21' }), ran);
    }));

  test('a tool that changed stays closed, also where the service is away', () =>
    tryAll({ way, step: 'propose', options: { onUnavailable: 'allow' } }, async (attempt) => {
      const { client, ran, tools, middle, isDecision } = attempt;
      await client.list();
      tools.push({ name: 'pay_out', description: 'new' });
      await client.list();
      expectRefused(await client.call('pay_out'), ran);
      if (isDecision) return;
      middle.mend();
      const closed = await client.call('pay_out');
      expectRefused(closed, ran);
      await decideNext({ decision: 'approve' }, readDecision(closed));
      expect(readText(await client.call('pay_out'))).toBe('done pay_out');
    }));
});
