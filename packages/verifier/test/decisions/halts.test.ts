// The offline verifier on halts: no act within their scope stands between a halt and its resumption.
import { expect, test } from 'vitest';
import {
  AGENT,
  createDice,
  disclosed,
  ORGANIZATION,
  SampleChain,
} from '../../../../test/domain/record/samples/sample-chain.ts';
import { chooseRuns } from '../../../../test/setup/runs.ts';
import { verifyPinned } from '../verification.ts';

type State = 'halted' | 'watched' | 'resumed';
type Step = State | 'approved' | 'flagged' | 'review' | 'claimed' | 'observed' | 'elsewhere';

/** The first decision is flagged; reviews and claims are about it. */
function chainOf(steps: readonly Step[]) {
  const chain = new SampleChain();
  chain.trace();
  for (const step of steps) {
    if (step === 'approved' || step === 'flagged') chain.trace({}, step);
    else if (step === 'observed') chain.trace({ adapter: { mode: 'observed' } }, 'approved');
    else if (step === 'review') chain.amend('review', 0);
    else if (step === 'claimed') chain.execute(0, 'claimed');
    else if (step === 'elsewhere')
      chain.attest({ kind: 'halt', scope: 'agent', target: 'f'.repeat(24), state: 'halted' });
    else chain.attest({ kind: 'halt', scope: 'agent', target: AGENT, state: step });
  }
  return chain.entries;
}

const verifySteps = (steps: readonly Step[]) => {
  const entries = chainOf(steps);
  return verifyPinned(entries, entries.at(-1)!);
};

test.each<[Step[]]>([
  [['approved', 'halted', 'flagged']],
  [['halted', 'resumed', 'approved', 'review', 'claimed']],
  [['watched', 'flagged', 'review', 'claimed']],
  [['halted', 'watched', 'review']],
  [['halted', 'observed']],
  [['elsewhere', 'approved', 'review', 'claimed']],
])('%j is intact', async (steps) => {
  expect(await verifySteps(steps)).toMatchObject({ verdict: 'intact' });
});

test.each<[Step[], number]>([
  [['halted', 'approved'], 3],
  [['halted', 'review'], 3],
  [['review', 'halted', 'claimed'], 4],
  [['watched', 'approved'], 3],
  [['halted', 'resumed', 'halted', 'flagged', 'approved'], 6],
])('%j is tampered with', async (steps, sequence) => {
  expect(await verifySteps(steps)).toMatchObject({
    verdict: 'tampered',
    problems: [{ code: 'halt-mismatch', sequence }],
  });
});

const WORKSPACE = 'e'.repeat(24);
const MARK = 'unregistered-agent-mrk';
const SESSION = 'session-target-22-char';
const PERSON = 'd'.repeat(24);
type Scope = 'session' | 'agent' | 'workspace' | 'organization' | 'person';
const SCOPES: readonly Scope[] = ['session', 'agent', 'workspace', 'organization', 'person'];

/** What a decision is halted by, and the like of another one. */
const TARGETS: Record<Scope, [own: string, other: string]> = {
  session: [SESSION, 'another-session-target'],
  agent: [AGENT, 'f'.repeat(24)],
  workspace: [WORKSPACE, 'f'.repeat(24)],
  organization: [ORGANIZATION, 'f'.repeat(24)],
  person: [PERSON, 'f'.repeat(24)],
};
const principal = {
  chain: [
    { type: 'agent', id: PERSON, issuer: 'x' },
    { type: 'user', id: 'c'.repeat(24), issuer: 'x' },
    { type: 'user', id: PERSON, issuer: 'x' },
  ],
};
const PLACED = { sessionId: 's-1', principal };

/** Halts a target; a halt of a session says what that is. */
function haltScope(chain: SampleChain, scope: Scope, isOwn: boolean, state: State): void {
  const target = TARGETS[scope][isOwn ? 0 : 1];
  const session = { workspaceId: WORKSPACE, agent: AGENT, sessionId: isOwn ? 's-1' : 's-2' };
  const isTold = scope === 'session' && state !== 'resumed';
  chain.attest({ kind: 'halt', scope, target, state }, isTold ? { session } : {});
}

const verifyShown = (chain: SampleChain, names?: readonly string[]) => {
  const entries = disclosed(chain.entries, names);
  return verifyPinned(entries, entries.at(-1)!);
};

test.each(SCOPES)('in the scope %s no act of any kind stands behind a halt', async (scope) => {
  for (const act of ['approved', 'review', 'claimed'] as const)
    for (const isOwn of [true, false])
      for (const end of ['halted', 'watched', 'resumed'] as const) {
        const chain = new SampleChain('ledger', WORKSPACE);
        chain.trace(PLACED);
        haltScope(chain, scope, isOwn, 'halted');
        if (end !== 'halted') haltScope(chain, scope, isOwn, end);
        if (act === 'approved') chain.trace(PLACED, 'approved');
        else if (act === 'review') chain.amend('review', 0);
        else chain.execute(0, 'claimed');
        const isForbidden =
          isOwn && (end === 'halted' || (end === 'watched' && act === 'approved'));
        expect(await verifyShown(chain), `${act} ${isOwn} ${end}`).toMatchObject({
          verdict: isForbidden ? 'tampered' : 'intact',
        });
      }
});

test('the session of another agent or workspace with the same id is another one', async () => {
  const forbidden = await Promise.all(
    [
      { agent: AGENT, workspaceId: WORKSPACE },
      { agent: MARK, workspaceId: WORKSPACE },
      { agent: AGENT, workspaceId: null },
    ].map(async (of) => {
      const chain = new SampleChain('ledger', WORKSPACE);
      const session = { ...of, sessionId: 's-1' };
      const named = { kind: 'halt', scope: 'session', target: SESSION, state: 'halted' } as const;
      chain.attest(named, { session });
      chain.trace(PLACED, 'approved');
      return (await verifyShown(chain)).verdict;
    }),
  );
  expect(forbidden).toEqual(['tampered', 'intact', 'intact']);
});

test('an agent that is not registered is known by its mark', async () => {
  const verdicts = await Promise.all(
    [MARK, 'another-one-of-the-22'].map(async (agentMark) => {
      const chain = new SampleChain();
      chain.attest({ kind: 'halt', scope: 'agent', target: MARK, state: 'halted' });
      chain.trace({ facts: { agentMark } }, 'approved', null);
      return (await verifyShown(chain)).verdict;
    }),
  );
  expect(verdicts).toEqual(['tampered', 'intact']);
});

test('what is withheld is not judged', async () => {
  const chain = new SampleChain('ledger', WORKSPACE);
  haltScope(chain, 'session', true, 'halted');
  haltScope(chain, 'person', true, 'halted');
  chain.trace(PLACED, 'approved');
  expect(await verifyShown(chain, ['submitted'])).toMatchObject({ verdict: 'intact' });
  expect(await verifyShown(chain, ['session'])).toMatchObject({ verdict: 'intact' });
  expect(await verifyShown(chain, ['session', 'sessionId'])).toMatchObject({ verdict: 'tampered' });
  expect(await verifyShown(chain, ['principal'])).toMatchObject({ verdict: 'tampered' });
});

test('an act whose halt is before the document is not judged', async () => {
  const entries = chainOf(['halted', 'approved']).slice(2);
  const head = { sequence: 3, chainHash: entries[0]!.chainHash };
  expect(await verifyPinned(entries, entries[0]!, { head })).toMatchObject({ verdict: 'intact' });
});

/** A random order of halts and acts; the place of the first act that a halt forbids, or null. */
function rollOrder(dice: (limit: number) => number): { chain: SampleChain; first: number | null } {
  const chain = new SampleChain('ledger', WORKSPACE);
  const binding = new Map<string, State>();
  let first: number | null = null;
  chain.trace(PLACED);
  const length = 3 + dice(8);
  for (let step = 0; step < length; step++) {
    const kind = dice(7);
    if (kind < 3) {
      const scope = SCOPES[dice(SCOPES.length)]!;
      const isOwn = dice(3) > 0;
      const state = (['halted', 'watched', 'resumed'] as const)[dice(3)]!;
      haltScope(chain, scope, isOwn, state);
      if (isOwn) binding.set(scope, state);
      continue;
    }
    const states = [...binding.values()];
    const isHalted = states.includes('halted');
    if (kind === 3) chain.trace(PLACED, 'flagged');
    else if (kind === 4) chain.trace(PLACED, 'approved');
    else if (kind === 5) chain.amend('review', 0);
    else chain.execute(0, 'claimed', { executionId: `${step}`.padStart(24, '0') });
    const isForbidden = kind === 4 ? isHalted || states.includes('watched') : kind > 4 && isHalted;
    if (isForbidden) first ??= chain.entries.length;
  }
  return { chain, first };
}

test(
  'of random orders in all scopes, those and only those with an act behind a halt are tampered with',
  { tags: ['varied'] },
  async () => {
    const dice = createDice(7);
    // 10,000 of these are tampered with.
    const orders = chooseRuns(300, 24_000);
    let tampered = 0;
    for (let order = 0; order < orders; order++) {
      const { chain, first } = rollOrder(dice);
      const report = await verifyShown(chain);
      const [found] = report.problems.filter(({ code }) => code === 'halt-mismatch');
      expect(found?.sequence ?? null, `order ${order}`).toBe(first);
      tampered += Number(first !== null);
    }
    expect(tampered).toBeGreaterThan(orders * 0.42);
  },
);
