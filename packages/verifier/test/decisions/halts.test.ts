// The offline verifier on halts: no act within their scope stands between a halt and its resumption.
import { expect, test } from 'vitest';
import {
  AGENT,
  createDice,
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

test.each(['organization', 'workspace'] as const)('the scope %s', async (scope) => {
  const chain = new SampleChain();
  const { view } = chain.trace();
  const { organizationId, workspaceId } = JSON.parse(view) as Record<string, string>;
  const target = (scope === 'organization' ? organizationId : workspaceId) ?? 'f'.repeat(24);
  chain.attest({ kind: 'halt', scope, target, state: 'halted' });
  chain.trace({}, 'approved');
  const isWithin = scope === 'organization' || workspaceId !== null;
  expect(await verifyPinned(chain.entries, chain.entries.at(-1)!)).toMatchObject({
    verdict: isWithin ? 'tampered' : 'intact',
  });
});

test('an act whose halt is before the document is not judged', async () => {
  const entries = chainOf(['halted', 'approved']).slice(2);
  const head = { sequence: 3, chainHash: entries[0]!.chainHash };
  expect(await verifyPinned(entries, entries[0]!, { head })).toMatchObject({ verdict: 'intact' });
});

test(
  'of random orders, those and only those with an act behind a halt are tampered with',
  { tags: ['varied'] },
  async () => {
    const dice = createDice(7);
    const all: Step[] = ['halted', 'watched', 'resumed', 'approved', 'flagged', 'observed'];
    let tampered = 0;
    const orders = chooseRuns(300, 10_000);
    for (let order = 0; order < orders; order++) {
      const steps = Array.from({ length: 2 + dice(6) }, () => all[dice(all.length)]!);
      let state: Step = 'resumed';
      let isForbidden = false;
      for (const step of steps) {
        if (step === 'approved' && state !== 'resumed') isForbidden = true;
        if (step === 'halted' || step === 'watched' || step === 'resumed') state = step;
      }
      tampered += Number(isForbidden);
      expect(await verifySteps(steps), JSON.stringify(steps)).toMatchObject({
        verdict: isForbidden ? 'tampered' : 'intact',
      });
    }
    expect(tampered).toBeGreaterThan(orders / 5);
  },
);
